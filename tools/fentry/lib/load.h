/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Loading programs. */
#ifndef FENTRY_LOAD_H
#define FENTRY_LOAD_H

#include "libfentry.h"

/*
 * Load a program once more, as fentry_prog__clone(), with this attach type for functions of the BTF
 * object that @target is in.
 */
int fentry_prog__clone_multi(const struct bpf_program *prog, int type,
			     const struct fentry_target *target, int *ret,
			     struct fentry_error *error);

/*
 * Find the function of the source that a program's section names. *@ret is an array of its symbols,
 * to be released with free(); the first one has the arguments that the program uses, if one has
 * them. Returns 0, or an error of fentry_index__resolve().
 */
int fentry_prog__resolve_section(const struct bpf_program *prog, const struct fentry_index *idx,
				 const struct fentry_target ***ret, size_t *cnt,
				 struct fentry_error *error);

#endif /* FENTRY_LOAD_H */
