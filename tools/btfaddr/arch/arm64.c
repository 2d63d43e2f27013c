// SPDX-License-Identifier: GPL-2.0-only
/*
 * arm64: the Procedure Call Standard for the Arm 64-bit Architecture (AAPCS64), and what
 * instructions do to the registers of arguments and results. capstone names the operands; which of
 * them an instruction writes follows from its kind: a load writes all registers in front of the
 * address, a store, comparison or branch writes none, and all others write the first one.
 */
#include <capstone/capstone.h>
#include <elf.h>

#include "arch/arch.h"

#define NR_ARGS	 8
#define ALL_REGS 0xff

static bool starts_with_any(const char *s, const char *const *prefixes)
{
	while (*prefixes && !starts_with(s, *prefixes))
		prefixes++;
	return *prefixes;
}

/* The bit of a general-purpose register, of which writing the lower half clears the upper one. */
static u32 reg_bit(unsigned int reg)
{
	if (reg >= ARM64_REG_X0 && reg <= ARM64_REG_X28)
		return 1u << (reg - ARM64_REG_X0);
	if (reg >= ARM64_REG_W0 && reg <= ARM64_REG_W30)
		return 1u << (reg - ARM64_REG_W0);
	if (reg == ARM64_REG_X29)
		return 1u << 29;
	return reg == ARM64_REG_X30 ? 1u << 30 : 0;
}

/* How many operands in front does the instruction write? */
static u32 nr_written(const char *name, const cs_arm64 *arm)
{
	static const char *const none[] = { "cmp",  "cmn",  "tst",  "ccm",  "cb",   "tb",
					    "b",    "ret",  "msr",  "prfm", "st",   "sys",
					    "dc",   "ic",   "at",   "tlbi", "hint", "fcmp",
					    "eret", "rmif", "setf", NULL };
	static const char *const first[] = { "bic", "bf", "bit", "bif", "bsl", "atomic", NULL };
	static const char *const status[] = { "stx", "stlx", NULL };
	u32 i;

	if (starts_with_any(name, status))
		return 1;
	/* of stores, those with two results don't exist */
	if (starts_with_any(name, none) && !starts_with_any(name, first))
		return 0;
	if (!starts_with(name, "ld"))
		return 1;
	for (i = 0; i < arm->op_count && arm->operands[i].type == ARM64_OP_REG; i++)
		;
	return i;
}

/* Atomic operations in memory: the registers that they read come before the one that they write. */
static bool is_atomic(const char *name)
{
	static const char *const names[] = { "ldadd",  "ldclr",	 "ldeor",  "ldset", "ldsmax",
					     "ldsmin", "ldumax", "ldumin", "swp",   NULL };

	return starts_with_any(name, names);
}

/* Does the instruction read its destination, too? */
static bool keeps_part(const char *name)
{
	static const char *const names[] = { "movk", "bf", "cas", "pac", "aut", "xpac", NULL };

	return starts_with_any(name, names);
}

static void read_registers(const cs_insn *insn, const cs_arm64 *arm, struct insn *ret)
{
	u32 written = nr_written(insn->mnemonic, arm), i;
	bool atomic = is_atomic(insn->mnemonic);

	if (starts_with(insn->mnemonic, "casp"))
		written = 2;
	for (i = 0; i < arm->op_count; i++) {
		const cs_arm64_op *op = &arm->operands[i];

		if (op->type == ARM64_OP_MEM) {
			ret->reads |= reg_bit(op->mem.base) | reg_bit(op->mem.index);
			if (arm->writeback)
				ret->writes |= reg_bit(op->mem.base);
		}
		if (op->type != ARM64_OP_REG)
			continue;
		if (atomic ? i == 1 : i < written)
			ret->writes |= reg_bit(op->reg);
		if (atomic ? i == 0 : i >= written || keeps_part(insn->mnemonic))
			ret->reads |= reg_bit(op->reg);
	}
	/* these hand registers to another system, and get results in x0 to x3 */
	if (insn->id == ARM64_INS_SVC || insn->id == ARM64_INS_HVC || insn->id == ARM64_INS_SMC) {
		ret->may_read = ALL_REGS;
		ret->writes |= 0xf;
	}
}

static void read_flow(const cs_insn *insn, const cs_arm64 *arm, struct insn *ret)
{
	static const char *const stops[] = { "brk", "hlt", "udf", NULL };
	static const char *const branches[] = { "b.", "cb", "tb", NULL };
	const char *name = insn->mnemonic;

	if (starts_with_any(name, stops))
		ret->flow = FLOW_STOP;
	else if (starts_with(name, "ret") || starts_with(name, "eret"))
		ret->flow = FLOW_RETURN;
	else if (starts_with(name, "blr"))
		ret->flow = FLOW_INDIRECT_CALL;
	else if (starts_with(name, "br"))
		ret->flow = FLOW_INDIRECT_JUMP;
	else if (!strcmp(name, "bl"))
		ret->flow = FLOW_CALL;
	else if (!strcmp(name, "b"))
		ret->flow = FLOW_JUMP;
	else if (starts_with_any(name, branches))
		ret->flow = FLOW_BRANCH;
	if (ret->flow == FLOW_CALL || ret->flow == FLOW_JUMP || ret->flow == FLOW_BRANCH)
		ret->target = arm->operands[arm->op_count - 1].imm;
}

static bool is_reg_op(const cs_arm64 *arm, u32 i, unsigned int reg)
{
	return arm->op_count > i && arm->operands[i].type == ARM64_OP_REG &&
	       arm->operands[i].reg == reg;
}

/* The constant that is added to the second operand, which it is copied or added from. */
static bool read_addend(const cs_insn *insn, const cs_arm64 *arm, int64_t *ret)
{
	const cs_arm64_op *op = &arm->operands[2];

	*ret = 0;
	if (insn->id == ARM64_INS_MOV && arm->op_count == 2)
		return true;
	if ((insn->id != ARM64_INS_ADD && insn->id != ARM64_INS_SUB) || arm->op_count != 3 ||
	    op->type != ARM64_OP_IMM)
		return false;
	*ret = op->imm << (op->shift.type == ARM64_SFT_LSL ? op->shift.value : 0);
	if (insn->id == ARM64_INS_SUB)
		*ret = -*ret;
	return true;
}

/* Instructions whose first operand is sp, x29, or a register that gets an address in the frame. */
static void read_stack_pointer(const cs_insn *insn, const cs_arm64 *arm, struct insn *ret)
{
	bool from_sp = is_reg_op(arm, 1, ARM64_REG_SP), from_fp = is_reg_op(arm, 1, ARM64_REG_X29);
	bool known = read_addend(insn, arm, &ret->sp_change);

	ret->bp_lost = ret->writes & 1u << 29;
	if (is_reg_op(arm, 0, ARM64_REG_SP) && nr_written(insn->mnemonic, arm)) {
		ret->sp = !known || !(from_sp || from_fp) ? SP_LOST :
			  from_sp			  ? SP_MOVED :
							    SP_FROM_BP;
	} else if (known && from_sp && is_reg_op(arm, 0, ARM64_REG_X29)) {
		ret->sp = SP_TO_BP;
		ret->bp_lost = false;
	} else if (known && (from_sp || from_fp)) {
		ret->is_lea = true;
		ret->mem = from_sp ? MEM_SP : MEM_BP;
		ret->disp = ret->sp_change;
	}
}

static u32 access_size(const char *name, const cs_arm64 *arm)
{
	u32 size = arm->operands[0].reg >= ARM64_REG_W0 && arm->operands[0].reg <= ARM64_REG_W30 ?
			   4 :
			   8;

	if (starts_with(name, "ldp") || starts_with(name, "stp"))
		return size * 2;
	return strchr(name, 'b') ? 1 : strchr(name, 'h') ? 2 : strstr(name, "sw") ? 4 : size;
}

static void read_memory(const cs_insn *insn, const cs_arm64 *arm, struct insn *ret)
{
	int64_t moved;
	u8 i;

	for (i = 0; i < arm->op_count && arm->operands[i].type != ARM64_OP_MEM; i++)
		;
	if (i == arm->op_count)
		return;
	ret->disp = arm->operands[i].mem.disp;
	ret->mem_size = access_size(insn->mnemonic, arm);
	ret->has_index = arm->operands[i].mem.index;
	ret->is_store = starts_with(insn->mnemonic, "st");
	if (ret->is_store)
		ret->stored = reg_bit(arm->operands[0].reg);
	ret->is_pair = starts_with(insn->mnemonic, "stp");
	if (ret->is_pair)
		ret->stored_next = reg_bit(arm->operands[1].reg);
	if (arm->operands[i].mem.base == ARM64_REG_SP)
		ret->mem = MEM_SP;
	else if (arm->operands[i].mem.base == ARM64_REG_X29)
		ret->mem = MEM_BP;
	else
		ret->base = reg_bit(arm->operands[i].mem.base);
	if (!arm->writeback)
		return;
	/* [sp, #n]! moves sp before the access, and [sp], #n behind it */
	moved = ret->disp;
	if (i + 1 < arm->op_count && arm->operands[i + 1].type == ARM64_OP_IMM) {
		moved = arm->operands[i + 1].imm;
		ret->disp = 0;
	}
	if (ret->mem == MEM_SP) {
		ret->sp = SP_MOVED;
		ret->sp_change = moved;
	}
}

static void decode(size_t handle, const void *cs_insn_, struct insn *ret)
{
	const cs_insn *insn = cs_insn_;
	const cs_arm64 *arm = &insn->detail->arm64;

	read_registers(insn, arm, ret);
	read_flow(insn, arm, ret);
	read_stack_pointer(insn, arm, ret);
	read_memory(insn, arm, ret);
}

static u32 word_at(const u8 *code)
{
	u32 word;

	memcpy(&word, code, sizeof(word));
	return word;
}

/* The signed field of @nr bits from bit @low on. */
static int64_t field(u32 word, u32 low, u32 nr)
{
	return (int64_t)((u64)word << (64 - low - nr)) >> (64 - nr);
}

/* By the last byte: b, bl; b.cond; cbz and cbnz; tbz and tbnz. */
static const u8 branch_lens[256] = {
	[0x14 ... 0x17] = 4, [0x94 ... 0x97] = 4, [0x54] = 4,
	[0x34 ... 0x37] = 4, [0xb4 ... 0xb7] = 4,
};

static u32 branch(const u8 *code, u64 left, int64_t *disp, bool *call)
{
	u32 word;

	if (left < sizeof(word))
		return 0;
	word = word_at(code);
	*call = word >> 26 == 0x25;
	if (*call || word >> 26 == 5)
		*disp = field(word, 0, 26) * 4;
	else if ((word >> 24 & 0x7e) == 0x36)
		*disp = field(word, 5, 14) * 4;
	else
		*disp = field(word, 5, 19) * 4;
	return sizeof(word);
}

/* Does it store registers above x18, which functions must keep, over sp? */
static bool saves_registers(u32 word)
{
	bool kept = (word >> 5 & 31) == 31 && (word & 31) > 18, pair_kept = (word >> 10 & 31) > 18;

	if ((word & 0xfec00000) == 0xa8800000 || (word & 0xff400000) == 0xa9000000)
		return kept && pair_kept; /* stp */
	return kept && ((word & 0xffe00c00) == 0xf8000c00 || (word & 0xffc00000) == 0xf9000000);
}

/* bti, paciasp, ftrace's nops, mov x9,x30; stp, str, sub $n,sp, add $n,sp,x29; the shadow stack */
static size_t prologue_len(const u8 *code, size_t len, bool *pushes)
{
	size_t off;
	u32 word;

	*pushes = false;
	for (off = 0; off + sizeof(word) <= len; off += sizeof(word)) {
		word = word_at(code + off);
		if ((word & 0xfffff01f) != 0xd503201f && word != 0xaa1e03e9 && word != 0xf800865e &&
		    (word & 0xff8003ff) != 0xd10003ff && (word & 0xff8003ff) != 0x910003fd &&
		    !saves_registers(word))
			break;
	}
	return off;
}

/*
 * bl and b; adr; or an address in two instructions, with none in between that may write the
 * register, which each has in its lowest bits:
 *
 *	adrp	x0, f
 *	add	x0, x0, :lo12:f
 */
static void references(const struct code_section *code, const struct u64map *functions,
		       const struct u64map *patched, struct references *ret)
{
	u64 pages[32] = {}, addr, base;
	int64_t off;
	u32 word;
	u64 i;

	for (i = 0; code->data && i + sizeof(word) <= code->size; i += sizeof(word)) {
		word = word_at(code->data + i);
		addr = code->addr + i;
		off = field(word, 5, 19) * 4 | (word >> 29 & 3);
		base = pages[word >> 5 & 31];
		pages[word & 31] = 0;
		if ((word >> 26 & 0x1f) == 5 && !u64map_get(patched, addr))
			reference_add(functions, addr + field(word, 0, 26) * 4, &ret->called);
		else if ((word & 0x9f000000) == 0x10000000)
			reference_add(functions, addr + off, &ret->taken);
		else if ((word & 0x9f000000) == 0x90000000)
			pages[word & 31] = (addr & ~0xfffull) + off * 4096;
		else if ((word & 0xffc00000) == 0x91000000 && base)
			reference_add(functions, base + (word >> 10 & 0xfff), &ret->taken);
	}
}

/**
 * struct reloc - a relocation of a field in an instruction
 * @low/@nr: the field's lowest bit, and how many bits it has
 * @shift: the value is shifted by that
 * @flags: PLACE: relative to the place; PAGE: to its page; CHECK: it must fit
 */
struct reloc {
	u32 type;
	u8 low, nr, shift, flags;
};

enum { PLACE = 1, PAGE = 2, CHECK = 4 };

/* "Static AArch64 relocations" in the ABI's ELF for the Arm 64-bit Architecture */
static const struct reloc relocs[] = {
	{ R_AARCH64_TSTBR14, 5, 14, 2, PLACE | CHECK },
	{ R_AARCH64_CONDBR19, 5, 19, 2, PLACE | CHECK },
	{ R_AARCH64_JUMP26, 0, 26, 2, PLACE | CHECK },
	{ R_AARCH64_CALL26, 0, 26, 2, PLACE | CHECK },
	{ R_AARCH64_LD_PREL_LO19, 5, 19, 2, PLACE | CHECK },
	{ R_AARCH64_ADD_ABS_LO12_NC, 10, 12, 0, 0 },
	{ R_AARCH64_LDST8_ABS_LO12_NC, 10, 12, 0, 0 },
	{ R_AARCH64_LDST16_ABS_LO12_NC, 10, 11, 1, 0 },
	{ R_AARCH64_LDST32_ABS_LO12_NC, 10, 10, 2, 0 },
	{ R_AARCH64_LDST64_ABS_LO12_NC, 10, 9, 3, 0 },
	{ R_AARCH64_LDST128_ABS_LO12_NC, 10, 8, 4, 0 },
	{ R_AARCH64_MOVW_UABS_G0, 5, 16, 0, 0 },
	{ R_AARCH64_MOVW_UABS_G0_NC, 5, 16, 0, 0 },
	{ R_AARCH64_MOVW_UABS_G1, 5, 16, 16, 0 },
	{ R_AARCH64_MOVW_UABS_G1_NC, 5, 16, 16, 0 },
	{ R_AARCH64_MOVW_UABS_G2, 5, 16, 32, 0 },
	{ R_AARCH64_MOVW_UABS_G2_NC, 5, 16, 32, 0 },
	{ R_AARCH64_MOVW_UABS_G3, 5, 16, 48, 0 },
};

static int set_field(u8 *p, int64_t value, u32 low, u32 nr)
{
	u32 mask = ((1u << nr) - 1) << low,
	    word = (word_at(p) & ~mask) | ((u32)value << low & mask);

	memcpy(p, &word, sizeof(word));
	return 0;
}

static int relocate_insn(u32 type, u64 value, u64 place, u8 *p)
{
	int64_t pages = (int64_t)((value & ~0xfffull) - (place & ~0xfffull)) / 4096, val;
	const struct reloc *r;

	if (type == R_AARCH64_ADR_PREL_LO21)
		pages = value - place;
	if (type == R_AARCH64_ADR_PREL_LO21 || type == R_AARCH64_ADR_PREL_PG_HI21 ||
	    type == R_AARCH64_ADR_PREL_PG_HI21_NC)
		return set_field(p, pages, 29, 2) ?: set_field(p, pages >> 2, 5, 19);
	for_each(r, relocs, ARRAY_SIZE(relocs)) {
		if (r->type != type)
			continue;
		val = (int64_t)(value - (r->flags & PLACE ? place : 0)) >> r->shift;
		if (r->flags & CHECK && field(val, 0, r->nr) != val)
			return -1;
		return set_field(p, val, r->low, r->nr);
	}
	return -1;
}

/* See apply_relocate_add() in arch/arm64/kernel/module.c. */
static int relocate(u32 type, u64 value, u64 place, u8 *p, u64 left)
{
	size_t size = 4;

	switch (type) {
	case R_AARCH64_NONE:
		return 0;
	case R_AARCH64_PREL64:
		value -= place;
		/* fallthrough */
	case R_AARCH64_ABS64:
		size = 8;
		break;
	case R_AARCH64_PREL32:
		value -= place;
		/* fallthrough */
	case R_AARCH64_ABS32:
		break;
	default:
		return left < size ? -1 : relocate_insn(type, value, place, p);
	}
	if (left < size)
		return -1;
	memcpy(p, &value, size);
	return 0;
}

/* brk $0x800 */
static bool is_trap(const u8 *code, size_t len)
{
	return len >= 4 && word_at(code) == 0xd4210000;
}

static u32 arg_bit(u32 reg)
{
	return reg < NR_ARGS ? 1u << reg : 0;
}

/*
 * See arch/arm64/include/asm/extable.h and asm-extable.h. Newer kernels have UACCESS_CPY before
 * LOAD_UNALIGNED_ZEROPAD; its data is 0 or 1, and its handler writes no register.
 */
static void fault(const u8 *entry, u32 *reads, u32 *writes)
{
	enum { UACCESS_ERR_ZERO = 2, KACCESS_ERR_ZERO, UACCESS_CPY, LOAD_UNALIGNED_ZEROPAD };
	u32 data = entry[10] | entry[11] << 8;

	switch (entry[8]) {
	case UACCESS_ERR_ZERO:
	case KACCESS_ERR_ZERO:
		*writes = arg_bit(data & 31) | arg_bit(data >> 5 & 31);
		break;
	case UACCESS_CPY:
		if (data <= 1)
			break;
		/* fallthrough */
	case LOAD_UNALIGNED_ZEROPAD:
		*writes = arg_bit(data & 31);
		*reads = arg_bit(data >> 5 & 31);
		break;
	}
}

/* ARM64_CB_BIT in arch/arm64/include/asm/alternative-macros.h */
static bool alt_by_function(const u8 *entry, u32 size)
{
	return entry[9] & 0x80;
}

/* The kernel has no thunks here, and ftrace's nops are no calls. */
static enum callee_kind kind_by_name(const char *name, u32 *target_reg)
{
	return CALLEE_UNKNOWN;
}

static const u8 dwarf_args[NR_ARGS] = { 0, 1, 2, 3, 4, 5, 6, 7 };
static const u8 dwarf_scratch[] = { 0xff };
static const u32 alt_sizes[] = { 12, 0 };

/*
 * ftrace patches two nops at a function's entry or, behind "bti c", at symbol+4; with
 * DYNAMIC_FTRACE_WITH_CALL_OPS its table has the two nops before the function.
 */
const struct arch arch_arm64 = {
	.name = "arm64",
	.machine = EM_AARCH64,
	.cs_arch = CS_ARCH_ARM64,
	.cs_mode = CS_MODE_LITTLE_ENDIAN,
	.nr_args = NR_ARGS,
	.args = ALL_REGS,
	.result = 1u << 0,
	.result_high = 1u << 1,
	.all = ALL_REGS,
	.kept = 0xfe00,
	.saved = 0x1ff80000,
	.by_reference = true,
	.even_pairs = true,
	.dwarf_args = dwarf_args,
	.dwarf_sp = 31,
	.dwarf_fp = 29,
	.nr_regs = 32,
	.fp_below_cfa = -1,
	.dwarf_scratch = dwarf_scratch,
	.dwarf_saved = 0x1ff80000,
	.insn_align = 4,
	.opcode_at = 3,
	.branch_lens = branch_lens,
	.sites = "__patchable_function_entries",
	.site_before = 8,
	.site_behind = 4,
	.dwarf_behind = 12,
	.nop = 0xd503201f,
	.landing_pad = 0xd503245f,
	.alt_sizes = alt_sizes,
	.record_reloc = R_AARCH64_PREL32,
	.relative_reloc = R_AARCH64_RELATIVE,
	.decode = decode,
	.branch = branch,
	.prologue_len = prologue_len,
	.references = references,
	.relocate = relocate,
	.is_trap = is_trap,
	.fault = fault,
	.alt_by_function = alt_by_function,
	.kind_by_name = kind_by_name,
};
