// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a parameter of an inlined function is at the function's first instruction.
 */
#include "arch/arch.h"
#include "dwarf/location.h"
#include "inline/format.h"
#include "inline/sites.h"

/*
 * Code that stores a parameter.
 */

static bool is_there(const struct insn *insn, bool by_sp, int64_t off, u32 size)
{
	enum insn_mem mem = by_sp ? MEM_SP : MEM_BP;

	return insn->mem == mem && !insn->has_index && insn->disp < off + (int64_t)size &&
	       off < insn->disp + (int64_t)insn->mem_size;
}

/* Is the place still the same after the instruction, and does the code go on there? */
static bool goes_on(const struct insn *insn, bool by_sp)
{
	if (by_sp ? insn->sp != SP_KEPT && insn->sp != SP_TO_BP : insn->bp_lost)
		return false;
	return insn->flow == FLOW_NEXT || insn->flow == FLOW_BRANCH || insn->flow == FLOW_CALL ||
	       insn->flow == FLOW_INDIRECT_CALL;
}

/*
 * Is a parameter not stored yet in the place that DWARF has for it?
 * @dec: opened when it is first needed
 * @addr: the instruction at which the parameter should be in the place
 * @end: where the place stops being valid, as DWARF says
 * @place: in memory, at an offset from the stack pointer or the frame pointer
 *
 * GCC moves instructions after it has noted where variables are: the one that stores a parameter
 * may come some time after the first instruction of the inlined function.
 *
 * Return: whether the place is written before it is read, in the order of addresses.
 */
static bool place_is_stored(struct insn_decoder *dec, const struct elf_file *file, u64 addr,
			    u64 end, const struct loc_param *place)
{
	u32 reg = place->vals[0];
	int64_t off = place->flags & LOC_OFFSET ? (int32_t)place->vals[1] : 0;
	bool by_sp = reg == file->arch->dwarf_sp;
	struct insn insn;

	if (!(place->flags & LOC_DEREF) || (!by_sp && reg != file->arch->dwarf_fp))
		return false;
	if (!dec->handle && insn_decoder_open(dec, file->arch, true))
		return true;
	for (; addr < end && insn_read(dec, file, addr, &insn); addr += insn.len) {
		if (is_there(&insn, by_sp, off, place->size))
			return insn.is_store;
		if (!goes_on(&insn, by_sp))
			break;
	}
	return false;
}

/**
 * struct value - the value of an expression, as far as it has been read
 * @kind: what the value is based on
 * @reg/@off: a register, and what is added to it
 * @val: a constant
 * @bits: how many low bits of the above belong to the value
 * @deref: the above is the address of the value
 */
struct value {
	enum { VALUE_REG, VALUE_CONST, VALUE_ADDR } kind;
	u32 reg;
	int64_t off;
	u64 val;
	u32 bits;
	bool deref;
};

static bool read_uleb(const u8 **p, const u8 *end, u64 *ret)
{
	u32 shift;

	*ret = 0;
	for (shift = 0; *p < end && shift < 64; shift += 7) {
		*ret |= (u64)(**p & 0x7f) << shift;
		if (!(*(*p)++ & 0x80))
			return true;
	}
	return false;
}

/* The views of a location list are pairs of numbers, in the order of its entries. */
struct views {
	const u8 *p, *end;
};

/* Is the point at or after @addr and @view? */
static bool is_from(const struct site_point *at, u64 addr, u64 view)
{
	return at->addr > addr || (at->addr == addr && at->view >= view);
}

/*
 * Find the expression that holds at the point. GCC's views number the states at one address, so an
 * entry may begin and end at one address.
 */
static bool find_entry(const struct site_point *at, Dwarf_Attribute *attr, u64 views_off,
		       Dwarf_Op **ops, size_t *nr, u64 *end_ret, bool *in_order_ret)
{
	Dwarf_Addr base, start, end;
	u64 first = 0, last = 0;
	struct views views = {};
	ptrdiff_t off = 0;

	if (at->view != NO_VIEWS && views_off < at->nr_views)
		views = (struct views){ at->views + views_off, at->views + at->nr_views };
	*in_order_ret = views.p;
	while ((off = dwarf_getlocations(attr, off, &base, &start, &end, ops, nr)) > 0) {
		if (views.p && (!read_uleb(&views.p, views.end, &first) ||
				!read_uleb(&views.p, views.end, &last)))
			return false;
		*end_ret = end;
		if (is_from(at, start, first) && !is_from(at, end, last))
			return true;
	}
	return false;
}

/* The frame base is mostly the CFA, and unwind tables know it for each instruction. */
static void read_cfa(struct site_point *at)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops;
	size_t nr;

	at->cfa = CFA_UNKNOWN;
	if (!at->cfi || dwarf_cfi_addrframe(at->cfi, at->addr, &frame))
		return;
	if (!dwarf_frame_cfa(frame, &ops, &nr) && nr == 1 && ops[0].atom == DW_OP_bregx &&
	    ops[0].number < at->file->arch->nr_regs) {
		at->cfa = CFA_KNOWN;
		at->cfa_reg = ops[0].number;
		at->cfa_off = ops[0].number2;
	}
	free(frame);
}

static bool frame_base(struct site_point *at, struct value *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t nr;
	int reg;

	if (!dwarf_attr_integrate(at->func, DW_AT_frame_base, &attr) ||
	    dwarf_getlocation(&attr, &ops, &nr) || nr != 1)
		return false;
	reg = loc_op_reg(&ops[0]);
	if (reg >= 0) {
		ret->reg = reg;
		return true;
	}
	if (ops[0].atom != DW_OP_call_frame_cfa)
		return false;
	if (at->cfa == CFA_UNREAD)
		read_cfa(at);
	ret->reg = at->cfa_reg;
	ret->off = at->cfa_off;
	return at->cfa == CFA_KNOWN;
}

static bool read_const(const Dwarf_Op *op, u64 *ret)
{
	switch (op->atom) {
	case DW_OP_lit0 ... DW_OP_lit31:
		*ret = op->atom - DW_OP_lit0;
		return true;
	case DW_OP_const1u ... DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		*ret = op->number;
		return true;
	default:
		return false;
	}
}

/* The operation that an expression begins with. */
static bool read_first(struct site_point *at, Dwarf_Attribute *attr, const Dwarf_Op *op,
		       struct value *ret)
{
	Dwarf_Attribute addr;

	*ret = (struct value){ .bits = 64 };
	if (loc_op_is_breg(op)) {
		ret->reg = op->atom - DW_OP_breg0;
		ret->off = op->number;
		return true;
	}
	if (op->atom == DW_OP_fbreg && frame_base(at, ret))
		return !__builtin_add_overflow(ret->off, (int64_t)op->number, &ret->off);
	ret->kind = VALUE_CONST;
	if (read_const(op, &ret->val))
		return true;
	ret->kind = VALUE_ADDR;
	ret->val = op->number;
	if (op->atom == DW_OP_addrx || op->atom == DW_OP_GNU_addr_index)
		return !dwarf_getlocation_attr(attr, op, &addr) &&
		       !dwarf_formaddr(&addr, &ret->val);
	return op->atom == DW_OP_addr;
}

/* Cut the upper bits off, or extend the lower ones. */
static bool keep_bits(struct value *val, u64 bits)
{
	if (bits < val->bits)
		val->bits = bits;
	return true;
}

/* Read operations that follow the first. Returns how many, or 0 if BTF can't state the result. */
static size_t read_next(Dwarf_Attribute *attr, const Dwarf_Op *op, size_t left, struct value *val)
{
	Dwarf_Die type;
	u64 num;

	if (val->deref || val->kind != VALUE_REG)
		return 0;
	switch (op->atom) {
	case DW_OP_plus_uconst:
		return val->bits == 64 &&
		       !__builtin_add_overflow(val->off, (int64_t)op->number, &val->off);
	case DW_OP_deref:
		val->deref = val->bits == 64;
		return val->deref;
	case DW_OP_convert:
	case DW_OP_GNU_convert:
		return op->number && !dwarf_getlocation_die(attr, op, &type) &&
		       keep_bits(val, die_udata(&type, DW_AT_byte_size, 0) * 8);
	default:
		if (left < 2 || !read_const(op, &num) || op[1].atom != DW_OP_and || !num ||
		    num & (num + 1))
			return 0;
		return keep_bits(val, num == UINT64_MAX ? 64 : __builtin_ctzll(num + 1)) ? 2 : 0;
	}
}

static void set(struct loc_param *ret, u32 size, u32 flags, u32 nr, u64 val)
{
	*ret = (struct loc_param){
		.size = size,
		.flags = flags,
		.nr = nr,
		.vals = { val, val >> 32 },
	};
}

/* A value of more than four bytes takes two words. */
static void set_const(struct loc_param *ret, const struct loc_type *type, u64 val)
{
	u32 flags = LOC_CONST | (type->is_signed ? LOC_SIGNED : 0);

	if (type->size > 8)
		return;
	if (type->size < 8)
		val &= (1ull << type->size * 8) - 1;
	set(ret, type->size, flags, type->size > 4 ? 2 : 1, val);
}

/* Kernel code leaves the registers of vectors, which have higher numbers, to programs. */
static void set_reg(struct loc_param *ret, const struct site_point *at, const struct loc_type *type,
		    const struct value *val)
{
	u32 flags = LOC_REG | (val->deref ? LOC_DEREF : 0);

	if (val->reg >= at->file->arch->nr_regs || val->off != (int32_t)val->off ||
	    (!val->deref && type->size * 8 > val->bits))
		return;
	if (val->off)
		flags |= LOC_OFFSET | (val->off < 0 ? LOC_SIGNED : 0);
	set(ret, type->size, flags, val->off ? 2 : 1, val->reg | (u64)val->off << 32);
}

/* KASLR moves addresses inside the image. Others stay, such as 6.12's per-CPU variables. */
static void set_addr(struct loc_param *ret, const struct site_point *at,
		     const struct loc_type *type, u64 addr)
{
	if (type->size == 8 && at->text && addr >= at->text)
		set(ret, 8, LOC_CONST | LOC_ADDR, 2, addr - at->text);
}

/* Two registers: the first has eight bytes, the second the rest. */
static void set_pair(struct loc_param *ret, const struct site_point *at,
		     const struct loc_type *type, const Dwarf_Op *ops, size_t nr)
{
	int nr_regs = at->file->arch->nr_regs;
	int low, high;

	if (nr != 4 || !loc_op_is_piece(&ops[1]) || !loc_op_is_piece(&ops[3]) || type->size <= 8 ||
	    loc_op_piece_size(&ops[1]) != 8 || loc_op_piece_size(&ops[3]) != type->size - 8)
		return;
	low = loc_op_reg(&ops[0]);
	high = loc_op_reg(&ops[2]);
	if (low >= 0 && low < nr_regs && high >= 0 && high < nr_regs)
		set(ret, type->size, LOC_REG, 2, low | (u64)high << 32);
}

static void set_implicit(struct loc_param *ret, const struct loc_type *type, Dwarf_Attribute *attr,
			 const Dwarf_Op *op)
{
	Dwarf_Block block;
	u64 val = 0;

	if (dwarf_getlocation_implicit_value(attr, op, &block) || block.length != type->size ||
	    block.length > sizeof(val))
		return;
	memcpy(&val, block.data, block.length);
	set_const(ret, type, val);
}

static void set_value(struct loc_param *ret, const struct site_point *at,
		      const struct loc_type *type, const struct value *val)
{
	/* a value that was read from memory has eight bytes */
	if (val->kind == VALUE_REG && !(val->deref && type->size > 8))
		set_reg(ret, at, type, val);
	else if (val->kind == VALUE_CONST)
		set_const(ret, type, val->val);
	else if (val->kind == VALUE_ADDR)
		set_addr(ret, at, type, val->val);
}

/* Turn the value of an expression into a LOC_PARAM. */
static void read_expr(struct site_point *at, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t nr,
		      const struct loc_type *type, struct loc_param *ret)
{
	bool computed = nr && ops[nr - 1].atom == DW_OP_stack_value;
	struct value val;
	size_t i, taken;

	if (!nr)
		return;
	if (nr == 1 && loc_op_reg(&ops[0]) >= 0) {
		val = (struct value){ .reg = loc_op_reg(&ops[0]), .bits = 64 };
		set_reg(ret, at, type, &val);
		return;
	}
	if (ops[0].atom == DW_OP_implicit_value && nr == 1) {
		set_implicit(ret, type, attr, &ops[0]);
		return;
	}
	set_pair(ret, at, type, ops, nr);
	if (!read_first(at, attr, &ops[0], &val))
		return;
	for (i = 1; i < nr - computed; i += taken) {
		taken = read_next(attr, &ops[i], nr - i, &val);
		if (!taken)
			return;
	}
	if (computed) {
		set_value(ret, at, type, &val);
	} else if (val.kind == VALUE_REG && !val.deref && val.bits == 64) {
		val.deref = true;
		set_reg(ret, at, type, &val);
	}
}

/*
 * If there is just one expression, it is for the whole inlined function. LLVM writes this only if
 * the parameter has its value from the first instruction on; but memory has an address before it
 * has the value. GCC doesn't say from where on the place, or a DW_AT_const_value, holds.
 */
static bool holds_throughout(const struct site_point *at, const struct loc_param *place)
{
	return !at->gcc && !(place->flags & LOC_DEREF);
}

static bool is_expression(Dwarf_Attribute *attr)
{
	switch (dwarf_whatform(attr)) {
	case DW_FORM_exprloc:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
	case DW_FORM_block:
		return true;
	default:
		return false;
	}
}

void place_read(struct site_point *at, Dwarf_Attribute *location, u64 views,
		const struct loc_type *type, struct loc_param *ret)
{
	bool in_order = false, holds = true;
	Dwarf_Op *ops;
	size_t nr;
	u64 end;

	memset(ret, 0, sizeof(*ret));
	if (!type->size || type->size > MAX_LOC_SIZE)
		return;
	if (is_expression(location)) {
		if (!dwarf_getlocation(location, &ops, &nr))
			read_expr(at, location, ops, nr, type, ret);
		holds = holds_throughout(at, ret);
	} else if (find_entry(at, location, views, &ops, &nr, &end, &in_order)) {
		read_expr(at, location, ops, nr, type, ret);
		holds = !place_is_stored(at->dec, at->file, at->addr, end, ret);
	}
	/*
	 * A function may give its parameter another value before its first instruction, for
	 * instance one that a register of its caller has already. Only the views of the place and
	 * of the entry tell which value was passed.
	 */
	if (!holds || !(in_order || type->is_const))
		memset(ret, 0, sizeof(*ret));
}
