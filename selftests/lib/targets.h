/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of vmlinux by the name in their source, whatever suffix the compiler gave
 * them.
 */
#ifndef SELFTESTS_TARGETS_H
#define SELFTESTS_TARGETS_H

#include <stdbool.h>

#include "ksyms.h"
#include "libfentry.h"
#include "vmunits.h"

/** targets__in_kernel() - Is there code of its own, or was it inlined everywhere? */
bool targets__in_kernel(const struct ksyms *syms, const char *name);

/**
 * targets__find() - The one function of a name.
 * @idx: the index
 * @syms: /proc/kallsyms
 * @units: the units of the kernel's DWARF; may be NULL without @unit
 * @name: with a suffix or without
 * @unit: the end of its compilation unit's path, or NULL. It is DWARF's: BTF has none
 *	where ThinLTO's suffixes made the name unique.
 *
 * Return: NULL if there is none, or more than one.
 */
const struct fentry_target *
targets__find(const struct fentry_index *idx, const struct ksyms *syms,
	      const struct vmunits *units, const char *name, const char *unit);

#endif /* SELFTESTS_TARGETS_H */
