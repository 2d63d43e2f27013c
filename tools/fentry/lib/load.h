/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Loading programs. */
#ifndef FENTRY_LOAD_H
#define FENTRY_LOAD_H

#include "libfentry.h"

/*
 * Load a program once more, as fentry_prog__clone(), for tracing_multi links to functions of the
 * BTF object that @target is in.
 */
int fentry_prog__clone_multi(const struct bpf_program *prog, const struct fentry_target *target,
			     int *ret, struct fentry_error *error);

#endif /* FENTRY_LOAD_H */
