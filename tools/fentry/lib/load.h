/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Loading programs. */
#ifndef FENTRY_LOAD_H
#define FENTRY_LOAD_H

#include "libfentry.h"

/**
 * fentry_prog__clone_multi() - Load a program once more, for tracing_multi links.
 * @prog: see fentry_prog__clone()
 * @target: one of the functions: decides about the BTF object
 * @ret: file descriptor of the new program, to be closed
 * @error: see libfentry.h
 *
 * Return: 0, or what the kernel refused the program with.
 */
int fentry_prog__clone_multi(const struct bpf_program *prog, const struct fentry_target *target,
			     int *ret, struct fentry_error *error);

#endif /* FENTRY_LOAD_H */
