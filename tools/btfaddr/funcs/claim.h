/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_CLAIM_H
#define BTFADDR_CLAIM_H

#include "funcs/funcs.h"

/**
 * func_claim() - say that the code of a function is what a DIE describes
 * @die: of unit number @unit, which @cc compiled
 * @name: its DW_AT_name
 * @is_c: it is written in C
 *
 * If several do, the one of the function's own name is believed.
 */
void func_claim(struct func *func, Dwarf_Die *die, const char *name, u32 unit,
		const struct compiler *cc, bool is_c);

#endif
