/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attaches to one function after another and reads the kernel's text before, meanwhile and
 * afterwards. The caller has to know functions' addresses from another source than BTF.
 */
#ifndef SELFTESTS_LOOK_H
#define SELFTESTS_LOOK_H

#include <stddef.h>
#include <linux/types.h>

#include "ksyms.h"

#define LOOK_PLACES 128 /* functions of one name that can be looked at */

enum look_outcome {
	LOOK_ATTACHED,
	LOOK_REFUSED, /* by the verifier, with a reason; not an error */
	LOOK_MISSED,  /* any other deviation */
};

/* A function in the file of the kernel. */
struct look_func {
	__u64 addr; /* in the running kernel */
	const char *name;
	const char *unit; /* its path as DWARF has it; NULL if there is none */
};

struct look;

/**
 * look__new() - Load the program that look__at() attaches, to be released with look__free().
 * @btf_syms: /proc/kallsyms_btf
 *
 * Return: 0 or a negative errno.
 */
int look__new(const struct ksyms *btf_syms, struct look **ret);

void look__free(struct look *l);

/**
 * look__at() - Attach to a function. Compare its text and that of others.
 * @sym: the function of vmlinux, in /proc/kallsyms_btf
 * @unit: the end of its unit's path, as BTF has it, or NULL
 * @funcs: all @cnt functions of this name; LOOK_PLACES at most are read
 *
 * Return: LOOK_ATTACHED if a call was at the only one of these that is of the unit, and at no other
 * one, until it was detached.
 */
enum look_outcome look__at(struct look *l, const struct ksym *sym, const char *unit,
			   const struct look_func *funcs, size_t cnt);

/** look__why() - Why the last function was refused or missed. */
const char *look__why(const struct look *l);

#endif /* SELFTESTS_LOOK_H */
