// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86-64: the System V ABI (psABI), and code that is recognized by its bytes.
 */
#include <capstone/capstone.h>
#include <elf.h>

#include "arch/x86.h"

/* The bits of registers by their numbers in instructions; 0 if we don't follow the register. */
static const u32 reg_by_number[16] = {
	REG_RAX, REG_RCX, REG_RDX, 0, 0, 0, 1 << 1, 1 << 0, 1 << 4, 1 << 5,
};

/* What the handler of a fault does with registers: arch/x86/include/asm/extable_fixup_types.h. */
static void read_handler(const u8 *entry, u32 *reads, u32 *writes)
{
	enum { WRMSR_SAFE = 10, RDMSR_SAFE = 11, IMM_REG = 17, UCOPY_LEN = 19 };

	u32 reg = reg_by_number[entry[9] & 15];

	switch (entry[8]) {
	case WRMSR_SAFE:
	case RDMSR_SAFE:
	case IMM_REG:
		*writes = reg;
		break;
	case UCOPY_LEN:
		*reads = reg | REG_RCX;
		*writes = REG_RCX;
		break;
	}
}

static bool is_ud2(const u8 *code, size_t len)
{
	return len >= 2 && code[0] == 0x0f && code[1] == 0x0b;
}

/* Length of a direct call or jump, by its first byte. Most bytes begin none. */
static const u8 branch_lens[256] = {
	[0x0f] = 6, [0x70 ... 0x7f] = 2, [0xe8] = 5, [0xe9] = 5, [0xeb] = 2,
};

static u32 branch(const u8 *code, u64 left, int64_t *disp, bool *call)
{
	u32 len = branch_lens[code[0]];
	int32_t off;

	if (!len || left < len || (code[0] == 0x0f && (code[1] & 0xf0) != 0x80))
		return 0;
	if (len == 2)
		off = (int8_t)code[1];
	else
		memcpy(&off, code + len - sizeof(off), sizeof(off));
	*disp = (int64_t)off + len;
	*call = code[0] == 0xe8;
	return len;
}

/* Is the operand at @p, with @before bytes before it, the distance of a lea? */
static bool is_lea(const u8 *p, u64 before)
{
	return before >= 3 && (p[-3] & 0xf8) == 0x48 && p[-2] == 0x8d && (p[-1] & 0xc7) == 0x05;
}

/* Is it the immediate of a mov, cmp or push? The destination of mov takes up to six bytes. */
static bool is_immediate(const u8 *p, u64 before)
{
	u64 i;

	if (before >= 1 && (p[-1] == 0x68 || (p[-1] & 0xf8) == 0xb8))
		return true;
	if (before >= 2 && p[-2] == 0x48 && p[-1] == 0x3d)
		return true;
	for (i = 3; i <= 8 && i <= before; i++) {
		if ((p[-i] & 0xf8) == 0x48 && (p[1 - i] == 0xc7 || p[1 - i] == 0x81))
			return true;
	}
	return false;
}

static bool is_call(const u8 *p, u64 before)
{
	if (before >= 1 && (p[-1] == 0xe8 || p[-1] == 0xe9))
		return true;
	return before >= 2 && p[-2] == 0x0f && (p[-1] & 0xf0) == 0x80;
}

/*
 * An operand of four bytes at the end of an instruction is the address itself, or its distance from
 * the operand's end:
 *
 *	movq	$f,(%rax)	48 c7 00 <address>
 *	lea	f(%rip),%rdi	48 8d 3d <distance>
 *	call	f		e8 <distance>
 *
 * A jump to a function that is near has a distance of one byte: eb <distance>.
 */
static void references(const struct code_section *code, const struct u64map *functions,
		       const struct u64map *patched, struct references *ret)
{
	int32_t operand;
	u64 i, next;

	for (i = 0; code->data && i + sizeof(operand) <= code->size; i++) {
		const u8 *p = code->data + i;

		if (p[0] == 0xeb)
			reference_add(functions, code->addr + i + 2 + (int8_t)p[1], &ret->called);

		next = code->addr + i + sizeof(operand);
		memcpy(&operand, p, sizeof(operand));
		if (is_call(p, i) && !u64map_get(patched, code->addr + i - 1))
			reference_add(functions, next + operand, &ret->called);
		if (is_lea(p, i))
			reference_add(functions, next + operand, &ret->taken);
		else if (is_immediate(p, i))
			reference_add(functions, (int64_t)operand, &ret->taken);
	}
}

/* GCC ends a naked function with ud2, which nothing leads to: the assembler returns before. */
static bool is_naked(const u8 *code, size_t len)
{
	const u8 *trap;
	int32_t off;
	size_t i;

	if (len < 3)
		return false;
	len -= 2;
	trap = code + len;
	if (trap[-1] != 0xc3 || trap[0] != 0x0f || trap[1] != 0x0b)
		return false;
	for (i = 0; i + 2 <= len; i++) {
		if (code + i + 2 + (int8_t)code[i + 1] == trap)
			return false;
		if (i + 4 > len)
			continue;
		memcpy(&off, code + i, sizeof(off));
		if (i + 4 + (int64_t)off == len)
			return false;
	}
	return true;
}

static bool match(const u8 *code, size_t len, const char *bytes, size_t nr)
{
	return len >= nr && !memcmp(code, bytes, nr);
}

/* Length of the instruction if it leaves argument registers alone, else 0. */
static size_t neutral_insn(const u8 *code, size_t len)
{
	if (match(code, len, "\xf3\x0f\x1e\xfa", 4)) /* endbr64 */
		return 4;
	if (match(code, len, "\x0f\x1f\x44\x00\x00", 5)) /* nop */
		return 5;
	if (len >= 1 && (code[0] & 0xf8) == 0x50) /* push */
		return 1;
	if (len >= 2 && code[0] == 0x41 && (code[1] & 0xf8) == 0x50)
		return 2;
	if (match(code, len, "\x48\x89\xe5", 3)) /* mov %rsp,%rbp */
		return 3;
	if (len >= 4 && match(code, len, "\x48\x83\xec", 3)) /* sub $n,%rsp */
		return 4;
	if (len >= 7 && match(code, len, "\x48\x81\xec", 3))
		return 7;
	if (len >= 4 && match(code, len, "\x48\x83\xe4", 3)) /* and $n,%rsp */
		return 4;
	return 0;
}

/* Is it a push of rax, rcx, rdx, rsi, rdi, r8 or r9? */
static bool pushes_scratch(const u8 *insn, size_t len)
{
	static const u8 scratch = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 6 | 1 << 7;

	if (len == 2)
		return insn[0] == 0x41 && insn[1] <= 0x51;
	return len == 1 && scratch >> (insn[0] & 7) & 1;
}

/* endbr64, ftrace's call or nop, push, mov %rsp,%rbp, sub $n,%rsp */
static size_t prologue_len(const u8 *code, size_t len, bool *pushes)
{
	size_t off = 0, n;
	bool fentry = false;

	while (off < len) {
		n = neutral_insn(code + off, len - off);
		/* a call as the very first is ftrace's, which keeps all registers */
		if (!n && !fentry && code[off] == 0xe8 && (!off || (off == 4 && code[0] == 0xf3))) {
			fentry = true;
			n = 5;
		}
		if (!n)
			break;
		*pushes |= pushes_scratch(code + off, n);
		off += n;
	}
	return off < len ? off : len;
}

/*
 * See __write_relocate_add() in arch/x86/kernel/module.c, and section 4.4.1, "Relocation Types", of
 * the psABI.
 */
static int relocate(u32 type, u64 value, u64 place, u8 *p, u64 left)
{
	size_t size = 4;

	switch (type) {
	case R_X86_64_NONE:
		return 0;
	case R_X86_64_PC64:
		value -= place;
		/* fallthrough */
	case R_X86_64_64:
		size = 8;
		break;
	case R_X86_64_PC32:
	case R_X86_64_PLT32:
		value -= place;
		break;
	case R_X86_64_32:
	case R_X86_64_32S:
		break;
	default:
		return -1;
	}
	if (left < size)
		return -1;
	memcpy(p, &value, size);
	return 0;
}

/* The register that __x86_indirect_thunk_rax and the like jump to; 0 if we don't follow it. */
static u32 thunk_reg(const char *name)
{
	static const char *const regs[] = { "_rdi", "_rsi", "_rdx", "_rcx", "_r8", "_r9", "_rax" };
	const char *end = strrchr(name, '_');
	u32 i;

	for (i = 0; end && i < ARRAY_SIZE(regs); i++) {
		if (!strcmp(end, regs[i]))
			return 1u << i;
	}
	return 0;
}

/* The kind of code whose name tells more than its instructions, as these may be patched. */
static enum callee_kind kind_by_name(const char *name, u32 *target_reg)
{
	if (!strcmp(name, "__fentry__") || !strcmp(name, "warn_thunk_thunk") ||
	    starts_with(name, "preempt_schedule_thunk") ||
	    starts_with(name, "preempt_schedule_notrace_thunk") ||
	    starts_with(name, "__raw_callee_save_"))
		return CALLEE_KEEPS;
	if (!strcmp(name, "__x86_return_thunk"))
		return CALLEE_RETURN;
	if (!starts_with(name, "__x86_indirect_"))
		return CALLEE_UNKNOWN;
	*target_reg = thunk_reg(name);
	return CALLEE_INDIRECT;
}

/* Calls of paravirt functions become direct ones, and their replacements aren't used. */
static bool alt_by_function(const u8 *entry, u32 size)
{
	enum { ALT_FLAG_DIRECT_CALL = 2 };

	return size == 14 && entry[10] & ALT_FLAG_DIRECT_CALL;
}

/* DWARF's numbers: section 3.6.2, "DWARF Register Number Mapping". */
static const u8 dwarf_args[] = { 5, 4, 1, 2, 8, 9 };
/* rax, rdx, rcx, rsi, rdi, r8, r9; GCC saves r10 where it aligns the stack */
static const u8 dwarf_scratch[] = { 0, 1, 2, 4, 5, 8, 9, 0xff };
/* entries have no flags before Linux 6.3 */
static const u32 alt_sizes[] = { 12, 14, 0 };

/*
 * endbr64 may come before the place that ftrace patches. One further behind a function's start is
 * in a weak function whose symbol is gone: FTRACE_MCOUNT_MAX_OFFSET in
 * arch/x86/include/asm/ftrace.h. __patchable_function_entries has the padding before functions.
 */
const struct arch arch_x86 = {
	.name = "x86-64",
	.machine = EM_X86_64,
	.cs_arch = CS_ARCH_X86,
	.cs_mode = CS_MODE_64,
	.nr_args = ARRAY_SIZE(dwarf_args),
	.args = ARG_REGS,
	.result = REG_RAX,
	.result_high = REG_RDX,
	.all = ALL_REGS,
	.kept = ALL_REGS | 1 << 10, /* r10; none keeps r11 */
	.saved = 0xf100,	    /* rbx, r12 to r15; all keep rbp */
	.ret_is_arg = true,
	.unaligned_on_stack = true,
	.fills_back = true,
	.stack_args = 8,
	.dwarf_args = dwarf_args,
	.dwarf_sp = 7,
	.dwarf_fp = 6,
	.nr_regs = 16,
	.fp_below_cfa = 16,
	.dwarf_scratch = dwarf_scratch,
	.dwarf_saved = 0xf008,
	.insn_align = 1,
	.branch_lens = branch_lens,
	.sites = "__mcount_loc",
	.site_behind = 4,
	.alt_sizes = alt_sizes,
	.record_reloc = R_X86_64_PC32,
	.decode = x86_decode,
	.branch = branch,
	.prologue_len = prologue_len,
	.references = references,
	.is_naked = is_naked,
	.relocate = relocate,
	.is_trap = is_ud2,
	.fault = read_handler,
	.alt_by_function = alt_by_function,
	.kind_by_name = kind_by_name,
};
