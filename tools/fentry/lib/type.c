// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Comparing a type that a program declares with a function's type. The types are in different BTF
 * objects, so their contents are compared: structures, unions and enumerations by name, integers by
 * size and encoding, and all without qualifiers and typedefs. A flavour of a structure
 * ("foo___old", as libbpf's CO-RE defines it) counts as "foo".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "type.h"
#include "util.h"

/* Deeper chains of types count as different: BTF could be cyclic. */
#define CHAIN_MAX 16
#define FLAVOUR	  "___"

const struct btf_type *fentry_type__skip_names(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);
	int i;

	for (i = 0; i < CHAIN_MAX; i++) {
		if (!btf_is_mod(t) && !btf_is_typedef(t) && !btf_is_type_tag(t))
			break;
		t = btf__type_by_id(btf, t->type);
	}
	return t;
}

const struct btf_type *fentry_type__proto(const struct btf *btf, __u32 func_id)
{
	return btf__type_by_id(btf, btf__type_by_id(btf, func_id)->type);
}

/* Length of a name without its flavour. */
static size_t essential_len(const char *name)
{
	const char *flavour = *name ? strstr(name + 1, FLAVOUR) : NULL;

	return flavour && flavour[strlen(FLAVOUR)] ? (size_t)(flavour - name) : strlen(name);
}

static bool same_name(const char *a, const char *b)
{
	size_t len = essential_len(a);

	return len == essential_len(b) && !strncmp(a, b, len);
}

/* STRUCT or UNION, even if it is only declared. */
static int composite_kind(const struct btf_type *t)
{
	if (btf_is_fwd(t))
		return btf_kflag(t) ? BTF_KIND_UNION : BTF_KIND_STRUCT;
	return btf_is_composite(t) ? btf_kind(t) : BTF_KIND_UNKN;
}

static bool same_type(const struct btf *a_btf, __u32 a_id, const struct btf *b_btf, __u32 b_id,
		      int depth);

static bool same_params(const struct btf *a_btf, const struct btf_param *a, const struct btf *b_btf,
			const struct btf_param *b, int cnt, int depth)
{
	int i;

	for (i = 0; i < cnt; i++)
		if (!same_type(a_btf, a[i].type, b_btf, b[i].type, depth))
			return false;
	return true;
}

static bool same_type(const struct btf *a_btf, __u32 a_id, const struct btf *b_btf, __u32 b_id,
		      int depth)
{
	const struct btf_type *a = fentry_type__skip_names(a_btf, a_id);
	const struct btf_type *b = fentry_type__skip_names(b_btf, b_id);
	const char *a_name = btf__name_by_offset(a_btf, a->name_off);
	const char *b_name = btf__name_by_offset(b_btf, b->name_off);

	if (depth > CHAIN_MAX)
		return false;
	if (composite_kind(a))
		return composite_kind(a) == composite_kind(b) && same_name(a_name, b_name);
	if (btf_is_any_enum(a))
		return btf_is_any_enum(b) && a->size == b->size && same_name(a_name, b_name);
	if (btf_kind(a) != btf_kind(b))
		return false;
	switch (btf_kind(a)) {
	case BTF_KIND_UNKN: /* void */
		return true;
	case BTF_KIND_INT:
		return a->size == b->size && (btf_int_encoding(a) == btf_int_encoding(b) ||
					      /* unsigned in the kernel, signed in programs */
					      (!strcmp(a_name, "char") && !strcmp(b_name, "char")));
	case BTF_KIND_FLOAT:
		return a->size == b->size;
	case BTF_KIND_PTR:
		return same_type(a_btf, a->type, b_btf, b->type, depth + 1);
	case BTF_KIND_ARRAY:
		return btf_array(a)->nelems == btf_array(b)->nelems &&
		       same_type(a_btf, btf_array(a)->type, b_btf, btf_array(b)->type, depth + 1);
	case BTF_KIND_FUNC_PROTO:
		return btf_vlen(a) == btf_vlen(b) &&
		       same_type(a_btf, a->type, b_btf, b->type, depth + 1) &&
		       same_params(a_btf, btf_params(a), b_btf, btf_params(b), btf_vlen(a),
				   depth + 1);
	default:
		return false;
	}
}

bool fentry_type__same(const struct btf *a_btf, __u32 a_id, const struct btf *b_btf, __u32 b_id)
{
	return same_type(a_btf, a_id, b_btf, b_id, 0);
}

/*
 * Can the library and libbpf's printer follow the types of a BTF? A kernel checks all BTF that a
 * program brings along, but not all of its own and of its modules, and files of a btf_dir may be
 * anything. So BTF is checked once, when an index is opened, and nowhere else:
 *  - type ids and names are there, and a FUNC has a name and a FUNC_PROTO;
 *  - no type is made of itself, so that every size, value and prototype has an end;
 *  - no type is nested so deep, or has so many parts, that in practice it has no end.
 */

#define DEPTH_MAX 128
#define PARTS_MAX (1 << 22) /* with all parts of parts, each time they occur */

static const char no_memory[] = "";

/* What a type is made of. */
enum view {
	VALUE, /* bytes of a value: nothing behind pointers */
	NAME,  /* C text: structures with a name aren't opened */
};

/* How far one type goes; all zero: not known yet. */
struct extent {
	__u32 depth, parts;
};

struct check {
	const struct btf *btf;
	__u32 cnt; /* of types, those of the base included */
	enum view view;
	struct extent *extents;
	__u32 last_name; /* greatest offset of a name */
	const char *why;
};

static bool refuse(struct check *c, const char *why)
{
	c->why = why;
	return false;
}

/* Names are many, so only the one with the greatest offset is looked up. */
static void note_name(struct check *c, __u32 off)
{
	if (off > c->last_name)
		c->last_name = off;
}

static bool is_id(struct check *c, __u32 id)
{
	return id < c->cnt || refuse(c, "a type that isn't there");
}

/* Do the types of a type's members, parameters or the like exist? */
static bool check_parts(struct check *c, const struct btf_type *t)
{
	int i, cnt = btf_vlen(t);
	bool ok = true;

	switch (btf_kind(t)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		for (i = 0; ok && i < cnt; i++) {
			note_name(c, btf_members(t)[i].name_off);
			ok = is_id(c, btf_members(t)[i].type);
		}
		break;
	case BTF_KIND_FUNC_PROTO:
		for (i = 0; ok && i < cnt; i++) {
			note_name(c, btf_params(t)[i].name_off);
			ok = is_id(c, btf_params(t)[i].type);
		}
		break;
	case BTF_KIND_ENUM:
		for (i = 0; i < cnt; i++)
			note_name(c, btf_enum(t)[i].name_off);
		break;
	case BTF_KIND_ENUM64:
		for (i = 0; i < cnt; i++)
			note_name(c, btf_enum64(t)[i].name_off);
		break;
	case BTF_KIND_DATASEC:
		for (i = 0; ok && i < cnt; i++)
			ok = is_id(c, btf_var_secinfos(t)[i].type);
		break;
	}
	return ok;
}

static bool has_name(const struct check *c, const struct btf_type *t)
{
	const char *name = btf__name_by_offset(c->btf, t->name_off);

	return name && *name;
}

static bool has_type(const struct btf_type *t)
{
	const unsigned int kinds = 1U << BTF_KIND_PTR | 1U << BTF_KIND_TYPEDEF |
				   1U << BTF_KIND_VOLATILE | 1U << BTF_KIND_CONST |
				   1U << BTF_KIND_RESTRICT | 1U << BTF_KIND_FUNC |
				   1U << BTF_KIND_FUNC_PROTO | 1U << BTF_KIND_VAR |
				   1U << BTF_KIND_DECL_TAG | 1U << BTF_KIND_TYPE_TAG;

	return kinds >> btf_kind(t) & 1;
}

static bool check_references(struct check *c, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(c->btf, id);

	note_name(c, t->name_off);
	if (!check_parts(c, t) || (has_type(t) && !is_id(c, t->type)))
		return false;
	if (btf_is_array(t))
		return is_id(c, btf_array(t)->type) && is_id(c, btf_array(t)->index_type);
	if (!btf_is_func(t))
		return true;
	if (!has_name(c, t))
		return refuse(c, "a function without a name");
	return btf_is_func_proto(btf__type_by_id(c->btf, t->type)) ||
	       refuse(c, "a function without a prototype");
}

static bool add_type(struct check *c, __u32 id, int level);

/* Add the extent of a type's part to the type's own. */
static bool add_part(struct check *c, __u32 id, int level, struct extent *sum)
{
	const struct extent *part = &c->extents[id];

	if (!part->depth && !add_type(c, id, level + 1)) /* each is looked at once */
		return false;
	if (part->depth >= sum->depth)
		sum->depth = part->depth + 1;
	sum->parts += part->parts;
	return (sum->depth < DEPTH_MAX && sum->parts < PARTS_MAX) ||
	       refuse(c, "a type that is nested too deep, or in itself");
}

static bool add_parts(struct check *c, const struct btf_type *t, int level, struct extent *sum)
{
	bool composite = btf_is_composite(t), ok = true;
	int i;

	for (i = 0; ok && i < btf_vlen(t); i++)
		ok = add_part(c, composite ? btf_members(t)[i].type : btf_params(t)[i].type, level,
			      sum);
	return ok;
}

/* A type that is made of itself is refused at the greatest depth. */
static bool open_type(struct check *c, const struct btf_type *t, int level, struct extent *sum)
{
	if (level > DEPTH_MAX)
		return refuse(c, "a type that is nested too deep, or in itself");
	if (btf_is_array(t))
		return add_part(c, btf_array(t)->type, level, sum);
	if (has_type(t) && !add_part(c, t->type, level, sum))
		return false;
	return !(btf_is_composite(t) || btf_is_func_proto(t)) || add_parts(c, t, level, sum);
}

static bool is_opened(const struct check *c, const struct btf_type *t)
{
	if (btf_is_func(t) || btf_is_decl_tag(t)) /* no type is made of it */
		return false;
	if (c->view == NAME)
		return !btf_is_composite(t) || !has_name(c, t);
	return !btf_is_ptr(t) && !btf_is_func_proto(t);
}

/* Find the extent of a type. */
static bool add_type(struct check *c, __u32 id, int level)
{
	const struct btf_type *t = btf__type_by_id(c->btf, id);
	struct extent extent = { 1, 1 };

	if (is_opened(c, t) && !open_type(c, t, level, &extent))
		return false;
	c->extents[id] = extent;
	return true;
}

/* Sets @id to the type that is refused. */
static bool check_extents(struct check *c, __u32 start, enum view view, __u32 *id)
{
	bool ok = true;

	c->view = view;
	c->extents = calloc(c->cnt, sizeof(*c->extents));
	if (!c->extents)
		return refuse(c, no_memory);
	for (*id = start; ok && *id < c->cnt; *id += ok)
		ok = c->extents[*id].depth || add_type(c, *id, 0);
	free(c->extents);
	return ok;
}

int fentry_btf__check(const struct btf *btf, __u32 start, const char *path,
		      struct fentry_error *error)
{
	struct check c = { .btf = btf, .cnt = btf__type_cnt(btf) };
	__u32 id;

	for (id = start; id < c.cnt && check_references(&c, id); id++)
		;
	if (!c.why && !btf__str_by_offset(btf, c.last_name))
		refuse(&c, "a name that isn't there");
	if (!c.why && check_extents(&c, start, VALUE, &id))
		check_extents(&c, start, NAME, &id);
	if (!c.why)
		return 0;
	if (c.why == no_memory)
		return fentry_error__no_memory(error);
	if (id == c.cnt)
		return fentry_error__set(error, -EINVAL, "BTF in %s is damaged: it has %s", path,
					 c.why);
	return fentry_error__set(error, -EINVAL, "BTF in %s is damaged: type %u has %s", path, id,
				 c.why);
}
