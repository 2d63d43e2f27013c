/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_RETURNS_H
#define BTFADDR_RETURNS_H

#include "code/insn.h"
#include "funcs/funcs.h"

/* Registers that a value of @size bytes is returned in; a larger one in memory, see rax. */
static inline u32 return_regs(u64 size)
{
	return REG_RAX | (size > 8 && size <= 16 ? REG_RDX : 0);
}

/* Ask the callers of functions whether these return what the source says, or nothing. */
void settle_returns(struct funcs *funcs, const struct elf_file *file);

#endif
