// SPDX-License-Identifier: GPL-2.0-only
/*
 * What x86-64 instructions do to the registers of arguments and results. capstone knows
 * which registers each one reads and writes. This file adds idioms that don't do what they
 * say ("xor %eax,%eax" reads nothing), and where control goes.
 */
#include <capstone/capstone.h>
#include <pthread.h>

#include "code/insn.h"

/* 0f b9: capstone 5, which Debian 13 has, calls it as the manuals do. */
#if CS_API_MAJOR < 5
#define X86_INS_UD1 X86_INS_UD2B
#endif

/* What part of a register an instruction names: writing 32 bits clears the upper half. */
enum part { PART_WHOLE, PART_LOW, PART_HIGH };

/* The bit of a register; those behind REG_RAX are followed by struct insn_bound only. */
static u32 reg_bit(unsigned int reg, enum part *part)
{
	switch (reg) {
#define REG(nr, whole, half, word, byte) \
	case X86_REG_##whole:            \
	case X86_REG_##half:             \
		*part = PART_WHOLE;      \
		return 1u << (nr);       \
	case X86_REG_##word:             \
	case X86_REG_##byte:             \
		*part = PART_LOW;        \
		return 1u << (nr);
		REG(0, RDI, EDI, DI, DIL)
		REG(1, RSI, ESI, SI, SIL)
		REG(2, RDX, EDX, DX, DL)
		REG(3, RCX, ECX, CX, CL)
		REG(4, R8, R8D, R8W, R8B)
		REG(5, R9, R9D, R9W, R9B)
		REG(6, RAX, EAX, AX, AL)
		REG(8, RBX, EBX, BX, BL)
		REG(9, RBP, EBP, BP, BPL)
		REG(10, R10, R10D, R10W, R10B)
		REG(11, R11, R11D, R11W, R11B)
		REG(12, R12, R12D, R12W, R12B)
		REG(13, R13, R13D, R13W, R13B)
		REG(14, R14, R14D, R14W, R14B)
		REG(15, R15, R15D, R15W, R15B)
#undef REG
	case X86_REG_DH:
		*part = PART_HIGH;
		return REG_RDX;
	case X86_REG_CH:
		*part = PART_HIGH;
		return 1u << 3;
	case X86_REG_AH:
		*part = PART_HIGH;
		return REG_RAX;
	default:
		*part = PART_WHOLE;
		return 0;
	}
}

static void add_read(struct insn *ret, unsigned int reg)
{
	enum part part;
	u32 bit = reg_bit(reg, &part);

	/* a register that is also read as a whole isn't in reads_low */
	if (part == PART_LOW && !(ret->reads & ~ret->reads_low & bit))
		ret->reads_low |= bit;
	else
		ret->reads_low &= ~bit;
	ret->reads |= bit;
}

static void add_write(struct insn *ret, unsigned int reg)
{
	enum part part;
	u32 bit = reg_bit(reg, &part);

	if (bit && part == PART_WHOLE)
		ret->writes |= bit;
	else if (bit && part == PART_LOW)
		ret->writes_low |= bit;
}

static bool is_reg(const cs_x86_op *op)
{
	return op->type == X86_OP_REG;
}

/* Does the instruction set its destination to a value that doesn't depend on the old one? */
static bool is_load_idiom(const cs_insn *insn, const cs_x86 *x86)
{
	const cs_x86_op *op = x86->operands;

	if (x86->op_count != 2 || !is_reg(&op[0]))
		return false;
	switch (insn->id) {
	case X86_INS_XOR:
	case X86_INS_SUB:
	case X86_INS_SBB:
		return is_reg(&op[1]) && op[0].reg == op[1].reg;
	case X86_INS_AND:
		return op[1].type == X86_OP_IMM && !op[1].imm;
	case X86_INS_OR:
		/* capstone 4 has the immediate without its sign */
		return op[1].type == X86_OP_IMM &&
		       (u64)op[1].imm << (64 - 8 * op[0].size) == ~0ull << (64 - 8 * op[0].size);
	default:
		return false;
	}
}

/* May an instruction leave its destination as it is? capstone doesn't tell. */
static bool keeps_sometimes(const cs_insn *insn)
{
	return insn->id >= X86_INS_CMOVA && insn->id <= X86_INS_CMOVS;
}

/*
 * Does the instruction call another system, or another part of this one, with arguments in
 * registers by rules of its own? capstone says that some such instructions read no registers.
 */
static bool leaves_system(const cs_insn *insn)
{
	switch (insn->id) {
	case X86_INS_VMCALL:
	case X86_INS_VMMCALL:
	case X86_INS_VMFUNC:
	case X86_INS_VMLAUNCH:
	case X86_INS_VMRESUME:
	case X86_INS_VMRUN:
	case X86_INS_ENCLS:
	case X86_INS_ENCLU:
	case X86_INS_GETSEC:
	case X86_INS_INT:
	case X86_INS_SYSCALL:
	case X86_INS_SYSENTER:
		return true;
	default:
		return false;
	}
}

/* The registers that a source operand names. */
static void read_operand(struct insn *ret, const cs_x86_op *op)
{
	if (is_reg(op))
		add_read(ret, op->reg);
	if (op->type != X86_OP_MEM)
		return;
	add_read(ret, op->mem.base);
	add_read(ret, op->mem.index);
}

static void read_registers(csh handle, const cs_insn *insn, const cs_x86 *x86, struct insn *ret)
{
	u8 nr_reads = 0, nr_writes = 0, i;
	cs_regs reads, writes;

	if (insn->id == X86_INS_NOP)
		return;
	if (is_load_idiom(insn, x86)) {
		add_write(ret, x86->operands[0].reg);
		return;
	}
	if (cs_regs_access(handle, insn, reads, &nr_reads, writes, &nr_writes)) {
		ret->may_read = ALL_REGS;
		return;
	}
	for (i = 0; i < nr_reads; i++)
		add_read(ret, reads[i]);
	for (i = 0; i < nr_writes; i++)
		add_write(ret, writes[i]);
	/* their destination is undefined if the source is 0: code that keeps it has written it */
	if (insn->id == X86_INS_BSF || insn->id == X86_INS_BSR) {
		ret->reads = ret->reads_low = 0;
		read_operand(ret, &x86->operands[1]);
	}
	if (keeps_sometimes(insn) && is_reg(&x86->operands[0]))
		add_read(ret, x86->operands[0].reg);
	if (insn->id == X86_INS_XLATB)
		add_read(ret, X86_REG_AL);
	if (leaves_system(insn))
		ret->may_read = ALL_REGS;
}

/* The flow is @direct, or @indirect if the target is in a register or in memory. */
static void read_target(const cs_insn *insn, const cs_x86 *x86, enum insn_flow direct,
			enum insn_flow indirect, struct insn *ret)
{
	const cs_x86_op *op = &x86->operands[0];
	enum part part;

	if (op->type == X86_OP_IMM) {
		ret->flow = direct;
		ret->target = op->imm;
		return;
	}
	ret->flow = indirect;
	if (op->type == X86_OP_MEM && op->mem.base == X86_REG_RIP)
		ret->pointer = insn->address + insn->size + op->mem.disp;
	else if (op->type == X86_OP_MEM && !op->mem.base && !op->mem.index)
		ret->pointer = op->mem.disp;
	else if (op->type == X86_OP_MEM && !op->mem.base && op->mem.scale == 8) {
		ret->table = op->mem.disp;
		ret->index = reg_bit(op->mem.index, &part);
	}
}

/* What it tells of the number by which a table is read: see struct insn_bound. */
static void read_bound(const cs_insn *insn, const cs_x86 *x86, struct insn *ret)
{
	const cs_x86_op *to = &x86->operands[0], *from = &x86->operands[1];
	enum part part;

	ret->above = insn->id == X86_INS_JA;
	ret->keeps_flags = insn->id == X86_INS_MOV || insn->id == X86_INS_LEA;
	if (x86->op_count != 2 || !is_reg(to) || to->size < 4)
		return;
	if (from->type != X86_OP_IMM)
		return;
	ret->limit = from->imm;
	if (insn->id == X86_INS_MOV || insn->id == X86_INS_MOVABS)
		ret->loaded = reg_bit(to->reg, &part) & ARG_REGS;
	if (from->imm < 0)
		return;
	if (insn->id == X86_INS_CMP)
		ret->compared = reg_bit(to->reg, &part);
}

static void read_flow(csh handle, const cs_insn *insn, const cs_x86 *x86, struct insn *ret)
{
	switch (insn->id) {
	case X86_INS_JMP:
	case X86_INS_LJMP:
		read_target(insn, x86, FLOW_JUMP, FLOW_INDIRECT_JUMP, ret);
		return;
	case X86_INS_CALL:
	case X86_INS_LCALL:
		read_target(insn, x86, FLOW_CALL, FLOW_INDIRECT_CALL, ret);
		return;
	case X86_INS_RET:
	case X86_INS_RETF:
	case X86_INS_RETFQ:
	case X86_INS_IRET:
	case X86_INS_IRETD:
	case X86_INS_IRETQ:
	case X86_INS_SYSEXIT:
	case X86_INS_SYSRET:
		ret->flow = FLOW_RETURN;
		return;
	case X86_INS_UD0:
	case X86_INS_UD1:
	case X86_INS_UD2:
	case X86_INS_INT3:
		ret->flow = FLOW_STOP;
		return;
	default:
		if (cs_insn_group(handle, insn, CS_GRP_JUMP))
			read_target(insn, x86, FLOW_BRANCH, FLOW_INDIRECT_JUMP, ret);
	}
}

static bool is_reg_op(const cs_x86_op *op, unsigned int reg)
{
	return is_reg(op) && op->reg == reg;
}

/* Instructions whose first operand is rsp: "add", "sub", "lea", "mov", and others. */
static void change_sp(const cs_insn *insn, const cs_x86 *x86, struct insn *ret)
{
	const cs_x86_op *from = &x86->operands[1];

	ret->sp = SP_LOST;
	if ((insn->id == X86_INS_ADD || insn->id == X86_INS_SUB) && from->type == X86_OP_IMM) {
		ret->sp = SP_MOVED;
		ret->sp_change = insn->id == X86_INS_ADD ? from->imm : -from->imm;
	} else if (insn->id == X86_INS_LEA && !from->mem.index &&
		   (from->mem.base == X86_REG_RSP || from->mem.base == X86_REG_RBP)) {
		ret->sp = from->mem.base == X86_REG_RSP ? SP_MOVED : SP_FROM_BP;
		ret->sp_change = from->mem.disp;
	} else if (insn->id == X86_INS_MOV && is_reg_op(from, X86_REG_RBP)) {
		ret->sp = SP_FROM_BP;
	}
}

static void read_stack_pointer(const cs_insn *insn, const cs_x86 *x86, struct insn *ret)
{
	const cs_x86_op *to = &x86->operands[0];
	enum part part;

	switch (insn->id) {
	case X86_INS_PUSH:
		if (is_reg(to))
			ret->pushed = reg_bit(to->reg, &part);
		/* fallthrough */
	case X86_INS_PUSHFQ:
		ret->sp = SP_MOVED;
		ret->sp_change = -8;
		return;
	case X86_INS_POP:
		ret->pops = true;
		/* fallthrough */
	case X86_INS_POPFQ:
		ret->sp = SP_MOVED;
		ret->sp_change = 8;
		ret->bp_lost = is_reg_op(to, X86_REG_RBP);
		return;
	case X86_INS_LEAVE:
		ret->sp = SP_FROM_BP;
		ret->sp_change = 8;
		ret->bp_lost = true;
		return;
	case X86_INS_CMP:
	case X86_INS_TEST:
		return;
	}
	if (!x86->op_count)
		return;
	if (is_reg_op(to, X86_REG_RSP)) {
		change_sp(insn, x86, ret);
	} else if (insn->id == X86_INS_MOV && is_reg_op(to, X86_REG_RBP) &&
		   is_reg_op(&x86->operands[1], X86_REG_RSP)) {
		ret->sp = SP_TO_BP;
	} else {
		if (insn->id == X86_INS_MOV && is_reg_op(&x86->operands[1], X86_REG_RSP))
			ret->sp_copy = ret->writes;
		ret->bp_lost = is_reg_op(to, X86_REG_RBP) || is_reg_op(to, X86_REG_EBP);
	}
}

static void read_memory(const cs_insn *insn, const cs_x86 *x86, struct insn *ret)
{
	enum part part;
	u8 i;

	ret->is_lea = insn->id == X86_INS_LEA;
	for (i = 0; i < x86->op_count; i++) {
		const cs_x86_op *op = &x86->operands[i];

		if (op->type != X86_OP_MEM)
			continue;
		ret->disp = op->mem.disp;
		ret->mem_size = op->size;
		ret->has_index = op->mem.index;
		ret->is_store = op->access == CS_AC_WRITE;
		if (!i && insn->id == X86_INS_MOV && is_reg(&x86->operands[1]))
			ret->stored = reg_bit(x86->operands[1].reg, &part);
		if (op->mem.base == X86_REG_RSP)
			ret->mem = MEM_SP;
		else if (op->mem.base == X86_REG_RBP)
			ret->mem = MEM_BP;
		else
			ret->base = reg_bit(op->mem.base, &part);
	}
}

bool insn_decode(struct insn_decoder *dec, const u8 *code, size_t len, u64 addr, struct insn *ret)
{
	cs_insn *insn = dec->insn;

	memset(ret, 0, sizeof(*ret));
	if (!cs_disasm_iter(dec->handle, &code, &len, &addr, insn))
		return false;
	ret->len = insn->size;
	read_registers(dec->handle, insn, &insn->detail->x86, ret);
	read_flow(dec->handle, insn, &insn->detail->x86, ret);
	read_stack_pointer(insn, &insn->detail->x86, ret);
	read_memory(insn, &insn->detail->x86, ret);
	read_bound(insn, &insn->detail->x86, ret);
	return true;
}

void insn_bound_step(struct insn_bound *bound, const struct insn *insn)
{
	if (insn->flow == FLOW_BRANCH) {
		bound->checked |= insn->above;
		return;
	}
	if (insn->compared) {
		bound->reg = insn->compared;
		bound->max = insn->limit;
		bound->checked = false;
	} else if (!bound->checked && !insn->keeps_flags) {
		bound->reg = 0;
	} else {
		bound->reg &= ~(insn->writes | insn->writes_low);
	}
}

u32 insn_len(struct insn_decoder *dec, const u8 *code, size_t len, u64 addr)
{
	cs_insn *insn = dec->insn;

	return cs_disasm_iter(dec->handle, &code, &len, &addr, insn) ? insn->size : 0;
}

/*
 * capstone sorts a table that all handles share when it decodes its first instruction, and takes no
 * lock. If two threads sort it at once, it loses some of the registers that opcodes imply, for as
 * long as the program runs.
 */
static void sort_tables(struct insn_decoder *dec)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static const u8 nop = 0x90;

	pthread_mutex_lock(&lock);
	insn_len(dec, &nop, sizeof(nop), 0);
	pthread_mutex_unlock(&lock);
}

int insn_decoder_open(struct insn_decoder *dec, bool details)
{
	csh handle;

	memset(dec, 0, sizeof(*dec));
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle))
		return err("capstone: cannot decode x86-64 code");
	dec->handle = handle;
	/* in this order: cs_malloc() makes room for details only if they are on */
	if (details && cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON))
		return err("capstone: built without details of instructions");
	dec->insn = cs_malloc(handle);
	if (!dec->insn)
		return err("capstone: out of memory");
	sort_tables(dec);
	return 0;
}

void insn_decoder_close(struct insn_decoder *dec)
{
	csh handle = dec->handle;

	if (dec->insn)
		cs_free(dec->insn, 1);
	if (handle)
		cs_close(&handle);
	memset(dec, 0, sizeof(*dec));
}
