/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of a module that is loaded: a second opinion on where its functions are, by the symbol
 * table and the places where the kernel has put the sections. DWARF says which unit each is of.
 */
#ifndef SELFTESTS_KOFILE_H
#define SELFTESTS_KOFILE_H

#include <stddef.h>
#include <linux/types.h>

struct kofunc {
	__u64 addr; /* in the running kernel */
	const char *name;
	const char *unit; /* its path as DWARF has it; NULL if there is none */
};

struct kofile;

/**
 * kofile__open() - Read the functions of a module that is loaded.
 * @module: its name; the file, with symbols and DWARF, is $MODULES/<name>.ko
 * @ret: to be released with kofile__close()
 * @why: a message if it fails
 *
 * Return: 0; -ESTALE if the file isn't that of the module; another negative errno.
 */
int kofile__open(const char *module, struct kofile **ret, const char **why);

void kofile__close(struct kofile *k);

/** kofile__named() - All functions of a name; NULL if there is none. */
const struct kofunc *kofile__named(const struct kofile *k, const char *name, size_t *cnt);

#endif /* SELFTESTS_KOFILE_H */
