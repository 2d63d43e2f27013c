/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_REFERENCES_H
#define BTFADDR_REFERENCES_H

#include "elf/elf_file.h"

/**
 * struct references - what refers to functions, by their addresses
 * @taken: there are pointers to them, in data or in an instruction. In modules these are
 *	relocations, which aren't looked at.
 * @called: there are direct calls of them, or jumps to them, by compiled code
 */
struct references {
	struct u64map taken;
	struct u64map called;
};

/**
 * references_find() - find what refers to some functions
 * @functions: has the address of each
 * @patched: has the addresses of jumps that are patched at run time: they aren't compiled
 * @ret: free it with references_free()
 *
 * Instructions are known by their bytes, and not decoded from the start of a function on.
 */
void references_find(struct elf_file *file, const struct u64map *functions,
		     const struct u64map *patched, struct references *ret);
void references_free(struct references *refs);

#endif
