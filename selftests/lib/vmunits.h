/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The compilation units of the vmlinux that is running, or of a module, by its DWARF. The symbol
 * table can't say from which of several files "core.c" a function is.
 */
#ifndef SELFTESTS_VMUNITS_H
#define SELFTESTS_VMUNITS_H

#include <stdbool.h>

#include "vmsyms.h"

struct Dwarf;
struct vmunits;

/**
 * vmunits__open() - Read the units' names and where their code is.
 * @v: the file; to be closed after the result
 * @ret: to be released with vmunits__close()
 *
 * Return: 0; -ENOENT if the file has no DWARF; another negative errno.
 */
int vmunits__open(const struct vmlinux *v, struct vmunits **ret);

/**
 * vmunits__of() - As vmunits__open(), with other DWARF.
 * @dwarf: to be closed after the result
 * @text: the address in there that offsets count from
 * @ret: to be released with vmunits__close()
 *
 * Return: 0; -ENOENT if it has no code; another negative errno.
 */
int vmunits__of(struct Dwarf *dwarf, __u64 text, struct vmunits **ret);

void vmunits__close(struct vmunits *u);

/**
 * vmunits__at() - The name (a path) of the unit that has code at an offset.
 * @u: the units
 * @offset: from _text
 *
 * Return: NULL if no unit has.
 */
const char *vmunits__at(const struct vmunits *u, __u64 offset);

/** path__ends() - Is @tail the path, or its last components? */
bool path__ends(const char *path, const char *tail);

/** vmunits__is() - Does the path of the unit that has code at @offset end with @tail? */
bool vmunits__is(const struct vmunits *u, __u64 offset, const char *tail);

#endif /* SELFTESTS_VMUNITS_H */
