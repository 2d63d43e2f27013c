/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_FUNCS_H
#define BTFADDR_FUNCS_H

#include "code/edges.h"
#include "dwarf/cu_path.h"
#include "dwarf/units.h"
#include "elf/elf_file.h"
#include "funcs/static_calls.h"
#include "signature/signature.h"

/* What is known of the return value of a function. */
enum func_returns {
	RETURNS_UNKNOWN, /* nothing */
	RETURNS_SOURCE,	 /* it is what the source says */
	RETURNS_OPEN,	 /* that, or dropped: its callers must be asked */
	RETURNS_DROPPED, /* void, as nobody uses it */
};

/**
 * struct func - one function: a symbol name at an address of resident text
 * @sym: its symbol
 * @die: DIE of the code there; .addr NULL if there is none
 * @named: @die has its symbol's name, or that without a suffix
 * @cc: who compiled it
 * @useful: ftrace can patch it, or its name is in a list of BTF ids
 * @is_c: it is written in C, and follows the calling convention; read on all threads
 * @unit: index of its compilation unit in struct funcs.units
 * @next_in: index + 1 of the next function of that unit, 0 if it is the last
 * @arity: argument registers that the calling convention gives it, be it described or
 *	not; -1 if the compiler may have changed that, or nothing is known
 * @variadic: it has `...` behind them
 * @returns: what is known of its return value, be it described or not
 * @return_regs: registers that it is in, if it is kept
 * @reason: why it can't be described, REASON_NONE if it can
 * @sig: its signature, if so
 * @source: its declaration in the source, if @sig says something else; else NULL
 * @input: BTF id of the first FUNC of the input that has its name, 0 if none has
 * @proto: BTF id of its prototype, 0 if that isn't known yet
 * @id: BTF id of its FUNC, 0 if it has none
 */
struct func {
	const struct elf_sym *sym;
	Dwarf_Die die;
	bool named;
	struct compiler cc;
	bool useful;
	bool is_c;
	u32 unit;
	u32 next_in;
	int arity;
	bool variadic;
	enum func_returns returns;
	u32 return_regs;
	enum reason reason;
	struct signature *sig;
	char *source;
	u32 input, proto, id;
};

/**
 * struct funcs - all of them, in the order of struct elf_file.syms
 * @file: not owned
 * @dw: DWARF, closed by funcs_free()
 * @units: its units; the DIEs of a function are of its unit's handle
 * @first_in: by unit, index + 1 of its first function; see func.next_in
 * @edges: where its code goes on besides where instructions say; read by funcs_collect()
 * @static_calls: read by scan_dwarf()
 * @by_addr: address to index of the first func there + 1; see @next_at
 * @next_at: index to index + 1 of another func at the same address (an alias)
 */
struct funcs {
	const struct elf_file *file;
	Dwarf *dw;
	struct units units;
	u32 *first_in;
	struct func *funcs;
	u32 nr;
	struct cu_paths cus;
	struct code_edges edges;
	struct static_calls static_calls;
	struct u64map by_addr;
	u32 *next_at;
};

/* List the function symbols of resident text: the first step of funcs_collect(). */
void funcs_add_symbols(struct funcs *funcs, struct elf_file *file);
void funcs_free(struct funcs *funcs);

#endif
