// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holding added types against the rules: DWARF that is damaged makes damaged types.
 *
 * Besides those in check_type.c, these are the rules of btf_resolve() in kernel/bpf/btf.c,
 * which says how large types are, and whether members fit into their struct.
 */
#include "btf/added.h"
#include "btf/check_type.h"

/* MAX_RESOLVE_DEPTH in kernel/bpf/btf.c */
#define MAX_RESOLVE_DEPTH 32
/* No C has so many types without a name in each other. */
#define MAX_NAMELESS 256
#define POINTER_SIZE 8

/* What is known of an added type. NO_SIZE: as void or a declaration, which may be right */
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

/* What is behind typedefs and modifiers; NULL for void, and if there are too many. */
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
		/* in the input there may be anything, and that is not for us to judge */
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

/* btf_ptr_resolve(): pointers and modifiers lead somewhere else in the end. */
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

/* Is this a type that is known by a name, and not by what it refers to? */
static bool is_named(const struct btf_type *t)
{
	return t->name_off && (btf_is_composite(t) || btf_is_typedef(t));
}

/*
 * Does a type without a name lead back to itself over others without one? The kernel does not
 * mind, but C has no such thing, and who prints it comes to no end.
 */
static bool comes_back(struct checker *c, u32 id, int depth)
{
	const struct btf_type *t = type_by_id(c->img, id);
	bool ret = false;
	u32 i, ref;

	/* types that were there before refer to none that is new */
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

/* All who refer to a bad type are bad, too. Most refer to types that come after them. */
static void spread(const struct checker *c, bool *bad)
{
	bool more = true;
	u32 i, k, ref;

	while (more) {
		more = false;
		for (i = c->nr; i--;) {
			const struct btf_type *t = type_by_id(c->img, c->first + i);

			for (k = 0; !bad[i] && btf_type_ref(t, k, &ref); k++)
				more |= bad[i] = ref >= c->first && bad[ref - c->first];
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
