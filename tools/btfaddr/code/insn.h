/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_INSN_H
#define BTFADDR_INSN_H

#include "elf/elf_file.h"

/**
 * struct insn_bound - how large a register can be, at some place of a path
 * @reg: the register; 0 if none is known
 * @max: it is no more than that
 * @checked: the path has branched on the comparison
 *
 * This is how compilers check the index of a table of jumps:
 *
 *	cmp	$3,%rsi
 *	ja	1f
 *	jmp	*table(,%rsi,8)
 */
struct insn_bound {
	u32 reg;
	bool checked;
	u64 max;
};

/* Go on to what follows the instruction. If it branches, the other path has the old bound. */
void insn_bound_step(struct insn_bound *bound, const struct insn *insn);

/* Capstone, ready for use by one thread. */
struct insn_decoder {
	const struct arch *arch; /* of the code */
	size_t handle;		 /* csh */
	void *insn;		 /* cs_insn that is used for each */
};

/*
 * Without @details, the decoder is good for insn_len() only. Return: 0, or -1 after an error
 * message. Close it either way.
 */
int insn_decoder_open(struct insn_decoder *dec, const struct arch *arch, bool details);
void insn_decoder_close(struct insn_decoder *dec);

/**
 * insn_decode() - read one instruction
 * @code: its bytes and what follows, @len of them
 * @addr: its address
 *
 * Return: whether there is an instruction; @ret is set if so.
 */
bool insn_decode(struct insn_decoder *dec, const u8 *code, size_t len, u64 addr, struct insn *ret);

/* Read the instruction at an address. */
bool insn_read(struct insn_decoder *dec, const struct elf_file *file, u64 addr, struct insn *ret);

/* As insn_decode(), but returns only its length, 0 if there is none. */
u32 insn_len(struct insn_decoder *dec, const u8 *code, size_t len, u64 addr);

#endif
