/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_FUNCS_H
#define BTFADDR_FUNCS_H

#include "code/edges.h"
#include "dwarf/units.h"
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
 * @sym: its symbol
 * @die: DIE of the code there; .addr NULL if there is none
 * @named: the name of @die is the symbol's, with or without its suffix
 * @codeless: @die is a definition whose code no DIE describes
 * @noreturn: DWARF says that it doesn't return
 * @cc: who compiled it
 * @traceable: ftrace can patch it
 * @useful: @traceable, or its name is in a list of BTF ids
 * @is_c: it is written in C, and follows the calling convention; all threads read this
 * @unit: index of its compilation unit in struct funcs.units
 * @next_in: index + 1 of the next function of that unit, 0 if it is the last
 * @arity: number of argument registers by the calling convention, whether it is described or not;
 *	-1 if the compiler may have changed the number, or nothing is known
 * @variadic: its parameters end in `...`
 * @format: before that there is a format of printk()
 * @returns: what is known of its return value, whether it is described or not
 * @return_regs: registers of its return value, if that is kept
 * @returns_memory: that is the address of memory which the caller has for it
 * @reason: why it can't be described, REASON_NONE if it can
 * @sig: its signature, if it can be described
 * @source: its declaration in the source, if @sig differs from that; else NULL
 * @input: BTF id of the first FUNC of the input that has its name, 0 if none has
 * @proto: BTF id of its prototype, 0 if that isn't known yet
 * @id: BTF id of its FUNC, 0 if it has none
 */
struct func {
	const struct elf_sym *sym;
	Dwarf_Die die;
	bool named, codeless, noreturn;
	struct compiler cc;
	bool traceable, useful;
	bool is_c;
	u32 unit;
	u32 next_in;
	int arity;
	bool variadic, format;
	enum func_returns returns;
	u32 return_regs;
	bool returns_memory;
	enum reason reason;
	struct signature *sig;
	char *source;
	u32 input, proto, id;
};

/* A trampoline of a static call, which is patched at run time. */
struct static_call {
	const char *name; /* of its symbol */
	u64 addr;	  /* which is made up if another file has it */
	/* Argument registers of all functions that may be patched in; -1 if that isn't known. */
	int nr_regs;
	bool variadic; /* these may have more arguments */
	bool declared; /* there is a declaration, which says both */
};

/* All that a file has or refers to. */
struct static_calls {
	const struct arch *arch;   /* of the file */
	struct static_call *calls; /* sorted by name */
	size_t nr;
	struct u64map by_addr; /* address to index + 1 */
};

/**
 * struct funcs - all of them, in the order of struct elf_file.syms
 * @file: not owned
 * @dw: DWARF, closed by funcs_free()
 * @units: its units; the DIEs of a function are of its unit's handle
 * @first_in: by unit, index + 1 of its first function; see func.next_in
 * @edges: where its code goes on besides where instructions say; read by funcs_collect()
 * @static_calls: read by funcs_scan()
 * @noreturns: in a module, hash_str() of the name of each function that is declared not to return
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
	struct u64map noreturns;
	struct u64map by_addr;
	u32 *next_at;
};

void funcs_free(struct funcs *funcs);

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
 * As funcs_collect(), but without signatures.
 */
int funcs_scan(struct funcs *funcs, struct elf_file *file, u32 nr_threads);

/**
 * funcs_collect() - list the functions of a file and establish their signatures
 * @file: must outlive @funcs
 * @nr_threads: to read DWARF with, at most; the result doesn't depend on it
 *
 * Return: 0, or -1 after an error message; free with funcs_free() either way.
 */
int funcs_collect(struct funcs *funcs, struct elf_file *file, u32 nr_threads);

/* For units_each(): set first_in and next_in, by the units of the functions that have a DIE. */
void funcs_group_by_unit(struct funcs *funcs);

/* Steps of funcs_collect(). Set sig or reason of every function that has a DIE... */
void read_all_signatures(struct funcs *funcs, struct elf_file *file);

/* ...and learn from callers' code whether functions return what the source says, or nothing. */
void settle_returns(struct funcs *funcs, const struct elf_file *file);

/* livein_regs() for code of @file, whose functions are @funcs. */
struct livein code_regs(struct insn_decoder *dec, struct funcs *funcs, const struct elf_file *file,
			u64 start, u32 regs);

/*
 * Arguments that the function at @entry uses, in registers and on the stack. Parameters that
 * DWARF has on the stack get their place there.
 */
struct livein code_args(struct insn_decoder *dec, struct funcs *funcs, const struct elf_file *file,
			u64 entry, struct source *src);

/* Is this the name of a static call's trampoline? */
static inline bool name_is_static_call(const char *name)
{
	return !strncmp(name, "__SCT__", 7);
}

/* List the static calls of a file; free with static_calls_free(). */
void static_calls_list(struct static_calls *calls, const struct elf_file *file);
void static_calls_free(struct static_calls *calls);

/* Number of the static call of this name, from 1 on; 0 if there is none. */
u32 static_calls_find(const struct static_calls *calls, const char *name);

/* Is this the first declaration of number @nr? Only the first counts. */
bool static_calls_claim(struct static_calls *calls, u32 nr);

/* Number @nr is declared by @die. */
void static_calls_declare(struct static_calls *calls, u32 nr, Dwarf_Die *die);

#endif
