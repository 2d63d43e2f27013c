/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions of vmlinux by their name in the source, whatever suffix the compiler gave them. */
#ifndef SELFTESTS_TARGETS_H
#define SELFTESTS_TARGETS_H

#include <stdbool.h>

#include "ksyms.h"
#include "libfentry.h"
#include "vmsyms.h"

/** targets__in_kernel() - Does the function have code of its own, or was it inlined everywhere? */
bool targets__in_kernel(const struct ksyms *syms, const char *name);

/**
 * targets__find() - The one function of a name.
 * @idx: the index
 * @syms: /proc/kallsyms
 * @units: the units of the kernel's DWARF; may be NULL without @unit
 * @name: with a suffix or without
 * @unit: the end of its compilation unit's path in DWARF, or NULL. BTF has no unit if one of
 *	ThinLTO's suffixes made the name unique.
 *
 * Return: NULL if there is none, or more than one.
 */
const struct fentry_target *targets__find(const struct fentry_index *idx, const struct ksyms *syms,
					  const struct vmunits *units, const char *name,
					  const char *unit);

#endif /* SELFTESTS_TARGETS_H */
