/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_SITES_H
#define BTFADDR_SITES_H

#include "btf/btf_index.h"
#include "funcs/funcs.h"

/**
 * struct loc_param - where a parameter is; what a LOC_PARAM has
 * @nr: of @vals; 0 if it is not known
 */
struct loc_param {
	u32 size, flags, nr, vals[3];
};

/**
 * struct loc_type - what matters of a parameter's type
 * @size: in bytes, 0 if unknown
 * @is_const: the function can't give the parameter another value
 */
struct loc_type {
	u32 size;
	bool is_signed, is_const;
};

/* What is known of the CFA at an instruction. */
enum cfa { CFA_UNREAD, CFA_KNOWN, CFA_UNKNOWN };

/**
 * struct site_point - an instruction, and what is needed to read places there
 * @func: concrete DIE of the function that it is in, for its frame base
 * @addr: its address
 * @view: the source may pass through several states at this address: GCC's number of the one
 *	meant; NO_VIEWS if it isn't known
 * @gcc: compiled by GCC
 * @text: what addresses count from; 0 in a module, where they can't be stated
 * @file/@dec: for its code
 * @cfi: unwind tables, NULL if there are none
 * @views/@nr_views: the section that location lists, and their views, are in
 * @cfa/@cfa_reg/@cfa_off: memo of the CFA there
 */
struct site_point {
	Dwarf_Die *func;
	u64 addr, view;
	bool gcc;
	u64 text;
	const struct elf_file *file;
	struct insn_decoder *dec;
	Dwarf_CFI *cfi;
	const u8 *views;
	size_t nr_views;
	enum cfa cfa;
	u32 cfa_reg;
	int64_t cfa_off;
};

/**
 * place_read() - where is a parameter when an instruction is about to run?
 * @location: DW_AT_location of the parameter's DIE below that of the inlined function
 * @views: DW_AT_GNU_locviews of the parameter's DIE, NO_VIEWS if it has none
 *
 * A location counts only if DWARF gives it for this very instruction, and a LOC_PARAM can state all
 * of it.
 */
void place_read(struct site_point *at, Dwarf_Attribute *location, u64 views,
		const struct loc_type *type, struct loc_param *ret);
#define NO_VIEWS UINT64_MAX

/**
 * struct definition - a function of the source, as a unit has it
 * @die: with its parameters; of the unit's handle
 * @file/@line: where it is defined; the file's name is as DWARF has it, NULL if unknown
 * @path: number of the unit that @die is in
 * @types: hash of the spelling of its types; 0 if one of the names stands for several types, so
 *	that only the unit tells which type is meant
 * @func: index + 1 of its out-of-line function in this unit, if that has this very name; else 0
 * @needed: it is inlined somewhere, or others are inlined into it and it has no FUNC
 * @first_param/@nr_params: its parameters in struct unit_sites.types
 * @number: in struct inline_funcs, if it is needed
 */
struct definition {
	Dwarf_Die die;
	const char *name, *file;
	u32 line, path;
	u64 types;
	u32 func;
	bool needed;
	u32 first_param, nr_params;
	u32 number;
};

/* Code of a site, from where its section begins. */
struct site_range {
	u32 start, end;
};

/**
 * struct site - a call that was inlined
 * @addr: of its first instruction
 * @def: index of the definition of the inlined function
 * @parent: index + 1 of the site that it is nested in; 0 if it is in none
 * @caller: index of the definition of the function whose code this is
 * @func: index + 1 of that function; 0 if it has no symbol
 * @file/@line: of the call, as DWARF has them; the file is NULL if it isn't known
 * @first_loc: where its parameters are, in struct unit_sites.locs
 * @origin: ORIGIN_SPLIT or ORIGIN_EMPTY, if it is that
 * @first_range/@nr_ranges: its code in the section of @addr, in struct unit_sites.ranges
 */
struct site {
	u64 addr;
	const char *file;
	u32 def, parent, caller, func, line;
	u32 first_loc, origin;
	u32 first_range, nr_ranges;
};

/* What a unit has. */
struct unit_sites {
	struct definition *defs;
	size_t nr_defs;
	struct site *sites;
	size_t nr_sites;
	struct loc_type *types;
	size_t nr_types;
	struct loc_param *locs;
	size_t nr_locs;
	struct site_range *ranges;
	size_t nr_ranges;
};

/**
 * sites_read() - read the inline sites in resident text, on all threads
 * @funcs: with their symbols, and DWARF
 * @types: BTF of the kernel or module, to look up names in
 *
 * Return: by unit; free with sites_free().
 */
struct unit_sites *sites_read(struct funcs *funcs, struct elf_file *file,
			      const struct btf_index *types);
void sites_free(struct unit_sites *sites, u32 nr_units);

#endif
