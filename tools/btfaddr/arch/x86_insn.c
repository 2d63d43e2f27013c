// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86-64: what instructions do to the registers of arguments and results. capstone knows which
 * registers each one reads and writes. This file adds idioms that don't do what they say
 * ("xor %eax,%eax" reads nothing), and where control goes.
 */
#include <capstone/capstone.h>

#include "arch/x86.h"

/* Capstone 5, which Debian 13 has, calls 0f b9 as the manuals do, and knows more instructions. */
#if CS_API_MAJOR < 5
#define X86_INS_UD1	 X86_INS_UD2B
#define X86_INS_SYSRETQ	 (-1)
#define X86_INS_WBNOINVD (-2)
#define X86_INS_TPAUSE	 (-3)
#define X86_INS_UMWAIT	 (-4)
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

/* Does an instruction use the old value of its destination, or keep it? capstone doesn't tell. */
static bool uses_destination(const cs_insn *insn)
{
	return (insn->id >= X86_INS_CMOVA && insn->id <= X86_INS_CMOVS) ||
	       insn->id == X86_INS_ADOX || insn->id == X86_INS_CMPXCHG ||
	       insn->id == X86_INS_SHLD || insn->id == X86_INS_SHRD;
}

/* Does an instruction without operands neither read nor write a register that is followed here? */
static bool uses_nothing(const cs_insn *insn)
{
	switch (insn->id) {
	case X86_INS_CLGI:
	case X86_INS_CLI:
	case X86_INS_EMMS:
	case X86_INS_ENDBR32:
	case X86_INS_ENDBR64:
	case X86_INS_HLT:
	case X86_INS_INT3:
	case X86_INS_IRETQ:
	case X86_INS_LFENCE:
	case X86_INS_MFENCE:
	case X86_INS_PAUSE:
	case X86_INS_RETF:
	case X86_INS_RETFQ:
	case X86_INS_SFENCE:
	case X86_INS_STGI:
	case X86_INS_STI:
	case X86_INS_SWAPGS:
	case X86_INS_SYSEXIT:
	case X86_INS_SYSRET:
	case X86_INS_SYSRETQ:
	case X86_INS_UD0:
	case X86_INS_UD1:
	case X86_INS_UD2:
	case X86_INS_WAIT:
	case X86_INS_WBINVD:
	case X86_INS_WBNOINVD:
	case X86_INS_XLATB:
		return true;
	default:
		return false;
	}
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

/*
 * What capstone doesn't say of an instruction: how it uses a register that it names or, if it names
 * none, which ones it uses.
 */
static void read_undescribed(const cs_insn *insn, const cs_x86 *x86, bool described,
			     struct insn *ret)
{
	enum part part;
	u32 bit;
	u8 i;

	for (i = 0; i < x86->op_count; i++) {
		if (!is_reg(&x86->operands[i]) || x86->operands[i].access)
			continue;
		bit = reg_bit(x86->operands[i].reg, &part);
		ret->may_read |= bit;
		ret->writes |= bit;
	}
	if (!described && !x86->op_count && !uses_nothing(insn))
		ret->may_read = ALL_REGS;
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
	/* capstone 5 says of some that they don't read the register, capstone 4 that they write al */
	if (insn->id == X86_INS_TEST) {
		read_operand(ret, &x86->operands[0]);
		read_operand(ret, &x86->operands[1]);
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
	if (uses_destination(insn) && is_reg(&x86->operands[0]))
		add_read(ret, x86->operands[0].reg);
	if (insn->id == X86_INS_SHLD || insn->id == X86_INS_SHRD)
		add_read(ret, x86->operands[1].reg);
	else
		read_undescribed(insn, x86, nr_reads || nr_writes, ret);
	/* capstone takes the number of a field for a destination */
	if (insn->id == X86_INS_VMWRITE) {
		ret->writes = ret->writes_low = 0;
		read_operand(ret, &x86->operands[0]);
	}
	/* capstone doesn't know that these count */
	if (insn->id == X86_INS_XSHA1 || insn->id == X86_INS_XSHA256) {
		add_read(ret, X86_REG_RCX);
		add_write(ret, X86_REG_RCX);
	}
	if (insn->id == X86_INS_XLATB)
		add_read(ret, X86_REG_AL);
	if ((int)insn->id == X86_INS_TPAUSE || (int)insn->id == X86_INS_UMWAIT) {
		add_read(ret, X86_REG_EDX);
		add_read(ret, X86_REG_EAX);
	}
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
	case X86_INS_SYSEXIT:
	case X86_INS_SYSRET:
	case X86_INS_SYSRETQ:
		ret->flow = FLOW_RETURN;
		return;
	case X86_INS_UD0:
	case X86_INS_UD1:
	case X86_INS_UD2:
	case X86_INS_INT3:
		ret->flow = FLOW_STOP;
		return;
	case X86_INS_LOOP:
	case X86_INS_LOOPE:
	case X86_INS_LOOPNE:
		read_target(insn, x86, FLOW_BRANCH, FLOW_INDIRECT_JUMP, ret);
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
	case X86_INS_IRETQ:
		/* in C it is sync_core(), which goes on behind it, with rsp as before its pushes */
		ret->sp = SP_MOVED;
		ret->sp_change = 40;
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

void x86_decode(size_t handle, const void *cs_insn_, struct insn *ret)
{
	const cs_insn *insn = cs_insn_;
	const cs_x86 *x86 = &insn->detail->x86;

	read_registers(handle, insn, x86, ret);
	read_flow(handle, insn, x86, ret);
	read_stack_pointer(insn, x86, ret);
	read_memory(insn, x86, ret);
	read_bound(insn, x86, ret);
}
