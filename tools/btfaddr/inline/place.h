/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_PLACE_H
#define BTFADDR_PLACE_H

#include "code/insn.h"
#include "dwarf/dwarf_die.h"
#include "elf/elf_file.h"

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
 * struct site_point - an instruction, and what tells of its surroundings
 * @func: concrete DIE of the function that it is in, for its frame base
 * @addr: its address
 * @view: of the states that the source passes through at this address, the one meant; GCC
 *	numbers them. NO_VIEWS if it isn't known
 * @gcc: who compiled it
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
 * @location: DW_AT_location of its DIE below that of the inlined function
 * @views: DW_AT_GNU_locviews of that, NO_VIEWS if it has none
 *
 * Only what DWARF says of that very instruction counts, and what can be stated in full.
 */
void place_read(struct site_point *at, Dwarf_Attribute *location, u64 views,
		const struct loc_type *type, struct loc_param *ret);
#define NO_VIEWS UINT64_MAX

#endif
