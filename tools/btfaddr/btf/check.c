// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's rules for each kind of type, see kernel/bpf/btf.c.
 */
#include <ctype.h>

#include "btf/check.h"

/* include/linux/kallsyms.h; the 0 at the end is one of them */
#define KSYM_NAME_LEN 512
/* BTF_INT_MASK in btf.c */
#define INT_MASK 0x0fffffffu
/* BTF_INFO_MASK in btf.c: kind_flag, five bits of kind, 16 of vlen */
#define INFO_MASK 0x9f00ffffu

static const char bad_name[] = "its name is not one that C could have";
static const char no_name[] = "it has no name";

/* btf_name_valid_identifier() */
bool btf_name_valid(const char *name)
{
	static const bool valid[256] = {
		['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true,
		['_'] = true,	      ['.'] = true,
	};
	const char *s = name;

	if (isdigit((unsigned char)*s))
		return false;
	while (valid[(unsigned char)*s])
		s++;
	return s > name && !*s && s - name < KSYM_NAME_LEN;
}

static bool optional_name_valid(const struct btf_image *img, u32 off)
{
	return !off || btf_name_valid(btf_image_str(img, off));
}

/* The offset of the name of a member, parameter or enumerator. */
static u32 part_name(const struct btf_type *t, u32 i)
{
	switch (btf_kind(t)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return btf_members(t)[i].name_off;
	case BTF_KIND_FUNC_PROTO:
		return btf_params(t)[i].name_off;
	case BTF_KIND_ENUM:
		return btf_enum(t)[i].name_off;
	case BTF_KIND_ENUM64:
		return btf_enum64(t)[i].name_off;
	default:
		return 0;
	}
}

static bool has_name(const struct btf_image *img, const struct btf_type *t)
{
	return *btf_image_str(img, t->name_off);
}

static const char *check_name(const struct btf_image *img, const struct btf_type *t)
{
	if (!has_name(img, t))
		return no_name;
	return optional_name_valid(img, t->name_off) ? NULL : bad_name;
}

static const char *check_int(const struct btf_image *img, const struct btf_type *t)
{
	u32 data = *(const u32 *)(t + 1), bits = BTF_INT_BITS(data) + BTF_INT_OFFSET(data);

	if (data & ~INT_MASK || bits > 128)
		return "it has more bits than an integer can have";
	if ((bits + 7) / 8 > t->size)
		return "it has more bits than its size has room for";
	switch (BTF_INT_ENCODING(data)) {
	case 0:
	case BTF_INT_SIGNED:
	case BTF_INT_CHAR:
	case BTF_INT_BOOL:
		return NULL;
	default:
		return "its encoding is not known";
	}
}

static const char *check_nameless(const struct btf_image *img, const struct btf_type *t)
{
	return t->name_off ? "it has a name" : NULL;
}

/* The names of tags are free. */
static const char *check_type_tag(const struct btf_image *img, const struct btf_type *t)
{
	return has_name(img, t) ? NULL : no_name;
}

static const char *check_array(const struct btf_image *img, const struct btf_type *t)
{
	const struct btf_array *array = btf_array(t);

	if (t->size)
		return "it has a size of its own";
	if (!array->type || !array->index_type)
		return "it is an array of void";
	return check_nameless(img, t);
}

/* Where a member is: from btf_struct_check_meta(). */
static const char *check_member(const struct btf_type *t, u32 i)
{
	u32 off = btf_member_bit_offset(t, i);

	if (!btf_members(t)[i].type)
		return "a member is void";
	if (btf_is_union(t) && off)
		return "a member of a union is not at its start";
	if (i && off < btf_member_bit_offset(t, i - 1))
		return "its members are not in order";
	if (off / 8 + !!(off % 8) > t->size)
		return "a member lies outside of it";
	return NULL;
}

static const char *check_struct(const struct btf_image *img, const struct btf_type *t)
{
	const char *what = optional_name_valid(img, t->name_off) ? NULL : bad_name;
	u32 i;

	for (i = 0; i < btf_vlen(t) && !what; i++) {
		if (!optional_name_valid(img, btf_members(t)[i].name_off))
			return "the name of a member is not one that C could have";
		what = check_member(t, i);
	}
	return what;
}

static const char *check_enum(const struct btf_image *img, const struct btf_type *t)
{
	u32 i;

	if (!t->size || t->size > 8 || t->size & (t->size - 1))
		return "no enum has that size";
	if (!optional_name_valid(img, t->name_off))
		return bad_name;
	for (i = 0; i < btf_vlen(t); i++) {
		if (!btf_name_valid(btf_image_str(img, part_name(t, i))))
			return "the name of an enumerator is not one that C could have";
	}
	return NULL;
}

static const char *check_fwd(const struct btf_image *img, const struct btf_type *t)
{
	return t->type ? "it refers to a type" : check_name(img, t);
}

static const char *check_func(const struct btf_image *img, const struct btf_type *t)
{
	if (btf_vlen(t) > BTF_FUNC_GLOBAL)
		return "its linkage is not known";
	if (!t->type || !btf_is_func_proto(type_by_id(img, t->type)))
		return "it has no prototype";
	return check_name(img, t);
}

static const char *check_var(const struct btf_image *img, const struct btf_type *t)
{
	if (btf_var(t)->linkage > BTF_VAR_GLOBAL_ALLOCATED)
		return "its linkage is not known";
	return t->type ? check_name(img, t) : "it is void";
}

/* btf_name_valid_section() */
static bool section_name_valid(const char *name)
{
	const char *s = name;

	while (isprint((unsigned char)*s))
		s++;
	return s > name && !*s && s - name < KSYM_NAME_LEN;
}

static const char *check_datasec(const struct btf_image *img, const struct btf_type *t)
{
	const struct btf_var_secinfo *var = btf_var_secinfos(t);
	u64 end = 0;
	u32 i;

	if (!t->size)
		return "it is empty";
	if (!section_name_valid(btf_image_str(img, t->name_off)))
		return "its name is not that of a section";
	for (i = 0; i < btf_vlen(t); i++, var++) {
		if (!var->type || !var->size || var->offset < end)
			return "its variables are not in order";
		end = (u64)var->offset + var->size;
		if (end > t->size)
			return "a variable lies outside of it";
	}
	return NULL;
}

static const char *check_float(const struct btf_image *img, const struct btf_type *t)
{
	switch (t->size) {
	case 2:
	case 4:
	case 8:
	case 12:
	case 16:
		return NULL;
	default:
		return "no floating-point number has that size";
	}
}

/* How many members or parameters of @t a tag can be on, -1 if no tag can be on @t. */
static int nr_components(const struct btf_image *img, const struct btf_type *t)
{
	if (btf_is_composite(t))
		return btf_vlen(t);
	if (btf_is_func(t))
		return t->type && t->type < img->nr_types ? btf_vlen(type_by_id(img, t->type)) : 0;
	return btf_is_var(t) || btf_is_typedef(t) ? 0 : -1;
}

/* The rules of btf_decl_tag_resolve(), which tools rely on. */
static const char *check_decl_tag(const struct btf_image *img, const struct btf_type *t)
{
	__s32 idx = btf_decl_tag(t)->component_idx;
	int nr = t->type ? nr_components(img, type_by_id(img, t->type)) : -1;

	if (!has_name(img, t))
		return no_name;
	if (nr < 0)
		return "it is a tag of a type that cannot have one";
	return idx < -1 || idx >= nr ? "it is a tag of a member or parameter that is not there" :
				       NULL;
}

/**
 * struct rules - the rules for a kind of type
 * @check: the rules that only this kind has
 * @vlen: info's vlen has a meaning
 * @kflag: info's kind_flag has a meaning; for tags since Linux 6.15
 */
static const struct rules {
	const char *(*check)(const struct btf_image *img, const struct btf_type *t);
	bool vlen, kflag;
} rules[NR_BTF_KINDS] = {
	[BTF_KIND_INT] = { check_int },
	[BTF_KIND_PTR] = { check_nameless },
	[BTF_KIND_ARRAY] = { check_array },
	[BTF_KIND_STRUCT] = { check_struct, .vlen = true, .kflag = true },
	[BTF_KIND_UNION] = { check_struct, .vlen = true, .kflag = true },
	[BTF_KIND_ENUM] = { check_enum, .vlen = true, .kflag = true },
	[BTF_KIND_FWD] = { check_fwd, .kflag = true },
	[BTF_KIND_TYPEDEF] = { check_name },
	[BTF_KIND_VOLATILE] = { check_nameless },
	[BTF_KIND_CONST] = { check_nameless },
	[BTF_KIND_RESTRICT] = { check_nameless },
	[BTF_KIND_FUNC] = { check_func, .vlen = true },
	[BTF_KIND_FUNC_PROTO] = { check_nameless, .vlen = true },
	[BTF_KIND_VAR] = { check_var },
	[BTF_KIND_DATASEC] = { check_datasec, .vlen = true },
	[BTF_KIND_FLOAT] = { check_float },
	[BTF_KIND_DECL_TAG] = { check_decl_tag, .kflag = true },
	[BTF_KIND_TYPE_TAG] = { check_type_tag, .kflag = true },
	[BTF_KIND_ENUM64] = { check_enum, .vlen = true, .kflag = true },
};

/* Do the names of members, parameters or enumerators exist? */
static bool part_names_exist(const struct btf_image *img, const struct btf_type *t)
{
	u32 i;

	for (i = 0; i < btf_vlen(t); i++) {
		if (part_name(t, i) >= btf_image_strs_end(img))
			return false;
	}
	return true;
}

/* Check only that the types and strings that @t refers to exist, as all other code expects. */
static const char *check_refs(const struct btf_image *img, const struct btf_type *t)
{
	u32 i, id;

	if (t->name_off >= btf_image_strs_end(img) || !part_names_exist(img, t))
		return "a name of it is not in the string section";
	for (i = 0; btf_type_ref(t, i, &id); i++) {
		if (id >= img->nr_types)
			return "it refers to a type that is not there";
	}
	return NULL;
}

/*
 * Would the kernel take this type?
 *
 * These are the rules of the btf_*_check_meta() functions in kernel/bpf/btf.c, which every
 * BTF must pass: otherwise the kernel has no BTF, or the module does not load. The types that a
 * type refers to must exist, as in libbpf's btf_validate_type().
 *
 * Return: NULL, or what is wrong.
 */
static const char *check_type(const struct btf_image *img, const struct btf_type *t)
{
	const struct rules *rule = &rules[type_kind(t)];

	if (t->info & ~INFO_MASK || (btf_vlen(t) && !rule->vlen) || (btf_kflag(t) && !rule->kflag))
		return "its kind is damaged";
	return check_refs(img, t) ?: rule->check(img, t);
}

/*
 * Checking added types, as damaged DWARF makes damaged types.
 *
 * Besides the rules above, there are those of btf_resolve() in kernel/bpf/btf.c,
 * which finds the size of each type, and whether members fit into their struct.
 */

/* MAX_RESOLVE_DEPTH in kernel/bpf/btf.c */
#define MAX_RESOLVE_DEPTH 32
/* No C code nests so many types without a name. */
#define MAX_NAMELESS 256
#define POINTER_SIZE 8

/* What is known of an added type. NO_SIZE: it has none, like void, but may be right */
enum state { NOT_VISITED, IN_VISIT, SIZED, NO_SIZE, BAD };

/**
 * struct checker - state of added_types_check()
 * @states: by id - @first
 * @sizes: of those that are SIZED
 */
struct checker {
	const struct btf_image *img;
	u32 first, nr;
	u8 *states;
	u32 *sizes;
};

static enum state resolve(struct checker *c, u32 id, u32 *size_ret, int depth);

static bool is_modifier(const struct btf_type *t)
{
	return btf_is_mod(t) || btf_is_typedef(t);
}

/* The type behind typedefs and modifiers; NULL for void, and if there are too many of them. */
static const struct btf_type *skip_modifiers(const struct checker *c, u32 id)
{
	const struct btf_type *t;
	int left;

	for (left = MAX_RESOLVE_DEPTH; id && left; left--) {
		t = type_by_id(c->img, id);
		if (!is_modifier(t))
			return t;
		id = t->type;
	}
	return NULL;
}

/* btf_type_int_is_regular() */
static bool int_is_regular(const struct btf_type *t)
{
	u32 bits = btf_int_bits(t);

	return !btf_int_offset(t) && bits >= 8 && bits <= 128 && !(bits & (bits - 1));
}

/* The check_member and check_kflag_member functions of btf.c. */
static bool member_fits(const struct checker *c, const struct btf_type *t, u32 i, u32 size)
{
	const struct btf_type *type = skip_modifiers(c, btf_members(t)[i].type);
	u32 bits = btf_member_bitfield_size(t, i), most = size * 8;
	u64 off = btf_member_bit_offset(t, i), end = off + (bits ? bits : (u64)size * 8);

	if (!type || end > (u64)t->size * 8)
		return false;
	if (btf_is_int(type) && !int_is_regular(type))
		return false;
	if (btf_is_float(type) && off % (8 * (size < POINTER_SIZE ? size : POINTER_SIZE)))
		return false;
	if (!bits)
		return off % 8 == 0;
	if (btf_is_any_enum(type))
		most = 32;
	return (btf_is_int(type) || btf_is_any_enum(type)) && bits <= most && bits + off % 8 <= 128;
}

static enum state resolve_struct(struct checker *c, const struct btf_type *t, u32 *size_ret,
				 int depth)
{
	u32 i, size;

	for (i = 0; i < btf_vlen(t); i++) {
		if (resolve(c, btf_members(t)[i].type, &size, depth) != SIZED ||
		    !member_fits(c, t, i, size))
			return BAD;
	}
	*size_ret = t->size;
	return SIZED;
}

static enum state resolve_array(struct checker *c, const struct btf_type *t, u32 *size_ret,
				int depth)
{
	const struct btf_array *array = btf_array(t);
	const struct btf_type *type = skip_modifiers(c, array->index_type);
	u32 size;

	if (!type || !btf_is_int(type) || !int_is_regular(type) ||
	    resolve(c, array->type, &size, depth) != SIZED)
		return BAD;
	type = skip_modifiers(c, array->type);
	if (!type || (btf_is_int(type) && !int_is_regular(type)))
		return BAD;
	return __builtin_mul_overflow(size, array->nelems, size_ret) ? BAD : SIZED;
}

static enum state resolve_type(struct checker *c, u32 id, u32 *size_ret, int depth)
{
	const struct btf_type *t = type_by_id(c->img, id);

	if (depth == MAX_RESOLVE_DEPTH &&
	    (btf_is_composite(t) || btf_is_array(t) || is_modifier(t)))
		return BAD;
	switch (type_kind(t)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		/* the input's own types are not judged here */
		if (id >= c->first)
			return resolve_struct(c, t, size_ret, depth + 1);
		/* fallthrough */
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		*size_ret = t->size;
		return SIZED;
	case BTF_KIND_PTR:
		*size_ret = POINTER_SIZE;
		return SIZED;
	case BTF_KIND_ARRAY:
		return resolve_array(c, t, size_ret, depth + 1);
	case BTF_KIND_FWD:
	case BTF_KIND_FUNC_PROTO:
		return NO_SIZE;
	default:
		return is_modifier(t) ? resolve(c, t->type, size_ret, depth + 1) : BAD;
	}
}

/* How large is a type? A struct that is a part of itself has no size. */
static enum state resolve(struct checker *c, u32 id, u32 *size_ret, int depth)
{
	enum state state;
	u32 i = id - c->first;

	if (!id)
		return NO_SIZE;
	if (id < c->first)
		return resolve_type(c, id, size_ret, depth);
	if (c->states[i] == NOT_VISITED) {
		c->states[i] = IN_VISIT;
		state = resolve_type(c, id, &c->sizes[i], depth);
		if (c->states[i] != BAD)
			c->states[i] = state;
	}
	if (c->states[i] == IN_VISIT)
		c->states[i] = BAD;
	*size_ret = c->sizes[i];
	return c->states[i];
}

/* btf_ptr_resolve(): a chain of pointers and modifiers must end at a type of another kind. */
static bool pointer_ends(const struct checker *c, const struct btf_type *t)
{
	int left;

	for (left = MAX_RESOLVE_DEPTH; left; left--) {
		if (!t->type)
			return true;
		t = type_by_id(c->img, t->type);
		if (!btf_is_ptr(t) && !is_modifier(t))
			return !btf_is_func(t) && !btf_is_var(t) && !btf_is_datasec(t) &&
			       !btf_is_decl_tag(t);
	}
	return false;
}

/* btf_func_proto_check() */
static bool proto_is_right(struct checker *c, const struct btf_type *t)
{
	const struct btf_param *p = btf_params(t);
	u32 i, size, nr = btf_vlen(t);
	const char *name;

	if (t->type && resolve(c, t->type, &size, 0) != SIZED)
		return false;
	/* the last may be "..." */
	if (nr && !p[nr - 1].type && !p[nr - 1].name_off)
		nr--;
	for (i = 0; i < nr; i++) {
		name = btf_image_str(c->img, p[i].name_off);
		if ((*name && !btf_name_valid(name)) || resolve(c, p[i].type, &size, 0) != SIZED)
			return false;
	}
	return true;
}

static bool is_right(struct checker *c, u32 id)
{
	const struct btf_type *t = type_by_id(c->img, id);
	u32 size;

	if (btf_is_func_proto(t))
		return proto_is_right(c, t);
	if (btf_is_ptr(t))
		return pointer_ends(c, t);
	return resolve(c, id, &size, 0) != BAD;
}

/* Is a type known by its name, and not by what it refers to? */
static bool is_named(const struct btf_type *t)
{
	return t->name_off && (btf_is_composite(t) || btf_is_typedef(t));
}

/*
 * Does a type without a name refer to itself through others without one? C has no such type. The
 * kernel accepts it, but a tool that prints the type never ends.
 */
static bool comes_back(struct checker *c, u32 id, int depth)
{
	const struct btf_type *t = type_by_id(c->img, id);
	bool ret = false;
	u32 i, ref;

	/* types of the input never refer to an added one */
	if (id < c->first || is_named(t))
		return false;
	if (depth == MAX_NAMELESS || c->states[id - c->first] == IN_VISIT)
		return true;
	if (c->states[id - c->first] != NOT_VISITED)
		return false;
	c->states[id - c->first] = IN_VISIT;
	for (i = 0; !ret && btf_type_ref(t, i, &ref); i++)
		ret = comes_back(c, ref, depth + 1);
	c->states[id - c->first] = ret ? BAD : SIZED;
	return ret;
}

/*
 * Each type that refers to a bad type is bad, too. Most types refer to later ones, so a round from
 * the end finds most of them.
 */
static void spread(const struct checker *c, bool *bad)
{
	bool more = true;
	u32 i, k, ref;

	while (more) {
		more = false;
		for (i = c->nr; i--;) {
			const struct btf_type *t = type_by_id(c->img, c->first + i);

			for (k = 0; !bad[i] && btf_type_ref(t, k, &ref); k++) {
				bad[i] = ref >= c->first && bad[ref - c->first];
				more |= bad[i];
			}
		}
	}
}

bool *added_types_check(const struct btf_image *img, u32 first)
{
	u32 nr = img->nr_types - first, i;
	struct checker c = {
		.img = img,
		.first = first,
		.nr = nr,
		.states = xcalloc(nr, sizeof(*c.states)),
		.sizes = xcalloc(nr, sizeof(*c.sizes)),
	};
	bool *bad = xcalloc(nr, sizeof(*bad));

	for (i = 0; i < nr; i++)
		bad[i] = check_type(img, type_by_id(img, first + i)) || !is_right(&c, first + i);
	memset(c.states, NOT_VISITED, nr);
	for (i = 0; i < nr; i++)
		bad[i] |= comes_back(&c, first + i, 0);
	spread(&c, bad);
	free(c.states);
	free(c.sizes);
	return bad;
}

/*
 * What the kernel checks of BTF when it boots, or loads a module.
 */

/* btf_check_type_tags() in kernel/bpf/btf.c */
#define MAX_CHAIN 32

/*
 * A pointer's type tags come before its modifiers: btf_check_type_tags() in kernel/bpf/btf.c.
 * That function also requires that chains of these have an end.
 */
static const char *check_chain(const struct btf_image *img, const struct btf_type *t)
{
	bool in_tags = btf_is_type_tag(t);
	u32 left;

	for (left = MAX_CHAIN; btf_is_mod(t) || btf_is_typedef(t); left--) {
		if (!left)
			return "the types that it refers to never end";
		if (btf_is_type_tag(t) && !in_tags)
			return "a type tag stands behind a modifier";
		in_tags = btf_is_type_tag(t);
		if (!t->type)
			break;
		t = type_by_id(img, t->type);
	}
	return NULL;
}

static int refuse(const struct btf_image *img, u32 id, const char *what, const char *name)
{
	const char *type = btf_image_str(img, type_by_id(img, id)->name_off);

	return err("%s: .BTF is damaged: type %u%s%s%s: %s", name, id, *type ? ", '" : "", type,
		   *type ? "'" : "", what);
}

typedef const char *(*check_fn)(const struct btf_image *img, const struct btf_type *t);

static int check_all(const struct btf_image *img, const char *name, check_fn check)
{
	const struct btf_type *t;
	const char *what;
	u32 id;

	for_each_type(id, t, img) {
		what = check(img, t);
		if (what)
			return refuse(img, id, what, name);
	}
	return 0;
}

int btf_verify_refs(const struct btf_image *img, const char *name)
{
	return check_all(img, name, check_refs);
}

int btf_verify(const struct btf_image *img, const char *name)
{
	if (img->nr_types - 1 > BTF_MAX_TYPE)
		return err("%s: .BTF has more than %u types", name, BTF_MAX_TYPE);
	/* chains come last: check_chain() relies on the types that they refer to */
	return check_all(img, name, check_type) || check_all(img, name, check_chain) ? -1 : 0;
}
