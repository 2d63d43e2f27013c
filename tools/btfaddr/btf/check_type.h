/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_CHECK_TYPE_H
#define BTFADDR_CHECK_TYPE_H

#include <bpf/btf.h>

#include "btf/btf_image.h"

/**
 * struct btf_types - types by their ids
 * @offsets: of btf_image_offsets()
 */
struct btf_types {
	const struct btf_image *img;
	const u32 *offsets;
};

/* Type @id, which must be one of the image. Id 0 is not in it. */
static inline const struct btf_type *type_by_id(const struct btf_types *types, u32 id)
{
	return (const struct btf_type *)(types->img->types.data + types->offsets[id]);
}

/* May a type, member, parameter or enumerator have this name? "" is not one. */
bool btf_name_valid(const char *name);

/**
 * check_type() - would the kernel take this type?
 *
 * These are the rules of the btf_*_check_meta() functions in kernel/bpf/btf.c, which every
 * BTF must pass: without them the kernel has no BTF, or the module does not load. What a type
 * refers to must exist, as libbpf's btf_validate_type() wants it.
 *
 * Return: NULL, or what is wrong.
 */
const char *check_type(const struct btf_types *types, const struct btf_type *t);

#endif
