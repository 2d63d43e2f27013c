/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_CALLEES_H
#define BTFADDR_CALLEES_H

#include "code/livein.h"
#include "funcs/funcs.h"

/* livein_regs() for code of @file, whose functions are @funcs. */
struct livein code_regs(struct insn_decoder *dec, struct funcs *funcs, const struct elf_file *file,
			u64 start, u32 regs);

/*
 * Arguments that the function at @entry uses, in registers and on the stack. Parameters that
 * DWARF has on the stack get their place there.
 */
struct livein code_args(struct insn_decoder *dec, struct funcs *funcs, const struct elf_file *file,
			u64 entry, struct source *src);

/* Is this the name of a static call's trampoline? */
static inline bool name_is_static_call(const char *name)
{
	return !strncmp(name, "__SCT__", 7);
}

/* List the static calls of a file; free with static_calls_free(). */
void static_calls_list(struct static_calls *calls, const struct elf_file *file);
void static_calls_free(struct static_calls *calls);

/* Number of the static call of this name, from 1 on; 0 if there is none. */
u32 static_calls_find(const struct static_calls *calls, const char *name);

/* The static call at an address, or NULL. */
const struct static_call *static_calls_at(const struct static_calls *calls, u64 addr);

/* Is this the first declaration of number @nr? Only the first counts. */
bool static_calls_claim(struct static_calls *calls, u32 nr);

/* Number @nr is declared by @die. */
void static_calls_declare(struct static_calls *calls, u32 nr, Dwarf_Die *die);

#endif
