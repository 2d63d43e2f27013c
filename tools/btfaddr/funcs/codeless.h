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

/* Add the code of a unit; free @ranges->ranges in the end. */
void unit_ranges_add(struct unit_ranges *ranges, Dwarf_Die *cu, u32 unit);

/* Find what tells of functions whose code no DIE describes. Sorts @ranges. */
void claim_codeless(struct funcs *funcs, struct unit_ranges *ranges);

#endif
