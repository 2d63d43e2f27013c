/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_SCAN_H
#define BTFADDR_SCAN_H

#include "funcs/funcs.h"

/**
 * scan_dwarf() - open the DWARF of a file and find the DIE of each function
 * @funcs: with its symbols; dw, units, cus and the functions' DIEs are set
 *
 * Return: 0, or -1 after an error message.
 */
int scan_dwarf(struct funcs *funcs, struct elf_file *file, u32 nr_threads);

/*
 * The function whose first instruction is that of the code of @die: its index + 1, 0 if there is no
 * symbol.
 */
u32 scan_entry(const struct funcs *funcs, Dwarf_Die *die);

#endif
