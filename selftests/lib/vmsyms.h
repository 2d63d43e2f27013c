/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The symbol table of the running vmlinux: a second opinion, independent of BTF and DWARF, on a
 * function's address and source file. If several files have the same name, such as "core.c", the
 * compilation units in the DWARF of vmlinux tell them apart.
 */
#ifndef SELFTESTS_VMSYMS_H
#define SELFTESTS_VMSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

struct vmsym {
	__u64 offset; /* from _text */
	const char *name;
	const char *file; /* base name of the source; NULL for globals */
};

struct vmlinux;

/**
 * vmlinux__open() - Read the symbols of $VMLINUX, to be released with vmlinux__close().
 *
 * Return: 0, or a negative errno and a message in *@why.
 */
int vmlinux__open(struct vmlinux **ret, const char **why);

void vmlinux__close(struct vmlinux *v);

/** vmlinux__named() - All *@cnt functions of a name. Return: the first of them, or NULL. */
const struct vmsym *vmlinux__named(const struct vmlinux *v, const char *name, size_t *cnt);

/** vmlinux__elf() - The open file, for libdw. It belongs to @v. */
struct Elf *vmlinux__elf(const struct vmlinux *v);

/** vmlinux__at() - The function of this name at this offset, or NULL. */
const struct vmsym *vmlinux__at(const struct vmlinux *v, const char *name, __u64 offset);

struct vmunits;

/**
 * vmunits__open() - Read the units' names and where their code is.
 * @v: the file; to be closed after the result
 * @ret: to be released with vmunits__close()
 *
 * Return: 0; -ENOENT if there is no DWARF with code; another negative errno.
 */
int vmunits__open(const struct vmlinux *v, struct vmunits **ret);

void vmunits__close(struct vmunits *u);

/** vmunits__at() - The name (a path) of the unit that has code at an offset from _text, or NULL. */
const char *vmunits__at(const struct vmunits *u, __u64 offset);

/** path__ends() - Is @tail the path, or its last components? */
bool path__ends(const char *path, const char *tail);

#endif /* SELFTESTS_VMSYMS_H */
