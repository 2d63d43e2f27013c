/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BTFADDR_FUNCS_H
#define BTFADDR_FUNCS_H

#include "cu_path.h"
#include "elf_file.h"
#include "signature.h"

/**
 * struct func - one function: a symbol name at an address of resident text
 * @sym: its symbol
 * @die: DIE of the code there; .addr NULL if there is none
 * @cc: who compiled it
 * @unit: number of its compilation unit in struct funcs.cus
 * @reason: why it can't be described, REASON_NONE if it can
 * @sig: its signature, if so
 * @proto: BTF id of its prototype, set when it is written
 * @id: BTF id of its FUNC, 0 if it has none
 */
struct func {
	const struct elf_sym *sym;
	Dwarf_Die die;
	struct compiler cc;
	u32 unit;
	enum reason reason;
	struct signature *sig;
	u32 proto;
	u32 id;
};

/**
 * struct funcs - all of them, sorted by name, then address
 * @dw: DWARF, closed by funcs_free(); @funcs' DIEs are of it
 * @by_addr: address to index of the first func there + 1; see @next_at
 * @next_at: index to index + 1 of another func at the same address (an alias)
 */
struct funcs {
	Dwarf *dw;
	struct func *funcs;
	u32 nr;
	struct cu_paths cus;
	struct u64map by_addr;
	u32 *next_at;
};

/**
 * funcs_collect() - list the functions of a file and establish their signatures
 * @file: must outlive @funcs
 *
 * Return: 0, or -1 after an error message; free with funcs_free() either way.
 */
int funcs_collect(struct funcs *funcs, struct elf_file *file);
void funcs_free(struct funcs *funcs);

#endif
