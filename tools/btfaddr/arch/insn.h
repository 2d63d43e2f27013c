/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_ARCH_INSN_H
#define BTFADDR_ARCH_INSN_H

#include "util.h"

/*
 * Registers are masks, in which bit N is argument N. struct arch says how many of these there are,
 * and which registers have results. Other bits are followed by struct insn_bound only.
 */
#define MAX_ARG_REGS 8

/* Where control goes from an instruction. */
enum insn_flow {
	FLOW_NEXT,	    /* to the next one */
	FLOW_BRANCH,	    /* to the next one, or to @target */
	FLOW_JUMP,	    /* to @target */
	FLOW_CALL,	    /* to @target, and then to the next one */
	FLOW_INDIRECT_JUMP, /* to where a register or memory says */
	FLOW_INDIRECT_CALL,
	FLOW_RETURN, /* back to the caller */
	FLOW_STOP,   /* nowhere: the kernel traps here */
};

/* What it does to the stack pointer: x86's rsp, or sp. The frame pointer is rbp, or x29. */
enum insn_sp {
	SP_KEPT,
	SP_MOVED,   /* added @sp_change to it */
	SP_TO_BP,   /* copied it, plus @sp_change, to rbp */
	SP_FROM_BP, /* made it rbp plus @sp_change */
	SP_LOST,    /* something else */
};

/* The base register of its memory operand. */
enum insn_mem { MEM_OTHER, MEM_SP, MEM_BP };

/**
 * struct insn - what an instruction does, as far as it matters here
 * @len: in bytes
 * @reads: registers whose value it uses
 * @reads_low: registers in @reads of which it uses only the lowest 8 or 16 bits
 * @may_read: registers whose value it may or may not use: a hypercall hands them to another system
 * @writes: registers that it overwrites as a whole
 * @writes_low: registers of which it overwrites only the lowest bits
 * @flow: where control goes
 * @target: see @flow
 * @sp: what it does to rsp
 * @bp_lost: it writes something else to rbp
 * @mem: its memory operand is @disp from rsp or rbp, and has @mem_size bytes
 * @base: if that isn't so, the register that the operand is @disp from, or 0
 * @has_index: an index register is added to the operand's address
 * @is_lea: it only takes the operand's address
 * @is_store: it writes the operand, and doesn't read it
 * @stored: the register that a mov writes to memory
 * @is_pair: it writes another one, @stored_next, to the second half of the operand
 * @pushed: the register that it pushes; it is in @reads, too
 * @sp_copy: the register that it copies rsp to
 * @pops: it is a pop
 * @pointer: address of the memory that an indirect call or jump takes its target from;
 *	0 if it isn't at a fixed address
 * @table: address of the table that a jump takes its target from, by the register @index; else 0
 * @compared: it compares this register, of 32 or 64 bits, with the constant @limit
 * @loaded: it sets this argument register to the constant @limit
 * @keeps_flags: what was compared before can still be branched on
 * @above: it branches if what was compared is more than the constant
 */
struct insn {
	u32 len;
	u32 reads, reads_low;
	u32 may_read;
	u32 writes, writes_low;
	enum insn_flow flow;
	u64 target;
	u64 pointer;
	u64 table;
	u32 index, compared, loaded;
	u64 limit;
	bool keeps_flags, above;
	enum insn_sp sp;
	int64_t sp_change;
	bool bp_lost;
	enum insn_mem mem;
	int64_t disp;
	u32 mem_size;
	bool is_lea, is_store, is_pair;
	u32 base, stored, stored_next, pushed, sp_copy;
	bool pops;
	bool has_index;
};

#endif
