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
 * @fixed: bytes of their attributes, if these are always as many; else 0, and @steps says how to
 *	get over them
 * @sibling: where DW_AT_sibling is among these bytes, counted from 1; 0 if there is none
 * @steps: index in struct unit_walk.steps
 */
struct abbrev {
	u32 tag;
	bool children, has_code, declares, has_place;
	u8 fixed, sibling;
	u32 steps;
};

/**
 * struct unit_walk - the DIEs right below that of a unit, or those of its code
 *
 * libdw looks for the abbreviation of each DIE under a lock, and goes over its attributes several
 * times. Most of a kernel's DIEs are types, which aren't wanted here.
 *
 * @unit: its first byte; @end is behind its last
 * @next: where the next DIE is
 * @level: of that DIE; the unit's is 0, and functions are at 1
 * @deep: what is inlined in functions is wanted, too; set by the caller
 * @abbrevs: by code
 */
struct unit_walk {
	Dwarf_CU *cu;
	const u8 *unit, *next, *end;
	u32 level;
	bool deep;
	struct abbrev *abbrevs;
	size_t nr_abbrevs, cap_abbrevs;
	u8 *steps;
	size_t nr_steps, cap_steps;
};

/*
 * Read the abbreviations of a unit. A walk ends where DWARF is damaged, and
 * unit_walk_end() frees it.
 */
void unit_walk_begin(struct unit_walk *walk, const struct units *units, u32 unit);
void unit_walk_end(struct unit_walk *walk);

/* Sets @die to the next DIE of a tag. Returns its abbreviation, NULL if there is none. */
const struct abbrev *unit_walk_next(struct unit_walk *walk, u32 tag, Dwarf_Die *die);

/*
 * If @walk->deep: sets @die to the next DIE of a function, of an inlined one, of a parameter of
 * one of these, or of a block, and @level to its level.
 */
const struct abbrev *unit_walk_next_code(struct unit_walk *walk, Dwarf_Die *die, u32 *level);

#endif
