// SPDX-License-Identifier: GPL-2.0
/*
 * Which argument registers does a function use? For functions whose DWARF leaves
 * it open whether something is passed in place of a parameter that is gone.
 */
#include <asm/insn.h>

#include "signature/livein.h"

#define MAX_INSNS 20000

/**
 * struct effect - what an instruction does, as to argument registers
 * @reads: uses the value of
 * @doubts: may use the value of
 * @writes: overwrites all 64 bits of
 * @next: control goes on at the next instruction
 * @branch: control may go to @target
 * @call: the branch is a call
 */
struct effect {
	u32 reads;
	u32 doubts;
	u32 writes;
	bool next;
	bool branch;
	bool call;
	u64 target;
};

/* Hardware register number to bit; 0 if no argument is passed there. */
static u32 reg_bit(unsigned int reg)
{
	static const u8 bits[16] = {
		[7] = 1 << 0, [6] = 1 << 1, [2] = 1 << 2, [1] = 1 << 3, [8] = 1 << 4, [9] = 1 << 5,
	};

	return bits[reg & 15];
}

#define RCX reg_bit(1)
#define RDX reg_bit(2)

/* Operands of an instruction with a ModRM byte. */
struct operands {
	u32 reg;	/* bit of ModRM.reg's register */
	u32 rm;		/* bit of ModRM.rm's register; of a memory operand 0 */
	u32 mem;	/* bits of the registers that make its address */
	unsigned int ext;	/* ModRM.reg as a number */
	bool is_reg;	/* rm is a register */
};

static void read_operands(struct insn *insn, struct operands *op)
{
	u8 modrm = insn->modrm.bytes[0], sib = insn->sib.bytes[0];
	u8 rex = insn->rex_prefix.nbytes ? insn->rex_prefix.bytes[0] : 0;
	unsigned int base = X86_MODRM_RM(modrm), mod = X86_MODRM_MOD(modrm);

	memset(op, 0, sizeof(*op));
	op->ext = X86_MODRM_REG(modrm);
	op->reg = reg_bit(op->ext + (X86_REX_R(rex) ? 8 : 0));
	if (mod == 3) {
		op->is_reg = true;
		op->rm = reg_bit(base + (X86_REX_B(rex) ? 8 : 0));
		return;
	}
	if (base == 4) {
		unsigned int index = X86_SIB_INDEX(sib) + (X86_REX_X(rex) ? 8 : 0);

		if (index != 4)
			op->mem |= reg_bit(index);
		base = X86_SIB_BASE(sib);
	}
	if (base != 5 || mod)
		op->mem |= reg_bit(base + (X86_REX_B(rex) ? 8 : 0));
}

/* Register that the low bits of an opcode name. */
static u32 opcode_reg(struct insn *insn, u8 opcode)
{
	u8 rex = insn->rex_prefix.nbytes ? insn->rex_prefix.bytes[0] : 0;

	return reg_bit((opcode & 7) + (X86_REX_B(rex) ? 8 : 0));
}

/* A destination of 4 or 8 bytes is overwritten as a whole; what is left of a smaller
 * one may be used, or not.
 */
static void write_reg(struct effect *e, struct insn *insn, u32 reg)
{
	if (insn->opnd_bytes >= 4)
		e->writes |= reg;
	else
		e->doubts |= reg;
}

static void set_branch(struct effect *e, struct insn *insn, u64 addr, bool next)
{
	e->branch = true;
	e->next = next;
	e->target = addr + insn->length + (int64_t)insn->immediate.value;
}

/* mul and div, and what shares their opcode. */
static void group3(struct effect *e, const struct operands *op)
{
	e->reads = op->rm | op->mem;
	if (op->ext >= 6)
		e->reads |= RDX;
	else if (op->ext >= 4)
		e->writes = RDX;
}

/* inc, dec, push; calls and jumps through a register or memory are unknown. */
static void group5(struct effect *e, const struct operands *op)
{
	e->reads = op->rm | op->mem;
	if (op->ext > 1 && op->ext != 6)
		e->doubts = ALL_ARG_REGS;
}

static void alu(struct effect *e, struct insn *insn, u8 opcode, const struct operands *op)
{
	/* xor, sub and sbb of a register and itself: what it was doesn't matter */
	bool clears = opcode == 0x31 || opcode == 0x33 || opcode == 0x29 || opcode == 0x2b ||
		      opcode == 0x19 || opcode == 0x1b;

	if ((opcode & 7) > 3)
		return;		/* al or eax, and a constant */
	if (clears && op->is_reg && op->reg == op->rm && op->reg)
		write_reg(e, insn, op->reg);
	else
		e->reads = op->reg | op->rm | op->mem;
}

/* ALU with a constant; or with -1 and and with 0 are ways to load it. */
static void alu_const(struct effect *e, struct insn *insn, const struct operands *op)
{
	bool loads = (op->ext == 1 && insn->immediate.value == -1) ||
		     (op->ext == 4 && insn->immediate.value == 0);

	e->reads = op->mem;
	if (loads && op->is_reg)
		e->doubts = op->rm;
	else
		e->reads |= op->rm;
}

static void mov(struct effect *e, struct insn *insn, u8 opcode, const struct operands *op)
{
	switch (opcode) {
	case 0x88:
		e->reads = op->reg | op->mem;
		e->doubts = op->rm;
		break;
	case 0x89:
		e->reads = op->reg | op->mem;
		write_reg(e, insn, op->rm);
		break;
	case 0x8a:
		e->reads = op->rm | op->mem;
		e->doubts = op->reg;
		break;
	case 0x8b:
	case 0x63:
	case 0x69:
	case 0x6b:
		e->reads = op->rm | op->mem;
		write_reg(e, insn, op->reg);
		break;
	case 0x8d:
		e->reads = op->mem;
		write_reg(e, insn, op->reg);
		break;
	case 0xc6:
		e->reads = op->mem;
		e->doubts = op->rm;
		break;
	case 0xc7:
		e->reads = op->mem;
		write_reg(e, insn, op->rm);
		break;
	}
}

static void one_byte(struct effect *e, struct insn *insn, u64 addr)
{
	u8 opcode = insn->opcode.bytes[0];
	struct operands op;

	read_operands(insn, &op);
	switch (opcode) {
	case 0x00 ... 0x3f:
		alu(e, insn, opcode, &op);
		break;
	case 0x50 ... 0x57:
		e->reads = opcode_reg(insn, opcode);
		break;
	case 0x58 ... 0x5f:
	case 0xb8 ... 0xbf:
		write_reg(e, insn, opcode_reg(insn, opcode));
		break;
	case 0x70 ... 0x7f:
		set_branch(e, insn, addr, true);
		break;
	case 0x80 ... 0x83:
		alu_const(e, insn, &op);
		break;
	case 0x84 ... 0x87:
		e->reads = op.reg | op.rm | op.mem;
		break;
	case 0xc0 ... 0xc1:
	case 0xd0 ... 0xd1:
	case 0xfe:
		e->reads = op.rm | op.mem;
		break;
	case 0xd2 ... 0xd3:
		e->reads = op.rm | op.mem | RCX;
		break;
	case 0x63:
	case 0x69:
	case 0x6b:
	case 0x88 ... 0x8b:
	case 0x8d:
	case 0xc6 ... 0xc7:
		mov(e, insn, opcode, &op);
		break;
	case 0x68:
	case 0x6a:
	case 0x90:
	case 0x98:
	case 0xa8 ... 0xa9:
	case 0xc9:
		break;
	case 0xb0 ... 0xb7:
		e->doubts = opcode_reg(insn, opcode);
		break;
	case 0x99:
		e->writes = RDX;
		break;
	case 0xc3:
	case 0xcc:
		e->next = false;
		break;
	case 0xe8:
		set_branch(e, insn, addr, true);
		e->call = true;
		break;
	case 0xe9:
	case 0xeb:
		set_branch(e, insn, addr, false);
		break;
	case 0xf6 ... 0xf7:
		group3(e, &op);
		break;
	case 0xff:
		group5(e, &op);
		break;
	default:
		e->doubts = ALL_ARG_REGS;
	}
}

static void two_byte(struct effect *e, struct insn *insn, u64 addr)
{
	u8 opcode = insn->opcode.bytes[1];
	struct operands op;

	read_operands(insn, &op);
	switch (opcode) {
	case 0x0b:	/* ud2 */
	case 0xb9:
		e->next = false;
		break;
	case 0x1e ... 0x1f:	/* endbr64, nop */
		break;
	case 0x31:	/* rdtsc */
		e->writes = RDX;
		break;
	case 0x80 ... 0x8f:
		set_branch(e, insn, addr, true);
		break;
	case 0x0d:	/* prefetch */
	case 0x18:
	case 0xba:	/* bt and its like, with a constant */
		e->reads = op.rm | op.mem;
		break;
	case 0x90 ... 0x9f:	/* setcc */
		e->reads = op.mem;
		e->doubts = op.rm;
		break;
	case 0xbc ... 0xbd:	/* bsf, bsr: may leave the destination as it is */
		e->reads = op.rm | op.mem;
		e->doubts = op.reg;
		break;
	case 0x40 ... 0x4f:	/* cmov */
	case 0xa3:	/* bt, bts, imul, cmpxchg, xadd */
	case 0xab:
	case 0xaf ... 0xb1:
	case 0xb3:
	case 0xbb:
	case 0xc0 ... 0xc1:
		e->reads = op.reg | op.rm | op.mem;
		break;
	case 0xb6 ... 0xb7:	/* movzx, movsx */
	case 0xbe ... 0xbf:
		e->reads = op.rm | op.mem;
		write_reg(e, insn, op.reg);
		break;
	default:
		e->doubts = ALL_ARG_REGS;
	}
}

static void read_effect(struct insn *insn, u64 addr, struct effect *e)
{
	memset(e, 0, sizeof(*e));
	e->next = true;
	if (insn->vex_prefix.nbytes || insn->addr_bytes != 8)
		e->doubts = ALL_ARG_REGS;
	else if (insn->opcode.nbytes == 1)
		one_byte(e, insn, addr);
	else if (insn->opcode.nbytes == 2)
		two_byte(e, insn, addr);
	else
		e->doubts = ALL_ARG_REGS;
}

/**
 * struct walk - instructions still to be looked at
 * @todo: addresses, with the registers not yet written there
 * @seen: address to the registers it was looked at with, + 1
 * @found: registers used so far
 */
struct walk {
	struct elf_file *file;
	const struct livein_ops *ops;
	struct {
		u64 addr;
		u32 regs;
	} *todo;
	size_t nr, cap;
	struct u64map seen;
	struct livein found;
};

static void push(struct walk *w, u64 addr, u32 regs)
{
	u32 seen = u64map_get(&w->seen, addr);

	if (seen)
		seen--;
	if (!(regs & ~seen))
		return;
	u64map_set(&w->seen, addr, (regs | seen) + 1);
	GROW(w->todo, w->nr, w->cap);
	w->todo[w->nr].addr = addr;
	w->todo[w->nr++].regs = regs;
}

/* Returns the registers that the code after the branch may still want. */
static u32 follow_branch(struct walk *w, const struct effect *e, u32 regs)
{
	struct livein callee = { .doubts = ALL_ARG_REGS };

	switch (w->ops->target(w->ops->ctx, e->target, &callee)) {
	case TARGET_KEEPS:
		return regs;
	case TARGET_RETURN:
		return e->call ? 0 : regs;
	case TARGET_CALL:
		w->found.reads |= regs & callee.reads;
		w->found.doubts |= regs & callee.doubts;
		/* a function may overwrite them all */
		return e->call ? 0 : regs;
	case TARGET_INSIDE:
		if (e->call)
			w->found.doubts |= regs;
		else
			push(w, e->target, regs);
		return regs;
	}
	return regs;
}

static void step(struct walk *w, u64 addr, u32 regs)
{
	struct effect e;
	struct insn insn;
	const u8 *code;
	size_t len;

	code = elf_file_code(w->file, addr, &len);
	if (!code || insn_decode(&insn, code, len < MAX_INSN_SIZE ? len : MAX_INSN_SIZE,
				 INSN_MODE_64) < 0) {
		w->found.doubts |= regs;
		return;
	}
	read_effect(&insn, addr, &e);
	w->found.reads |= regs & e.reads;
	w->found.doubts |= regs & e.doubts;
	regs &= ~(e.reads | e.doubts | e.writes);
	if (e.branch)
		regs = follow_branch(w, &e, regs);
	if (e.next)
		push(w, addr + insn.length, regs);
}

struct livein livein_regs(struct elf_file *file, u64 entry, u32 regs,
			  const struct livein_ops *ops)
{
	struct walk w = { .file = file, .ops = ops };
	u32 nr = 0;

	push(&w, entry, regs);
	while (w.nr && w.found.reads != regs) {
		w.nr--;
		if (++nr > MAX_INSNS) {
			w.found.doubts = regs;
			break;
		}
		step(&w, w.todo[w.nr].addr, w.todo[w.nr].regs);
	}
	free(w.todo);
	u64map_free(&w.seen);
	return w.found;
}
