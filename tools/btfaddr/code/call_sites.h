/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_CALL_SITES_H
#define BTFADDR_CALL_SITES_H

#include "elf/elf_file.h"

/**
 * struct call_site - a direct call of a function, or a jump to it
 * @addr: of the instruction
 * @next: of the one behind it
 * @caller: address of the function symbol that it is in or behind, 0 without
 * @target: what is called
 * @jump: the function returns to the caller's caller
 */
struct call_site {
	u64 addr, next;
	u64 caller;
	u64 target;
	bool jump;
};

struct call_sites {
	struct call_site *sites;
	size_t nr, cap;
};

/**
 * call_sites_find() - find who calls some functions
 * @targets: has the address of each
 * @nr_threads: to look on, at most
 * @ret: in order of address; free @ret->sites
 *
 * Looks for bytes that would be calls, and then from the start of the function on whether
 * there is an instruction.
 *
 * Return: 0, or -1 after an error message.
 */
int call_sites_find(const struct elf_file *file, const struct u64map *targets, u32 nr_threads,
		    struct call_sites *ret);

#endif
