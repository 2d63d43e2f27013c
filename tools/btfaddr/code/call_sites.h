/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_CALL_SITES_H
#define BTFADDR_CALL_SITES_H

#include "elf/elf_file.h"

/* A direct call of a function, or a jump to it. */
struct call_site {
	u64 addr, next; /* of the instruction, and of the next one */
	u64 caller;	/* address of the last function symbol up to @addr, 0 if none */
	u64 target;	/* address of the called function */
	bool jump;	/* it is a jump, so the function returns to the caller's caller */
};

struct call_sites {
	struct call_site *sites;
	size_t nr;
};

/**
 * call_sites_find() - find who calls some functions
 * @targets: its keys are the addresses of the functions
 * @nr_threads: number of threads to use, at most
 * @ret: in order of address; free @ret->sites
 *
 * Looks for bytes that may be a call, then decodes the code from the start of the function to see
 * whether an instruction begins there.
 *
 * Return: 0, or -1 after an error message.
 */
int call_sites_find(const struct elf_file *file, const struct u64map *targets, u32 nr_threads,
		    struct call_sites *ret);

#endif
