/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_UNIT_WALK_H
#define BTFADDR_UNIT_WALK_H

#include "dwarf/units.h"

/**
 * struct abbrev - what all DIEs of one abbreviation code have in common
 * @tag: 0 if there is no such code
 * @has_code: they have DW_AT_low_pc or DW_AT_ranges
 * @declares: they have DW_AT_declaration
 * @has_place: they have DW_AT_location
 * @fixed: size of their attributes, if it is always the same; else 0, and @steps says how to skip
 *	the attributes
 * @sibling: offset + 1 of DW_AT_sibling in the attributes; 0 if there is none
 * @name: the same for DW_AT_name, if it is in .debug_str and at the same offset in all DIEs
 * @origin: the same for DW_AT_abstract_origin, if it refers to the same unit
 * @low_pc: the same for DW_AT_low_pc, if nothing else says where the code begins, or for
 *	DW_AT_call_return_pc
 * @steps: index in struct unit_walk.steps
 */
struct abbrev {
	u16 tag;
	bool children, has_code, declares, has_place;
	u8 fixed, sibling, name, origin, low_pc;
	u32 steps;
};

/**
 * struct unit_walk - a walk over the DIEs right below that of a unit, or over those of its code
 *
 * libdw looks for the abbreviation of each DIE under a lock, and goes over its attributes several
 * times. Most of a kernel's DIEs are types, which aren't wanted here.
 *
 * @unit: its first byte; @end is behind its last
 * @next: where the next DIE is
 * @level: level of that DIE; the unit's DIE has level 0, functions have 1
 * @deep: inlined functions are wanted, too; set by the caller
 * @abbrevs: by code
 * @strs: the section .debug_str up to its last 0, of @strs_size bytes
 */
struct unit_walk {
	Dwarf_CU *cu;
	const u8 *unit, *next, *end;
	u32 level;
	bool deep;
	struct abbrev *abbrevs;
	size_t nr_abbrevs;
	u8 *steps;
	size_t nr_steps;
	const char *strs;
	size_t strs_size;
};

/*
 * Read the abbreviations of a unit. A walk ends where DWARF is damaged, and
 * unit_walk_end() frees it.
 */
void unit_walk_begin(struct unit_walk *walk, const struct units *units, u32 unit);
void unit_walk_end(struct unit_walk *walk);

/* Begin again with another unit, in place of unit_walk_end() and unit_walk_begin(). */
void unit_walk_again(struct unit_walk *walk, const struct units *units, u32 unit);

/*
 * Sets @die to the next DIE of a function, and @level to its level; if @walk->deep, also of an
 * inlined function, parameter of either, call or block. Returns its abbreviation, NULL if there is
 * none.
 */
const struct abbrev *unit_walk_next(struct unit_walk *walk, Dwarf_Die *die, u32 *level);

/*
 * For a DIE that the walk has just reached: its name, or that of its origin, and its DW_AT_low_pc
 * or DW_AT_call_return_pc. NULL and 0 if only libdw can tell.
 */
const char *unit_walk_name(const struct unit_walk *walk, const struct abbrev *abbrev,
			   const Dwarf_Die *die);
u64 unit_walk_low_pc(const struct abbrev *abbrev, const Dwarf_Die *die);

#endif
