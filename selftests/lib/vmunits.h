/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The compilation units of the vmlinux that is running, or of a module, by its DWARF: what the
 * symbol table can't say is which of several "core.c" a function is from.
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
 * vmunits__of() - The same of other DWARF.
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

/** path__ends() - Is @path, or a tail of it that begins with a component, @tail? */
bool path__ends(const char *path, const char *tail);

/** vmunits__is() - Does the path of the unit that has code at @offset end with @tail? */
bool vmunits__is(const struct vmunits *u, __u64 offset, const char *tail);

#endif /* SELFTESTS_VMUNITS_H */
