/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Types in BTF: whether they are sound, and whether two of them are the same. */
#ifndef FENTRY_TYPE_H
#define FENTRY_TYPE_H

#include "libfentry.h"

/* Returns what a type is, below typedefs and qualifiers. */
const struct btf_type *fentry_type__skip_names(const struct btf *btf, __u32 id);

/* Is type @a_id of a program's BTF the same as type @b_id of a function's BTF? */
bool fentry_type__same(const struct btf *a_btf, __u32 a_id, const struct btf *b_btf, __u32 b_id);

/* Returns the FUNC_PROTO of a FUNC. */
const struct btf_type *fentry_type__proto(const struct btf *btf, __u32 func_id);

/*
 * Can the library and libbpf follow all types from @start on, without further checks? It may be any
 * BTF; the message calls it @path. Returns 0, -EINVAL or -ENOMEM.
 */
int fentry_btf__check(const struct btf *btf, __u32 start, const char *path,
		      struct fentry_error *error);

#endif /* FENTRY_TYPE_H */
