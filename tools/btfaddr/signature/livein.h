/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BTFADDR_LIVEIN_H
#define BTFADDR_LIVEIN_H

#include "elf/elf_file.h"

/* Argument registers as a mask: bit 0 rdi, 1 rsi, 2 rdx, 3 rcx, 4 r8, 5 r9. */
#define ALL_ARG_REGS 0x3f

/* What the code at the target of a call or jump is. */
enum target_kind {
	TARGET_INSIDE,	/* not the start of a function: a jump goes on there */
	TARGET_CALL,	/* a function */
	TARGET_KEEPS,	/* ftrace's entry, which keeps all registers */
	TARGET_RETURN,	/* the thunk that stands for a ret instruction */
};

/**
 * struct livein - which argument registers a function uses the values of
 * @reads: for certain: on some path, before they are written
 * @doubts: perhaps, too
 */
struct livein {
	u32 reads;
	u32 doubts;
};

/**
 * struct livein_ops - what the code reader must be told about other functions
 * @target: for TARGET_CALL, sets the argument registers that the function reads for
 *	certain, and those that it may read
 */
struct livein_ops {
	enum target_kind (*target)(void *ctx, u64 addr, struct livein *ret);
	void *ctx;
};

/**
 * livein_regs() - argument registers that a function uses the values of
 * @entry: its address
 * @regs: the registers in question
 *
 * Follows all paths from @entry until a register is written. Whatever it doesn't
 * understand counts as a doubt.
 */
struct livein livein_regs(struct elf_file *file, u64 entry, u32 regs,
			  const struct livein_ops *ops);

#endif
