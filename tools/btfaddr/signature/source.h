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
	REASON_NAME,
	REASON_SEVERAL,
	REASON_LOCATION,
	REASON_REGISTERS,
	REASON_CODE,
	REASON_SPLIT,
	REASON_UNDECIDED,
	REASON_RETURN,
	REASON_FLOAT,
	REASON_TOO_MANY,
	REASON_TYPE_MISSING,
	REASON_TYPE_AMBIGUOUS,
	REASON_TYPE_BAD,
	REASON_TYPE_UNSUPPORTED,
	REASON_OFFSET,
	NR_REASONS
};

/* What is larger is in memory: psABI 3.2.3, "Classification". */
#define MAX_REG_SIZE 16

enum abi_class {
	ABI_INT,    /* in general purpose registers, if enough are left */
	ABI_MEMORY, /* on the stack */
	ABI_OTHER,  /* floating point, or unknown */
};

/**
 * struct abi_type - how a type is passed as an argument
 * @size: in bytes
 * @aggregate: struct or union; @die is its definition, without typedefs
 * @pointer: a pointer
 */
struct abi_type {
	enum abi_class class;
	u64 size;
	bool aggregate;
	bool pointer;
	Dwarf_Die die;
};

/**
 * abi_find_member() - the member of a struct that is exactly these bytes
 * @prefix: put before the member's name, e.g. the parameter's
 * @name_ret: "<prefix>__<member>", of inner structs "<prefix>__<outer>__<member>";
 *	to be freed
 *
 * Return: 0, or -1 if there isn't exactly one such scalar member.
 */
int abi_find_member(const struct abi_type *type, u32 off, u32 size, const char *prefix,
		    char **name_ret, Dwarf_Die *type_ret);

#define MAX_PARAMS 32

/**
 * struct compiler - who compiled a unit, and so what DWARF doesn't say
 * @gcc: signature changes show in the symbol's name (.isra, .constprop, .part)
 * @clang_marks: signature changes show as DW_CC_nocall (LLVM 15 and later), but for
 *	arguments that are passed in place of a pointer to them
 */
struct compiler {
	bool gcc;
	bool clang_marks;
};

/* Read DW_AT_producer. */
void compiler_read(Dwarf_Die *unit, struct compiler *cc);

/* A parameter of the source, and where it arrives. */
struct src_param {
	const char *name;
	Dwarf_Die type;
	struct abi_type abi;
	struct loc loc;
};

/* Does DWARF leave open where a parameter is at entry, or whether it is still there? */
static inline bool src_param_is_open(const struct src_param *p)
{
	return p->abi.size && p->loc.kind != LOC_REGS && p->loc.kind != LOC_STACK;
}

/**
 * struct source - a function as the source has it, and what DWARF says of it at entry
 * @variadic: followed by `...`
 * @ret: type of the return value, .addr NULL for void; @ret_abi tells about it if not
 * @first_reg: first argument register; 1 if rdi is where to write a returned struct
 * @gcc: by GCC
 * @fixed: it can't have been changed
 * @called: there are direct calls of it; source_read() leaves that to its caller
 * @may_change: the compiler may have changed the signature
 * @marked: it says that it did so
 * @may_split: it may pass members of what a pointer points to instead of that
 * @may_drop_return: it may return nothing although the source does
 * @may_hide: a parameter without location may have been kept all the same
 * @params: the first @nr, the others are not set
 */
struct source {
	u32 nr;
	bool variadic;
	Dwarf_Die ret;
	struct abi_type ret_abi;
	u32 first_reg;
	bool gcc;
	bool fixed;
	bool called;
	bool may_change, marked, may_split, may_drop_return, may_hide;
	struct src_param params[MAX_PARAMS];
};

/**
 * source_read() - read what DWARF says of a function
 * @die: its concrete DIE
 * @symbol: its name in the symbol table, suffixes included
 * @entry: its address
 * @others_call: others than its own unit may call it, so that it can't be changed
 * @code: its first bytes, of which there are @len
 *
 * Return: REASON_NONE, or why it can't be used.
 */
enum reason source_read(Dwarf_Die *die, const struct compiler *cc, const char *symbol, u64 entry,
			bool others_call, const u8 *code, size_t len, struct source *ret);

/* Has a name in the symbol table a compiler's suffix, as ".isra" in f.isra.0.cold? */
bool symbol_has_suffix(const char *name, const char *suffix);

/* GCC writes this behind all parameters of a function. */
bool source_is_body(Dwarf_Die *child);

/* Argument registers that the source's signature takes; -1: some arguments are on the stack. */
int source_nr_regs(const struct source *src);

#endif
