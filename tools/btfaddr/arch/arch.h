/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_ARCH_H
#define BTFADDR_ARCH_H

#include "arch/insn.h"

/* An executable section. */
struct code_section {
	u64 addr, size;
	const char *name; /* points into the file's string table */
	const u8 *data;	  /* its bytes, which belong to the file; NULL if it has none there */
	size_t index;	  /* section number */
	bool resident;	  /* it is text that stays */
	u8 *returns;	  /* a bit for each byte to which DWARF says that a call returns, or NULL */
};

/* What the code at the target of a call or jump is. */
enum callee_kind {
	CALLEE_NONE,	    /* not the start of a function: a jump goes on there */
	CALLEE_C,	    /* a function that follows the calling convention */
	CALLEE_ASM,	    /* a function that may leave registers as they are */
	CALLEE_KEEPS,	    /* saves all registers: ftrace's entry, some thunks */
	CALLEE_RETURN,	    /* the thunk that stands for a ret instruction */
	CALLEE_INDIRECT,    /* a thunk that stands for an indirect jump */
	CALLEE_STATIC_CALL, /* jumps to what is patched in */
	CALLEE_UNKNOWN,	    /* a function whose code isn't here */
};

/**
 * struct references - what refers to functions, by their addresses
 * @taken: there are pointers to them, in data or in an instruction. In modules these are
 *	relocations, which aren't looked at.
 * @called: there are direct calls of them, or jumps to them, by compiled code
 */
struct references {
	struct u64map taken;
	struct u64map called;
};

/* Note a reference to @addr if a function is there. */
static inline void reference_add(const struct u64map *functions, u64 addr, struct u64map *ret)
{
	if (u64map_get(functions, addr))
		u64map_set(ret, addr, 1);
}

/**
 * struct arch - all that btfaddr knows of an architecture
 * @name: for messages
 * @machine: e_machine of its files
 * @cs_arch/@cs_mode: of capstone
 *
 * @nr_args: how many registers have arguments
 * @args: their mask: argument N is bit N
 * @result/@result_high: the registers of a result of up to 16 bytes
 * @all: all of these
 * @kept: registers that C functions may change, and functions of another convention may not
 * @saved: registers that C functions save before they use them
 * @ret_is_arg: the address of memory for a returned struct is in the first of @args
 * @unaligned_on_stack: so is a small struct with members that aren't aligned
 * @by_reference: of a large struct only the address is passed, as if it were the parameter
 * @even_pairs: what is aligned to 16 bytes begins in a register with an even number
 * @fills_back: after an argument went to the stack, a smaller one may be in a register
 * @stack_args: how far the first argument on the stack is above the stack pointer at entry
 *
 * @dwarf_args: DWARF's numbers of @args
 * @dwarf_sp/@dwarf_fp: of the stack pointer and the frame pointer
 * @nr_regs: all general-purpose registers have numbers below that
 * @fp_below_cfa: how far the frame pointer is below the CFA; -1 if that differs by function
 * @dwarf_scratch: DWARF's numbers of registers that a function may change, up to one that is 0xff
 * @dwarf_saved: DWARF's numbers of @saved: a mask whose bits are in the same order
 *
 * @insn_align: alignment of instructions
 * @opcode_at: offset of the byte in an instruction that says what it does
 * @branch_lens: by that byte, length of what may be a direct call or jump; else 0
 *
 * @sites: section of a module with the places that ftrace patches
 * @site_before/@site_behind: how far before and behind a function's address its place may be
 * @dwarf_behind: how far the address that DWARF has may be behind a function's: these are @nop,
 *	and maybe @landing_pad as the first
 * @alt_sizes: sizes that an entry of .altinstructions may have, in bytes, up to one that is 0
 * @record_reloc: type of the relocation of a record in .BTF_func: 32 bits, relative to its place
 * @relative_reloc: of a word that a vmlinux has only in its relocation; 0 if there is none
 */
struct arch {
	const char *name;
	u16 machine;
	int cs_arch, cs_mode;

	u32 nr_args, args, result, result_high, all, kept, saved;
	bool ret_is_arg, unaligned_on_stack, by_reference, even_pairs, fills_back;
	u32 stack_args;

	const u8 *dwarf_args;
	u8 dwarf_sp, dwarf_fp, nr_regs;
	int fp_below_cfa;
	const u8 *dwarf_scratch;
	u32 dwarf_saved;

	u32 insn_align, opcode_at;
	const u8 *branch_lens;

	const char *sites;
	u32 site_before, site_behind, dwarf_behind, nop, landing_pad;
	const u32 *alt_sizes;
	u32 record_reloc, relative_reloc;

	/* Fill in @ret, of which @len is set, from capstone's cs_insn. */
	void (*decode)(size_t handle, const void *cs_insn, struct insn *ret);

	/*
	 * If @code is a direct call or jump, which is certain only if an instruction begins there:
	 * its length, its displacement from there in @disp, and whether it is a call; else 0.
	 */
	u32 (*branch)(const u8 *code, u64 left, int64_t *disp, bool *call);

	/*
	 * Length of the first instructions, which leave argument registers alone: landing pads,
	 * ftrace's call or nops, what saves registers and moves the stack pointer. Compilers may
	 * let a location list begin behind these. They are recognized by their bytes, as decoding
	 * all functions takes long. @pushes is set if a register is saved there that the convention
	 * lets a function change.
	 */
	size_t (*prologue_len)(const u8 *code, size_t len, bool *pushes);

	/*
	 * Find what refers to @functions in a section of code. Instructions are recognized by their
	 * bytes, and not decoded from the start of a function on. @patched: addresses of jumps that
	 * are patched at run time, and not compiled.
	 */
	void (*references)(const struct code_section *code, const struct u64map *functions,
			   const struct u64map *patched, struct references *ret);

	/* Has this whole function of GCC's no code but assembler? NULL: it knows no such functions. */
	bool (*is_naked)(const u8 *code, size_t len);

	/*
	 * Apply a relocation at @p, from where there are @left bytes to the end of the section.
	 * @value is the address of the symbol plus the addend, and @place the address of @p. The
	 * types are those that the kernel's loader knows. Return: 0, or -1 if that can't be done.
	 */
	int (*relocate)(u32 type, u64 value, u64 place, u8 *p, u64 left);

	/* Is this the instruction of a warning that traps? */
	bool (*is_trap)(const u8 *code, size_t len);

	/* Which registers does the handler of a fault read and write, by an entry of __ex_table? */
	void (*fault)(const u8 *entry, u32 *reads, u32 *writes);

	/* Is this entry of .altinstructions about a call of a function that writes the code? */
	bool (*alt_by_function)(const u8 *entry, u32 size);

	/*
	 * What the name of a function tells of it, CALLEE_UNKNOWN if nothing; for CALLEE_INDIRECT,
	 * @target_reg is set: see struct callee.
	 */
	enum callee_kind (*kind_by_name)(const char *name, u32 *target_reg);
};

extern const struct arch arch_x86, arch_arm64;

/* The architecture of files with this e_machine; NULL if it isn't known. */
const struct arch *arch_find(u16 machine);

/* The argument register with DWARF's number @dwarf_reg; -1 if it is none. */
int arch_arg_reg(const struct arch *arch, u64 dwarf_reg);

/* The bit in struct arch.saved of the register with DWARF's number @dwarf_reg; 0 if it has none. */
u32 arch_saved_bit(const struct arch *arch, u64 dwarf_reg);

#endif
