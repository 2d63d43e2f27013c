// SPDX-License-Identifier: GPL-2.0-only
/* What the command asks of types in BTF. */
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
