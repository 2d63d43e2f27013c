/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_CALLEES_H
#define BTFADDR_CALLEES_H

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

#endif
