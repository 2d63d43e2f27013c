/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_STACK_H
#define BTFADDR_STACK_H

#include "code/livein.h"

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
