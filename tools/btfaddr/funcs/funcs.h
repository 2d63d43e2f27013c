/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_FUNCS_H
#define BTFADDR_FUNCS_H

#include "code/edges.h"
#include "dwarf/units.h"
#include "funcs/static_calls.h"
#include "signature/signature.h"

/* What is known of the return value of a function. */
enum func_returns {
	RETURNS_UNKNOWN, /* nothing */
	RETURNS_SOURCE,	 /* it is what the source says */
	RETURNS_OPEN,	 /* what the source says, or dropped: the callers' code must tell */
	RETURNS_DROPPED, /* void, as no caller uses it */
};

/**
 * struct func - one function: a symbol name at an address of resident text
 *
 * Members stand below the pass that sets them, and later passes only read them, but for @reason.
 *
 * @reason: why it can't be described, REASON_NONE if it can. Each pass describes only functions
 *	without one, and may find one. annotator_leave_out() may replace it: another name of the
 *	address counts.
 *
 * funcs_scan(), from symbols:
 * @sym: its symbol
 * @traceable: ftrace can patch it
 * @useful: @traceable, or its name is in a list of BTF ids
 * @next_at: index + 1 of another function at its address (an alias), 0 if it is the last
 *
 * funcs_scan(), from units:
 * @die: DIE of the code there; .addr NULL if there is none
 * @unit: index of its compilation unit in struct funcs.units
 * @cc: who compiled it
 * @is_c: it is written in C, and follows the calling convention
 * @named: the name of @die is the symbol's, with or without its suffix
 * @codeless: @die is a definition whose code no DIE describes
 *
 * funcs_collect(), reading each DIE alone:
 * @next_in: index + 1 of the next function of that unit, 0 if it is the last
 * @noreturn: DWARF says that it doesn't return
 * @arity: number of argument registers by the calling convention, whether it is described or not;
 *	-1 if the compiler may have changed the number, or nothing is known
 * @variadic: its parameters end in `...`
 * @format: before that there is a format of printk()
 * @return_regs: registers of its return value, if that is kept
 * @returns_memory: that is the address of memory which the caller has for it
 * @ask_code: its code must be asked, too
 *
 * funcs_collect(), also reading code; settle_returns() decides what its callers must tell:
 * @sig: its signature, if it can be described
 * @returns: what is known of its return value, whether it is described or not
 * @source: its declaration in the source, if @sig differs from that; else NULL
 * @in_saved: registers of struct arch.saved in which LLVM says that arguments arrive
 * @uses: argument registers that its code may use, for REASON_UNSTATED
 *
 * annotate():
 * @input: BTF id of the first FUNC of the input that has its name, 0 if none has
 * @proto: BTF id of its prototype, 0 if that isn't known yet
 * @lacking: its prototype, if the input has all types of that but not the prototype itself
 * @id: BTF id of its FUNC, 0 if it has none
 */
struct func {
	enum reason reason;

	const struct elf_sym *sym;
	bool traceable, useful;
	u32 next_at;

	Dwarf_Die die;
	u32 unit;
	struct compiler cc;
	bool is_c, named, codeless;

	u32 next_in;
	bool noreturn;
	int arity;
	bool variadic, format;
	u32 return_regs;
	bool returns_memory, ask_code;

	struct signature *sig;
	enum func_returns returns;
	char *source;
	u32 uses, in_saved;

	u32 input, proto, id;
	struct proto *lacking;
};

/**
 * struct funcs - all of them, in the order of struct elf_file.syms
 * @file: not owned
 * @units: its units; the DIEs of a function are of its unit's handle
 * @first_in: by unit, index + 1 of its first function; see func.next_in
 * @edges: where its code goes on besides where instructions say; read by funcs_collect()
 * @static_calls: read by funcs_scan()
 * @noreturns: hash_str() of the names of functions that don't return: those that objtool knows and,
 *	in a module, those that are declared so
 * @by_addr: address to index of the first func there + 1; see func.next_at
 */
struct funcs {
	const struct elf_file *file;
	struct units units;
	u32 *first_in;
	struct func *funcs;
	u32 nr;
	struct cu_paths cus;
	struct code_edges edges;
	struct static_calls static_calls;
	struct u64map noreturns;
	struct u64map by_addr;
};

void funcs_free(struct funcs *funcs);
/* Free the signature of a function. */
void func_drop_signature(struct func *func);

/* The function with index @i - 1, NULL if @i is 0. */
static inline struct func *funcs_get(const struct funcs *funcs, u32 i)
{
	return i ? &funcs->funcs[i - 1] : NULL;
}

/* The functions at an address, and those of a unit. */
#define for_each_at(func, funcs, addr)                                               \
	for ((func) = funcs_get(funcs, u64map_get(&(funcs)->by_addr, addr)); (func); \
	     (func) = funcs_get(funcs, (func)->next_at))
#define for_each_in(func, funcs, unit)                                   \
	for ((func) = funcs_get(funcs, (funcs)->first_in[unit]); (func); \
	     (func) = funcs_get(funcs, (func)->next_in))

/* Is this the function that a kernel finds by the name? */
static inline bool func_is_first(const struct funcs *funcs, const struct func *func)
{
	return func == funcs->funcs || strcmp(func[-1].sym->name, func->sym->name);
}

/*
 * Index + 1 of the function at the first instruction of the code of @die; 0 if no symbol is there.
 */
u32 scan_entry(const struct funcs *funcs, Dwarf_Die *die);

/*
 * The name, as DWARF has it, of the file that defines a function, and the number of the path that
 * it is relative to: see cu_paths_file(). NULL if DWARF doesn't say it.
 */
const char *func_file(const struct funcs *funcs, const struct func *func, u32 *path_ret);

/**
 * funcs_scan() - list the functions of a file, and find where its DWARF describes each
 *
 * @file: must outlive @funcs
 * @nr_threads: to read DWARF with, at most; the result doesn't depend on it
 *
 * Return: 0, or -1 after an error message; free with funcs_free() either way.
 */
int funcs_scan(struct funcs *funcs, struct elf_file *file, u32 nr_threads);

/* For units_each(): set first_in and next_in, by the units of the functions that have a DIE. */
void funcs_group_by_unit(struct funcs *funcs);

#endif
