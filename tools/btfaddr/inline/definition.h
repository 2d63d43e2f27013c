/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_DEFINITION_H
#define BTFADDR_DEFINITION_H

#include "inline/sites.h"

/**
 * struct definitions - the functions of the source that a unit tells of
 * @unit: its index
 * @gcc: who compiled it
 * @by_die: the die_key() of a definition to its index in @out->defs + 1
 * @by_param: that of a parameter to its index in @out->types + 1
 * @by_type: that of a type to what is known of it
 */
struct definitions {
	const struct funcs *funcs;
	const struct btf_index *idx;
	struct unit_sites *out;
	u32 unit;
	bool gcc;
	struct u64map by_die, by_param, by_type;
};

void definitions_free(struct definitions *defs);

/*
 * The definition that a DIE stands for, be it its own, or that of an inlined or concrete
 * function. Returns its index + 1, 0 if it is damaged.
 */
u32 definition_of(struct definitions *defs, Dwarf_Die *die);

/* The name of file number @file in the unit that @die is in, NULL if there is none. */
const char *die_file(Dwarf_Die *die, u64 file);

#endif
