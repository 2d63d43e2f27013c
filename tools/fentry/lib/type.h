/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Types in BTF: whether they are sound, and whether two of them are the same. */
#ifndef FENTRY_TYPE_H
#define FENTRY_TYPE_H

#include "libfentry.h"

/**
 * fentry_type__skip_names() - Return what a type is, below typedefs and qualifiers.
 * @btf: the BTF
 * @id: a type in it
 */
const struct btf_type *fentry_type__skip_names(const struct btf *btf, __u32 id);

/**
 * fentry_type__same() - Is a type that a program declares the function's?
 * @a_btf: the program's BTF
 * @a_id: a type in it
 * @b_btf: BTF of the function
 * @b_id: a type in it
 */
bool fentry_type__same(const struct btf *a_btf, __u32 a_id, const struct btf *b_btf, __u32 b_id);

/**
 * fentry_btf__check() - Can the library and libbpf follow all types, without further checks?
 * @btf: BTF that nobody may have checked
 * @start: its first type, behind those of the base
 * @path: where it is from, for the message
 * @error: see libfentry.h
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int fentry_btf__check(const struct btf *btf, __u32 start, const char *path,
		      struct fentry_error *error);

#endif /* FENTRY_TYPE_H */
