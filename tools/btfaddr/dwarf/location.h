/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BTFADDR_LOCATION_H
#define BTFADDR_LOCATION_H

#include "dwarf/dwarf_die.h"

#define NR_ARG_REGS 6	/* rdi rsi rdx rcx r8 r9, numbered 0 to 5 here */
#define MAX_PIECES 8

/* Where a parameter is when the function is entered, as far as DWARF tells. */
enum loc_kind {
	LOC_NONE,	/* nowhere: no location, a constant, an entry value only */
	LOC_LATE,	/* only from some later instruction on */
	LOC_REGS,	/* in argument registers, whole or in pieces */
	LOC_STACK,	/* among the arguments that the caller put on the stack */
	LOC_HOME,	/* in the function's own frame: it exists, but was moved */
	LOC_ODD,	/* in a place that no argument arrives in */
	LOC_BAD,	/* cannot be read */
};

/**
 * struct loc - location of a parameter at entry
 * @pieces: LOC_REGS: bytes [off, off + size) are in register reg; size 0: all
 * @stack_off: LOC_STACK: from the first stack argument, in bytes
 */
struct loc {
	enum loc_kind kind;
	u32 nr_pieces;
	struct {
		u32 off, size;
		u8 reg;
	} pieces[MAX_PIECES];
	u32 stack_off;
};

/**
 * loc_at_entry() - find out where a parameter is at entry
 * @func: concrete DIE of the function, for its frame base
 * @param: DIE that may have DW_AT_location
 * @entry: address of the function's first instruction
 * @entry_end: end of what runs first without touching argument registers
 */
void loc_at_entry(Dwarf_Die *func, Dwarf_Die *param, u64 entry, u64 entry_end,
		  struct loc *ret);

/**
 * prologue_len() - length of the code that no argument register notices
 * @code: first bytes of a function
 *
 * endbr64, the call or nop of ftrace, push, mov %rsp,%rbp, sub $n,%rsp. Compilers
 * may let a location list begin behind these.
 */
size_t prologue_len(const u8 *code, size_t len);

#endif
