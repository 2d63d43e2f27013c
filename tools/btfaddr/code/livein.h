/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_LIVEIN_H
#define BTFADDR_LIVEIN_H

#include "code/edges.h"
#include "code/insn.h"

/* What the code at the target of a call or jump is. */
enum callee_kind {
	CALLEE_NONE,		/* not the start of a function: a jump goes on there */
	CALLEE_C,		/* a function that follows the calling convention */
	CALLEE_ASM,		/* a function that may leave registers as they are */
	CALLEE_KEEPS,		/* saves all registers: ftrace's entry, some thunks */
	CALLEE_RETURN,		/* the thunk that stands for a ret instruction */
	CALLEE_INDIRECT,	/* a thunk that stands for an indirect jump */
	CALLEE_STATIC_CALL,	/* jumps to what is patched in */
	CALLEE_UNKNOWN,		/* a function whose code isn't here */
};

/**
 * struct callee - a function that is called, or jumped to
 * @known: its argument registers are known without a look at its code: the first @nr_regs
 * @variadic: it may read more than these
 * @target_reg: CALLEE_INDIRECT: the register that says where to, if it is one of ours
 */
struct callee {
	enum callee_kind kind;
	bool known;
	bool variadic;
	u32 nr_regs;
	u32 target_reg;
};

/**
 * struct livein_ops - what the code reader must be told
 * @edges: where code goes on besides where it says
 * @callee: what is at @addr
 * @keeps_regs: is what the pointer at address @pointer points to called as if it kept all
 *	argument registers? (paravirt)
 */
struct livein_ops {
	const struct code_edges *edges;
	void (*callee)(void *ctx, u64 addr, struct callee *ret);
	bool (*keeps_regs)(void *ctx, u64 pointer);
	void *ctx;
};

/**
 * struct livein - registers whose values some code uses
 * @reads: for certain: an instruction on some path does, before they are written
 * @doubts: the others that something that isn't understood, or an indirect call, may use
 * @returned: it comes to an end with these as they were
 * @stack: bytes of arguments on the stack that it uses; see struct stack_use
 * @stack_words: bit N: an instruction reads word N of these for certain
 * @stack_known: @stack is known
 */
struct livein {
	u32 reads;
	u32 doubts;
	u32 returned;
	u32 stack;
	u64 stack_words;
	bool stack_known;
};

/*
 * Registers that the code may use. What can't be told never counts as unused: who takes a
 * register for free asks this, and not @reads.
 */
static inline u32 may_use(const struct livein *code)
{
	return code->reads | code->doubts;
}

/**
 * livein_regs() - registers that the code from some place on uses the values of
 * @start: address of a function, or of what follows a call
 * @regs: the registers in question
 *
 * Follows all paths until the registers are written, also into the functions that are
 * called: to pass a register on is not to use it.
 */
struct livein livein_regs(struct insn_decoder *dec, const struct elf_file *file, u64 start,
			  u32 regs, const struct livein_ops *ops);

#endif
