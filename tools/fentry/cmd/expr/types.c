// SPDX-License-Identifier: GPL-2.0-only
/* What the command asks of types in BTF. */
#include <stdio.h>
#include <string.h>

#include "expr/types.h"

__u32 types__skip(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (btf_is_mod(t) || btf_is_typedef(t) || btf_is_type_tag(t)) {
		id = t->type;
		t = btf__type_by_id(btf, id);
	}
	return id;
}

const struct btf_type *types__real(const struct btf *btf, __u32 id)
{
	return btf__type_by_id(btf, types__skip(btf, id));
}

const char *types__name(const struct btf *btf, const struct btf_type *t)
{
	return btf__name_by_offset(btf, t->name_off) ?: "";
}

const struct btf_type *types__proto(const struct btf *btf, __u32 func)
{
	return btf__type_by_id(btf, btf__type_by_id(btf, func)->type);
}

unsigned int types__slots(const struct btf *btf, __u32 id)
{
	long long size = btf__resolve_size(btf, id);

	return size > 8 ? (size + 7) / 8 : 1;
}

bool types__is_text(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = types__real(btf, id);

	if (!btf_is_int(t) || t->size != 1)
		return false;
	if (!strcmp(types__name(btf, t), "char"))
		return true;
	if (strcmp(types__name(btf, t), "unsigned char"))
		return false;
	for (t = btf__type_by_id(btf, id); btf_is_mod(t) || btf_is_type_tag(t);)
		t = btf__type_by_id(btf, t->type);
	return btf_is_int(t);
}

bool types__is_number(const struct btf_type *t)
{
	return ((btf_is_int(t) || btf_is_any_enum(t)) && t->size <= 8) || btf_is_ptr(t);
}

bool types__is_signed(const struct btf_type *t)
{
	if (btf_is_int(t))
		return btf_int_encoding(t) & BTF_INT_SIGNED;
	return btf_is_any_enum(t) && btf_kflag(t);
}

/* pahole sets the kind_flag of signed enumerations since 1.24 only. */
static bool has_enumerator(const struct btf_type *t, int i, long long value)
{
	if (btf_is_enum64(t))
		return (long long)btf_enum64_value(btf_enum64(t) + i) == value;
	return btf_enum(t)[i].val == (__s32)value &&
	       (value == (__s32)value || value == (__u32)value);
}

const char *types__enumerator(const struct btf *btf, const struct btf_type *t, long long value)
{
	int i;

	for (i = 0; i < btf_vlen(t); i++)
		if (has_enumerator(t, i, value))
			return btf__name_by_offset(btf, btf_is_enum64(t) ?
								btf_enum64(t)[i].name_off :
								btf_enum(t)[i].name_off);
	return NULL;
}

static bool is_name(const struct btf *btf, __u32 name_off, const char *name, size_t len)
{
	const char *other = btf__name_by_offset(btf, name_off);

	return !strncmp(other, name, len) && !other[len];
}

bool types__find_enumerator(const struct btf *btf, const char *name, size_t len,
			    unsigned long long *ret, bool *is_signed)
{
	__u32 id, cnt = btf__type_cnt(btf);
	int i;

	for (id = 1; id < cnt; id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (!btf_is_any_enum(t))
			continue;
		*is_signed = btf_kflag(t);
		for (i = 0; i < btf_vlen(t); i++) {
			const struct btf_enum64 *e64 = btf_enum64(t) + i;
			const struct btf_enum *e = btf_enum(t) + i;

			if (!is_name(btf, btf_is_enum64(t) ? e64->name_off : e->name_off, name,
				     len))
				continue;
			*ret = btf_is_enum64(t) ? btf_enum64_value(e64) :
			       *is_signed	? (__u64)(__s64)e->val :
						  (__u32)e->val;
			return true;
		}
	}
	return false;
}

const char *types__describe(const struct btf *btf, __u32 id, char *buf, size_t size)
{
	const struct btf_type *t = types__real(btf, id);
	const char *name = types__name(btf, t);
	const char *stars = "";

	if (btf_is_ptr(t)) {
		t = types__real(btf, t->type);
		name = types__name(btf, t);
		stars = " *";
	}
	if (btf_is_struct(t) || btf_is_union(t) || btf_is_fwd(t))
		snprintf(buf, size, "%s%s%s%s",
			 btf_is_union(t) || (btf_is_fwd(t) && btf_kflag(t)) ? "union" : "struct",
			 *name ? " " : "", name, stars);
	else if (btf_is_any_enum(t))
		snprintf(buf, size, "enum%s%s%s", *name ? " " : "", name, stars);
	else if (btf_is_array(t))
		snprintf(buf, size, "an array%s", *stars ? ", by pointer" : "");
	else if (btf_is_ptr(t))
		snprintf(buf, size, "a pointer to a pointer");
	else if (btf_is_func_proto(t))
		snprintf(buf, size, "a pointer to a function");
	else
		snprintf(buf, size, "%s%s", btf_is_void(t) ? "void" : name, stars);
	return buf;
}
