/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_LIVEIN_H
#define BTFADDR_LIVEIN_H

#include "code/edges.h"
#include "code/insn.h"

/* What the code at the target of a call or jump is. */
enum callee_kind {
	CALLEE_NONE,	    /* not the start of a function: a jump goes on there */
	CALLEE_C,	    /* a function that follows the calling convention */
	CALLEE_ASM,	    /* a function that may leave registers as they are */
	CALLEE_KEEPS,	    /* saves all registers: ftrace's entry, some thunks */
	CALLEE_RETURN,	    /* the thunk that stands for a ret instruction */
	CALLEE_INDIRECT,    /* a thunk that stands for an indirect jump */
	CALLEE_STATIC_CALL, /* jumps to what is patched in */
	CALLEE_UNKNOWN,	    /* a function whose code isn't here */
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
 * struct reg_use - which registers some code uses, as far as that can be told
 * @reads: for certain: an instruction on some path does, before they are written
 * @doubts: those that something that isn't understood, or an indirect call, may use
 *
 * What can't be told never counts as unused: who takes a register for free asks may_use(), and not
 * @reads. The other question, whether there is an argument, is for @reads alone.
 */
struct reg_use {
	u32 reads, doubts;
};

static inline u32 may_use(const struct reg_use *use)
{
	return use->reads | use->doubts;
}

/* Of @regs, some may be used or not. */
static inline bool is_in_doubt(const struct reg_use *use, u32 regs)
{
	return use->doubts & ~use->reads & regs;
}

/* Add what other code does with @regs. Returns whether @use has changed. */
static inline bool reg_use_add(struct reg_use *use, const struct reg_use *other, u32 regs)
{
	struct reg_use before = *use;

	use->reads |= other->reads & regs;
	use->doubts |= other->doubts & regs;
	return use->reads != before.reads || use->doubts != before.doubts;
}

/**
 * struct livein - registers whose values some code uses
 * @returned: it comes to an end with these as they were
 * @stack: bytes of arguments on the stack that it uses; see struct stack_use
 * @stack_words: bit N: an instruction reads word N of these for certain
 * @stack_known: @stack is known
 */
struct livein {
	struct reg_use use;
	u32 returned;
	u32 stack;
	u64 stack_words;
	bool stack_known;
};

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

/**
 * struct stack_use - what a function does with the stack
 * @bytes: of arguments there that it uses, up to the end of the last one, in units of 8
 * @words: bit N: it reads word N of these, or takes the address of the first one to do so
 * @followed: all of the function was seen, and where rsp is in it
 * @known: @bytes is certain: besides, it does nothing with the place that can't be followed
 * @depths: how far rsp is below its value at entry, by how many instructions
 */
struct stack_use {
	u32 bytes;
	u64 words;
	bool followed, known;
	struct u64map depths;
};

/* Look at the function at @entry; free @ret with stack_use_free(). */
void stack_use_read(struct insn_decoder *dec, const struct elf_file *file, u64 entry,
		    const struct livein_ops *ops, struct stack_use *ret);
void stack_use_free(struct stack_use *use);

/*
 * Where is what DWARF has @off from rsp: offset from the first argument on the stack; < 0 if
 * it isn't one, or that isn't known.
 *
 * LLVM counts from where rsp is in most of the function, also in the prologue, which may be
 * in its middle, and while arguments are pushed for a call.
 */
int64_t stack_arg_offset(const struct stack_use *use, int64_t off);

#endif
