/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_LOCATION_H
#define BTFADDR_LOCATION_H

#include "dwarf/dwarf_die.h"

struct arch;

#define MAX_PIECES 8

/* Where a parameter is when the function is entered, as far as DWARF tells. */
enum loc_kind {
	LOC_NONE,  /* nowhere: no location, a constant, an entry value only */
	LOC_LATE,  /* only from some later instruction on */
	LOC_REGS,  /* in argument registers (argument N is N), whole or in pieces */
	LOC_STACK, /* among the arguments that the caller put on the stack */
	LOC_HOME,  /* in the function's own frame: it exists, but was moved */
	LOC_ODD,   /* in a place that no argument arrives in */
	LOC_BAD,   /* cannot be read */
};

/**
 * struct loc - location of a parameter at entry
 * @pieces: for LOC_REGS: bytes [off, off + size) are in register reg; a size of 0 means all
 * @ref: for LOC_REGS: the register has the address of the parameter
 * @saved: for LOC_ODD: registers that C functions save: see struct arch.saved
 * @everywhere: it isn't a list, but one place for the whole function
 * @stack_off: for LOC_STACK: distance from the first stack argument, in bytes
 * @by_sp/@by_fp: for LOC_HOME and LOC_LATE: it is in memory, at @sp_off from rsp, or from the
 *	frame pointer, if only the code tells where that is
 * @homed: likewise, @below bytes below rsp at entry
 * @words: LOC_HOME: for each word, what the code stores there first, see stack_use.homes; 0 if that
 *	isn't known
 */
struct loc {
	enum loc_kind kind;
	u32 nr_pieces;
	struct {
		u32 off, size;
		u8 reg;
	} pieces[MAX_PIECES];
	u32 saved;
	bool ref, everywhere;
	u32 stack_off;
	bool by_sp, by_fp;
	int64_t sp_off;
	bool homed;
	int64_t below;
	u8 words[2];
};

/**
 * loc_at_entry() - find out where a parameter is at entry
 * @func: concrete DIE of the function, for its frame base
 * @arch: of its code
 * @param: DIE that may have DW_AT_location
 * @entry: address of the function's first instruction
 * @entry_end: end of the first instructions, which leave argument registers alone
 */
void loc_at_entry(Dwarf_Die *func, const struct arch *arch, Dwarf_Die *param, u64 entry,
		  u64 entry_end, struct loc *ret);

/* The DWARF register that an operation names, -1 if it names none. */
int loc_op_reg(const Dwarf_Op *op);

/* Does an operation end a piece of a value? How many bytes has the piece? */
bool loc_op_is_piece(const Dwarf_Op *op);
u32 loc_op_piece_size(const Dwarf_Op *op);

/* DW_OP_breg0 to DW_OP_breg31 */
bool loc_op_is_breg(const Dwarf_Op *op);

#endif
