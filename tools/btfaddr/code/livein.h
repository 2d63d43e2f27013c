/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_LIVEIN_H
#define BTFADDR_LIVEIN_H

#include "code/edges.h"
#include "code/insn.h"

/* A function that is called, or jumped to. */
struct callee {
	enum callee_kind kind;
	bool known; /* without a look at its code: its argument registers are the first @nr_regs */
	bool variadic; /* it may read more than these */
	bool format;   /* as many as the format says that the last one of these points to */
	bool noreturn; /* it never returns to its caller */
	u32 nr_regs;
	u32 target_reg; /* CALLEE_INDIRECT: that with the target, if it is in struct arch.all */
};

/**
 * struct livein_ops - what the code reader must be told
 * @edges: where execution goes on besides where instructions say
 * @callee: what is at @addr
 * @keeps_regs: do callers expect that a call through the pointer at address @pointer keeps all
 *	argument registers? (paravirt)
 */
struct livein_ops {
	const struct code_edges *edges;
	void (*callee)(void *ctx, u64 addr, struct callee *ret);
	bool (*keeps_regs)(void *ctx, u64 pointer);
	void *ctx;
};

/**
 * leaves_function() - does code that goes on at @next, right behind an instruction at @addr, run
 * into another function? If so, the instruction calls something that doesn't return.
 */
bool leaves_function(const struct elf_file *file, const struct livein_ops *ops, u64 addr, u64 next);

/**
 * struct reg_use - which registers some code uses, as far as that can be told
 * @reads: used for certain: an instruction on some path reads them before they are written
 * @doubts: may be used, by an indirect call or by code that isn't understood
 *
 * A register in doubt never counts as unused: ask may_use() whether a register is free. Only
 * @reads proves that there is an argument.
 */
struct reg_use {
	u32 reads, doubts;
};

static inline u32 may_use(const struct reg_use *use)
{
	return use->reads | use->doubts;
}

/* Is it in doubt whether some of @regs are used? */
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

/* Registers whose values some code uses. */
struct livein {
	struct reg_use use;
	u32 returned;	  /* they still have their value when the code returns, on some path */
	u64 pushed;	  /* address behind a push of one that isn't surely read, or 0 */
	u32 stack;	  /* bytes of arguments on the stack that it uses; see struct stack_use */
	u64 stack_words;  /* bit N: an instruction reads word N of these for certain */
	u64 stack_taken;  /* bit N: an instruction takes its address */
	bool stack_known; /* @stack is known */
};

/**
 * livein_regs() - find the registers whose values the code from @start on uses
 * @start: address of a function, or of what follows a call
 * @regs: the registers in question
 *
 * Follows all paths until the registers are written, and into called functions: passing a register
 * on is not using it.
 */
struct livein livein_regs(struct insn_decoder *dec, const struct elf_file *file, u64 start,
			  u32 regs, const struct livein_ops *ops);

/**
 * struct stack_use - what a function does with the stack
 * @bytes: of arguments there that it uses, up to the end of the last one, in units of 8
 * @words: bit N: it reads word N of these; bit 0 also if it takes the address of the first word
 * @taken: bit N: it takes the address of word N, which may be where the argument before it ends
 * @followed: all of the function was seen, and where its stack pointers are
 * @known: @bytes is certain: @followed, and no other use of arguments is possible
 * @homes: what the function stores in its frame first: distance below rsp at entry to 1 + the
 *	argument register, if that still has its argument, or to NOT_ARG
 * @fp: how far the frame pointer is below rsp at entry; INT64_MIN if it isn't set, or differs
 * @depths: maps how far rsp is below its value at entry to how many instructions have it there
 */
struct stack_use {
	u32 bytes;
	u64 words, taken;
	bool followed, known;
	int64_t fp;
	struct u64map depths, homes;
};

#define NOT_ARG (1 + MAX_ARG_REGS)

/* Look at the function at @entry; free @ret with stack_use_free(). */
void stack_use_read(struct insn_decoder *dec, const struct elf_file *file, u64 entry,
		    const struct livein_ops *ops, struct stack_use *ret);
void stack_use_free(struct stack_use *use);

/*
 * Turn DWARF's offset @off from the stack pointer into one from what that is at entry; INT64_MIN if
 * it isn't known. Arguments begin at struct arch.stack_args.
 *
 * LLVM's offsets are from where rsp is in most of the function, even in a prologue (which may be in
 * the function's middle), and while arguments are pushed for a call.
 */
int64_t stack_offset(const struct stack_use *use, int64_t off);

#endif
