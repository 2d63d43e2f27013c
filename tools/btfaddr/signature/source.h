/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_SOURCE_H
#define BTFADDR_SOURCE_H

#include "dwarf/dwarf_die.h"
#include "dwarf/location.h"

/* Why a function has no address in the output. See report.c for their texts. */
enum reason {
	REASON_NONE,
	REASON_NO_DWARF,
	REASON_STATIC_CALL,
	REASON_OTHER_NAME,
	REASON_UNTRACEABLE,
	REASON_LANGUAGE,
	REASON_UNSTATED,
	REASON_NAME,
	REASON_SEVERAL,
	REASON_LOCATION,
	REASON_REGISTERS,
	REASON_CODE,
	REASON_SPLIT,
	REASON_UNDECIDED,
	REASON_RETURN,
	REASON_CONVENTION,
	REASON_FLOAT,
	REASON_TOO_MANY,
	REASON_TYPE_MISSING,
	REASON_TYPE_AMBIGUOUS,
	REASON_TYPE_BAD,
	REASON_TYPE_UNSUPPORTED,
	REASON_OFFSET,
	NR_REASONS
};

/* Larger arguments are passed in memory. */
#define MAX_REG_SIZE 16

enum abi_class {
	ABI_INT,    /* in general purpose registers, if enough are left */
	ABI_REF,    /* its address, likewise */
	ABI_MEMORY, /* on the stack */
	ABI_OTHER,  /* floating point, or unknown */
};

/**
 * struct abi_type - how a type is passed as an argument
 * @size: in bytes
 * @aligned: to 16 bytes
 * @aggregate: struct or union; @die is its definition
 * @die: without typedefs
 */
struct abi_type {
	enum abi_class class;
	u64 size;
	bool aligned, aggregate;
	Dwarf_Die die;
};

/* Is it a pointer to data, whose members may be passed instead of it? */
bool abi_is_pointer(const struct abi_type *abi);

/**
 * abi_find_member() - find the member of a struct that has exactly these bytes
 * @prefix: put before the member's name, e.g. the parameter's
 * @name_ret: "<prefix>__<member>", of inner structs "<prefix>__<outer>__<member>"; to be freed
 *
 * Return: 0, or -1 if there isn't exactly one such scalar member.
 */
int abi_find_member(const struct arch *arch, const struct abi_type *type, u32 off, u32 size,
		    const char *prefix, char **name_ret, Dwarf_Die *type_ret);

/* Return: 0, or -1 if the type is damaged or unknown. */
int abi_type_read(const struct arch *arch, Dwarf_Die *type, struct abi_type *ret);

#define MAX_PARAMS 32

/**
 * struct compiler - who compiled a unit, and where its signature changes show
 * @arch: what for
 * @gcc: signature changes show in the symbol's name (.isra, .constprop, .part)
 * @clang_marks: signature changes show as DW_CC_nocall (LLVM 15 and later), except for
 *	arguments that are passed instead of a pointer to them
 */
struct compiler {
	const struct arch *arch;
	bool gcc;
	bool clang_marks;
};

/* Read DW_AT_producer of a unit that is compiled for @arch. */
void compiler_read(Dwarf_Die *unit, const struct arch *arch, struct compiler *cc);

/* A parameter of the source, and where it arrives. */
struct src_param {
	const char *name;
	Dwarf_Die type;
	struct abi_type abi;
	struct loc loc;
};

/* Does DWARF say where a parameter arrives? */
static inline bool src_param_is_placed(const struct src_param *p)
{
	return p->loc.kind == LOC_REGS || p->loc.kind == LOC_STACK;
}

/* Does DWARF leave open where a parameter is at entry, or whether it is still there? */
static inline bool src_param_is_open(const struct src_param *p)
{
	return p->abi.size && !src_param_is_placed(p);
}

/**
 * struct source - a function as the source has it, and what DWARF says of it at entry
 * @arch: whose registers these are
 * @variadic: followed by `...`
 * @ret: type of the return value, .addr NULL for void; otherwise @ret_abi is set
 * @first_reg: first argument register; 1 if rdi is where to write a returned struct
 * @gcc: compiled by GCC
 * @fixed: the compiler can't have changed the signature
 * @body: address of the first instruction that may change argument registers
 * @pushes: before it, a register is pushed that the convention lets a function change
 * @called: there are direct calls of it; set by the caller of source_read()
 * @may_change: the compiler may have changed the signature
 * @marked: the compiler says that it did so
 * @may_split: members of a struct may be passed instead of a pointer to it
 * @may_drop_return: it may return nothing although the source does
 * @may_return_garbage: likewise, without a mark: LLVM leaves out a constant that it has given to
 *	all callers. Mostly it marks the function then as one that returns nothing; but not one with
 *	a computed goto, for instance.
 * @may_hide: a parameter without location may have been kept all the same
 * @params: the first @nr, the others are not set
 */
struct source {
	const struct arch *arch;
	u32 nr;
	bool variadic;
	Dwarf_Die ret;
	struct abi_type ret_abi;
	u32 first_reg;
	bool gcc;
	bool fixed;
	u64 body;
	bool pushes;
	bool called;
	bool may_change, marked, may_split, may_drop_return, may_return_garbage, may_hide;
	struct src_param params[MAX_PARAMS];
};

/**
 * source_read() - read what DWARF says of a function
 * @die: its concrete DIE
 * @symbol: its name in the symbol table, suffixes included
 * @entry: its address
 * @others_call: other units may call it, so the compiler can't have changed it
 * @code: its first bytes, of which there are @len
 *
 * Return: REASON_NONE, or why it can't be used.
 */
enum reason source_read(Dwarf_Die *die, const struct compiler *cc, const char *symbol, u64 entry,
			bool others_call, const u8 *code, size_t len, struct source *ret);

/* Does a symbol's name have this suffix of a compiler, such as ".isra" in f.isra.0.cold? */
bool symbol_has_suffix(const char *name, const char *suffix);

/* Is this a child of a function that GCC writes after all parameters? */
bool source_is_body(Dwarf_Die *child);

/* Argument registers that the source's signature takes; -1: some arguments are on the stack. */
int source_nr_regs(const struct source *src);

#endif
