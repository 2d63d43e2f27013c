/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_CODELESS_H
#define BTFADDR_CODELESS_H

#include "funcs/funcs.h"

/**
 * struct unit_range - code of a unit in C by GCC
 * @unit: its number
 */
struct unit_range {
	u64 start, end;
	u32 unit;
};

struct unit_ranges {
	struct unit_range *ranges;
	size_t nr, cap;
};

/* Add the code of a unit, or other ranges; free @ranges->ranges in the end. */
void unit_ranges_add(struct unit_ranges *ranges, Dwarf_Die *cu, u32 unit);
void unit_ranges_append(struct unit_ranges *ranges, const struct unit_ranges *add);

/**
 * struct codeless_func - a function whose code no DIE describes
 * @unit: the unit that its code is from
 * @func: its index
 * @nr: definitions without code that @unit has of its name; @die is the last
 */
struct codeless_func {
	u32 unit, func, nr;
	Dwarf_Die die;
};

/**
 * struct codeless - all of these
 * @list: sorted by unit
 * @first: by unit, index + 1 of its first in @list, 0 if it has none
 */
struct codeless {
	struct funcs *funcs;
	struct codeless_func *list;
	size_t nr;
	u32 *first;
};

/* List them; sorts @ranges. Then each definition without code of the units that have any... */
void codeless_list(struct codeless *c, struct funcs *funcs, struct unit_ranges *ranges);

/* ...is shown to this, which may be called on all threads, ... */
void codeless_define(struct codeless *c, u32 unit, Dwarf_Die *die);

/* ...and this makes what was found the DIEs of functions, and frees @c. */
void codeless_claim(struct codeless *c);

#endif
