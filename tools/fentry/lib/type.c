// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Is a type that a program declares the one that a function has? Both sides are
 * BTF, of different objects, so types are compared by what they are: qualifiers and
 * typedefs ignored, structures, unions and enumerations by name, integers by
 * size and encoding. A flavour of a structure ("foo___old", as libbpf's CO-RE
 * defines it) counts as "foo".
 */
#include <string.h>

#include "internal.h"

/* Deeper chains of types count as different: BTF could be cyclic. */
#define DEPTH_MAX 16
#define FLAVOUR	  "___"

const struct btf_type *fentry_type__skip_names(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);
	int i;

	for (i = 0; i < DEPTH_MAX; i++) {
		if (!btf_is_mod(t) && !btf_is_typedef(t) && !btf_is_type_tag(t))
			break;
		t = btf__type_by_id(btf, t->type);
	}
	return t;
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

	if (depth > DEPTH_MAX)
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
					      /* unsigned in the kernel, not so in programs */
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
