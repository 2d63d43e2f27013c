/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_RETURNS_H
#define BTFADDR_RETURNS_H

#include "code/insn.h"
#include "funcs/funcs.h"

/*
 * Registers that a value of @size bytes is returned in; of a larger one, which is in memory, rax
 * has the address (psABI 3.2.3, "Returning of Values").
 */
static inline u32 return_regs(u64 size)
{
	return REG_RAX | (size > 8 && size <= 16 ? REG_RDX : 0);
}

/* Ask the callers of functions whether these return what the source says, or nothing. */
void settle_returns(struct funcs *funcs, const struct elf_file *file);

#endif
