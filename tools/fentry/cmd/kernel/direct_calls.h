/* SPDX-License-Identifier: GPL-2.0-only */
/* How often the kernel's code calls functions by name. */
#ifndef FENTRY_DIRECT_CALLS_H
#define FENTRY_DIRECT_CALLS_H

#include "kernel/ksyms.h"
#include "libfentry.h"

struct direct_calls;

/**
 * direct_calls__load() - Count the calls and jumps to functions in the code of the kernel.
 * @idx: the functions, to outlive what is returned
 * @known: the kernel's symbols; NULL: read them
 *
 * /proc/kcore has the code as it is now, with that of the modules that are loaded. Bytes of an
 * instruction, or of two, may look like a call: one of some 25,000 calls that are found. A jump of
 * two bytes to the next function isn't looked for: one of some 1,500 is missed.
 *
 * Return: to be released with direct_calls__free(); NULL if it can't be known.
 */
struct direct_calls *direct_calls__load(const struct fentry_index *idx, const struct ksyms *known);

/**
 * direct_calls__of() - How many calls are there of a function?
 * @d: the calls; may be NULL
 * @ret: their number; calls by pointers, and inlined ones, aren't among them
 *
 * Return: whether it is known.
 */
bool direct_calls__of(const struct direct_calls *d, const struct fentry_target *target,
		      size_t *ret);

/** direct_calls__free() - Release it. @d: may be NULL */
void direct_calls__free(struct direct_calls *d);

#endif /* FENTRY_DIRECT_CALLS_H */
