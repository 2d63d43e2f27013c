/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_CHECK_TYPE_H
#define BTFADDR_CHECK_TYPE_H

#include "btf/btf_image.h"

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
const char *check_type(const struct btf_image *img, const struct btf_type *t);

/* Only whether the types and strings exist that it refers to, as all other code counts on that. */
const char *check_refs(const struct btf_image *img, const struct btf_type *t);

#endif
