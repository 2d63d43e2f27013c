/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_SIGNATURES_H
#define BTFADDR_SIGNATURES_H

#include "funcs/funcs.h"

/* For units_each(): set first_in and next_in, by the units of the functions that have a DIE. */
void funcs_group_by_unit(struct funcs *funcs);

/* Set sig or reason of every function that has a DIE, and link those of each unit. */
void read_all_signatures(struct funcs *funcs, struct elf_file *file);

#endif
