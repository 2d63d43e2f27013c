// SPDX-License-Identifier: GPL-2.0
/*
 * DWARF location expressions of parameters, read for one purpose: which argument
 * register or stack slot of the System V x86-64 ABI has it at function entry.
 */
#include "dwarf/location.h"

/* DWARF register number to argument register. -1: not one. */
static int arg_reg(u64 dwarf_reg)
{
	switch (dwarf_reg) {
	case 5:
		return 0;	/* rdi */
	case 4:
		return 1;	/* rsi */
	case 1:
		return 2;	/* rdx */
	case 2:
		return 3;	/* rcx */
	case 8:
		return 4;	/* r8 */
	case 9:
		return 5;	/* r9 */
	default:
		return -1;
	}
}

static int op_reg(const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		return op->atom - DW_OP_reg0;
	return op->atom == DW_OP_regx ? (int)op->number : -1;
}

static bool match(const u8 *code, size_t len, const char *bytes, size_t nr)
{
	return len >= nr && !memcmp(code, bytes, nr);
}

/* Length of the instruction if it leaves argument registers alone, else 0. */
static size_t neutral_insn(const u8 *code, size_t len)
{
	if (match(code, len, "\xf3\x0f\x1e\xfa", 4))		/* endbr64 */
		return 4;
	if (match(code, len, "\x0f\x1f\x44\x00\x00", 5))	/* nop */
		return 5;
	if (len >= 1 && (code[0] & 0xf8) == 0x50)		/* push */
		return 1;
	if (len >= 2 && code[0] == 0x41 && (code[1] & 0xf8) == 0x50)
		return 2;
	if (match(code, len, "\x48\x89\xe5", 3))		/* mov %rsp,%rbp */
		return 3;
	if (len >= 4 && match(code, len, "\x48\x83\xec", 3))	/* sub $n,%rsp */
		return 4;
	if (len >= 7 && match(code, len, "\x48\x81\xec", 3))
		return 7;
	if (len >= 4 && match(code, len, "\x48\x83\xe4", 3))	/* and $n,%rsp */
		return 4;
	return 0;
}

size_t prologue_len(const u8 *code, size_t len)
{
	size_t off = 0, n;
	bool fentry = false;

	while (off < len) {
		n = neutral_insn(code + off, len - off);
		/* a call as the very first is ftrace's, which keeps all registers */
		if (!n && !fentry && code[off] == 0xe8 &&
		    (!off || (off == 4 && code[0] == 0xf3))) {
			fentry = true;
			n = 5;
		}
		if (!n)
			break;
		off += n;
	}
	return off < len ? off : len;
}

static void set_reg(struct loc *loc, u32 off, u32 size, int reg)
{
	int arg = arg_reg(reg);

	if (arg < 0 || loc->nr_pieces == MAX_PIECES) {
		loc->kind = LOC_ODD;
		return;
	}
	loc->pieces[loc->nr_pieces].off = off;
	loc->pieces[loc->nr_pieces].size = size;
	loc->pieces[loc->nr_pieces++].reg = arg;
	if (loc->kind != LOC_ODD)
		loc->kind = LOC_REGS;
}

/* Memory at an offset from the frame base: a stack argument, or the own frame. */
static void set_frame(struct loc *loc, Dwarf_Die *func, int64_t off)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t nr;

	loc->kind = LOC_HOME;
	if (!dwarf_attr_integrate(func, DW_AT_frame_base, &attr) ||
	    dwarf_getlocation(&attr, &ops, &nr) || nr != 1)
		return;
	if (ops[0].atom == DW_OP_reg6)		/* rbp; above it: rbp, return address */
		off -= 16;
	else if (ops[0].atom != DW_OP_call_frame_cfa)
		return;
	if (off < 0)
		return;
	loc->kind = LOC_STACK;
	loc->stack_off = off;
}

static bool is_piece(const Dwarf_Op *op)
{
	return op->atom == DW_OP_piece || op->atom == DW_OP_bit_piece;
}

static u32 piece_size(const Dwarf_Op *op)
{
	return op->atom == DW_OP_piece ? op->number : op->number / 8;
}

/* Pieces in registers are kept, others (constants, memory, nothing) passed by. */
static void read_pieces(struct loc *loc, const Dwarf_Op *ops, size_t nr)
{
	size_t i, start = 0;
	u32 off = 0;

	for (i = 0; i < nr; i++) {
		if (!is_piece(&ops[i]))
			continue;
		if (i == start + 1 && op_reg(&ops[start]) >= 0)
			set_reg(loc, off, piece_size(&ops[i]), op_reg(&ops[start]));
		off += piece_size(&ops[i]);
		start = i + 1;
	}
}

static void read_expr(struct loc *loc, Dwarf_Die *func, const Dwarf_Op *ops, size_t nr)
{
	size_t i;

	loc->kind = LOC_NONE;
	if (!nr)
		return;
	for (i = 0; i < nr; i++) {
		if (is_piece(&ops[i])) {
			read_pieces(loc, ops, nr);
			return;
		}
	}
	if (nr > 1)
		return;
	if (op_reg(&ops[0]) >= 0)
		set_reg(loc, 0, 0, op_reg(&ops[0]));
	else if (ops[0].atom == DW_OP_fbreg)
		set_frame(loc, func, ops[0].number);
	else if (ops[0].atom == DW_OP_breg6 || ops[0].atom == DW_OP_breg7)
		loc->kind = LOC_HOME;
	else if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31)
		loc->kind = LOC_ODD;
}

void loc_at_entry(Dwarf_Die *func, Dwarf_Die *param, u64 entry, u64 entry_end,
		  struct loc *ret)
{
	Dwarf_Addr base, start, end;
	u64 first = UINT64_MAX;
	Dwarf_Attribute attr;
	ptrdiff_t off = 0;
	Dwarf_Op *ops;
	size_t nr;

	memset(ret, 0, sizeof(*ret));
	if (!dwarf_attr(param, DW_AT_location, &attr))
		return;
	/* nothing is lower than the entry, and the rest of the list is long */
	while (first > entry &&
	       (off = dwarf_getlocations(&attr, off, &base, &start, &end, &ops, &nr)) > 0) {
		if (start > end || start >= first || (end <= entry && start != entry))
			continue;
		/*
		 * The lowest range counts; the cold part may come first. Of several
		 * that start at the entry the first does, be it empty: GCC lists in
		 * the order in which things happen at one address.
		 */
		first = start;
		memset(ret, 0, sizeof(*ret));
		if (start > entry_end)
			ret->kind = LOC_LATE;
		else
			read_expr(ret, func, ops, nr);
	}
	/*
	 * Lists are in order of address, so what cannot be read comes after what
	 * has been. GCC's DW_OP_GNU_uninit, which libdw does not know, does so.
	 */
	if (off < 0 && first == UINT64_MAX)
		ret->kind = LOC_BAD;
}
