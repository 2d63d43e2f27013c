// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading DWARF location expressions of parameters, to find out which argument register or stack
 * slot has the parameter at function entry.
 */
#include "arch/arch.h"
#include "dwarf/location.h"

int loc_op_reg(const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		return op->atom - DW_OP_reg0;
	return op->atom == DW_OP_regx ? (int)op->number : -1;
}

static void set_reg(struct loc *loc, const struct arch *arch, u32 off, u32 size, int reg)
{
	int arg = arch_arg_reg(arch, reg);

	if (arg < 0 || loc->nr_pieces == MAX_PIECES) {
		loc->kind = LOC_ODD;
		loc->saved |= arch_saved_bit(arch, reg);
		return;
	}
	loc->pieces[loc->nr_pieces].off = off;
	loc->pieces[loc->nr_pieces].size = size;
	loc->pieces[loc->nr_pieces++].reg = arg;
	if (loc->kind != LOC_ODD)
		loc->kind = LOC_REGS;
}

static void set_sp(struct loc *loc, int64_t off)
{
	loc->by_sp = true;
	loc->sp_off = off;
}

/* Memory at an offset from the CFA, which is where arguments on the stack begin. */
static void set_cfa(struct loc *loc, const struct arch *arch, int64_t off)
{
	loc->homed = off < 0;
	if (loc->homed) {
		loc->below = -off - arch->stack_args;
	} else {
		loc->kind = LOC_STACK;
		loc->stack_off = off;
	}
}

/* Memory at an offset from the frame base: an argument on the stack, or a place in the frame. */
static void set_frame(struct loc *loc, const struct arch *arch, Dwarf_Die *func, int64_t off)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t nr;
	int reg;

	loc->kind = LOC_HOME;
	if (!dwarf_attr_integrate(func, DW_AT_frame_base, &attr) ||
	    dwarf_getlocation(&attr, &ops, &nr))
		return;
	/* LLVM's, where rsp moves: DW_OP_call_frame_cfa, DW_OP_consts <distance>, DW_OP_plus */
	if (nr == 3 && ops[0].atom == DW_OP_call_frame_cfa && ops[1].atom == DW_OP_consts &&
	    ops[2].atom == DW_OP_plus)
		off += (int64_t)ops[1].number;
	else if (nr != 1)
		return;
	reg = loc_op_reg(&ops[0]);
	if (ops[0].atom == DW_OP_call_frame_cfa) {
		set_cfa(loc, arch, off);
	} else if (reg == arch->dwarf_sp) {
		set_sp(loc, off);
	} else if (reg == arch->dwarf_fp && arch->fp_below_cfa >= 0) {
		set_cfa(loc, arch, off - arch->fp_below_cfa);
	} else if (reg == arch->dwarf_fp) {
		loc->by_fp = true;
		loc->sp_off = off;
	}
}

bool loc_op_is_piece(const Dwarf_Op *op)
{
	return op->atom == DW_OP_piece || op->atom == DW_OP_bit_piece;
}

u32 loc_op_piece_size(const Dwarf_Op *op)
{
	return op->atom == DW_OP_piece ? op->number : op->number / 8;
}

/* Only pieces in registers count, and not those that are constants, in memory, or nowhere. */
static void read_pieces(struct loc *loc, const struct arch *arch, const Dwarf_Op *ops, size_t nr)
{
	size_t i, start = 0;
	u32 off = 0;

	for (i = 0; i < nr; i++) {
		if (!loc_op_is_piece(&ops[i]))
			continue;
		if (i == start + 1 && loc_op_reg(&ops[start]) >= 0)
			set_reg(loc, arch, off, loc_op_piece_size(&ops[i]),
				loc_op_reg(&ops[start]));
		off += loc_op_piece_size(&ops[i]);
		start = i + 1;
	}
}

/*
 * Does the expression only take the upper bits off a register? That is how clang 19 says where a
 * bool is, and LLVM where any narrow integer is: by a mask, by shifts that clear or extend, or by
 * conversions.
 */
static bool is_narrowed(const Dwarf_Op *ops, size_t nr)
{
	size_t i;

	if (nr < 2 || ops[0].number || ops[nr - 1].atom != DW_OP_stack_value)
		return false;
	for (i = 1; i < nr - 1; i++) {
		switch (ops[i].atom) {
		case DW_OP_lit0 ... DW_OP_lit31:
		case DW_OP_const1u ... DW_OP_const8u:
		case DW_OP_constu:
		case DW_OP_and:
		case DW_OP_shl:
		case DW_OP_shr:
		case DW_OP_shra:
		case DW_OP_convert:
		case DW_OP_GNU_convert:
			break;
		default:
			return false;
		}
	}
	return true;
}

bool loc_op_is_breg(const Dwarf_Op *op)
{
	return op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31;
}

static void read_expr(struct loc *loc, const struct arch *arch, Dwarf_Die *func,
		      const Dwarf_Op *ops, size_t nr)
{
	bool by_sp;
	size_t i;

	loc->kind = LOC_NONE;
	if (!nr)
		return;
	for (i = 0; i < nr; i++) {
		if (loc_op_is_piece(&ops[i])) {
			read_pieces(loc, arch, ops, nr);
			return;
		}
	}
	if (loc_op_is_breg(&ops[0]) && is_narrowed(ops, nr)) {
		set_reg(loc, arch, 0, 0, ops[0].atom - DW_OP_breg0);
		return;
	}
	if (nr > 1)
		return;
	by_sp = ops[0].atom == DW_OP_breg0 + arch->dwarf_sp;
	if (loc_op_reg(&ops[0]) >= 0)
		set_reg(loc, arch, 0, 0, loc_op_reg(&ops[0]));
	else if (ops[0].atom == DW_OP_fbreg)
		set_frame(loc, arch, func, ops[0].number);
	else if (by_sp || ops[0].atom == DW_OP_breg0 + arch->dwarf_fp)
		loc->kind = LOC_HOME;
	else if (loc_op_is_breg(&ops[0]) && !ops[0].number && arch->by_reference) {
		set_reg(loc, arch, 0, 0, ops[0].atom - DW_OP_breg0);
		loc->ref = true;
	} else if (loc_op_is_breg(&ops[0]))
		loc->kind = LOC_ODD;
	if (by_sp)
		set_sp(loc, ops[0].number);
}

void loc_at_entry(Dwarf_Die *func, const struct arch *arch, Dwarf_Die *param, u64 entry,
		  u64 entry_end, struct loc *ret)
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
	/* nothing is lower than the entry, and the rest of the list may be long */
	while (first > entry &&
	       (off = dwarf_getlocations(&attr, off, &base, &start, &end, &ops, &nr)) > 0) {
		if (start > end || start >= first || (end <= entry && start != entry))
			continue;
		/*
		 * The lowest range counts; that of the cold part may come first. Of several ranges
		 * that start at the entry the first counts, even if it is empty: GCC lists them in
		 * the order in which things happen at one address.
		 */
		first = start;
		memset(ret, 0, sizeof(*ret));
		read_expr(ret, arch, func, ops, nr);
		ret->everywhere = end == (Dwarf_Addr)-1;
		/* a value in memory may have been there since the function's entry */
		if (start > entry_end) {
			ret->kind = LOC_LATE;
			ret->nr_pieces = 0;
		}
	}
	/*
	 * Lists are in order of address, so what cannot be read comes after what has been
	 * read. GCC's DW_OP_GNU_uninit, which libdw does not know, is such a thing.
	 */
	if (off < 0 && first == UINT64_MAX)
		ret->kind = LOC_BAD;
}
