/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_MODULE_LINK_H
#define BTFADDR_MODULE_LINK_H

#include "elf/elf_file.h"

/*
 * A module is not linked yet: each of its sections starts at 0, and what refers to
 * another is in relocations. It is linked in memory, at addresses that are made up,
 * so that everything else may take it for a linked file. No such address is written
 * to the output.
 */

/**
 * module_layout() - make up addresses for sections and undefined symbols
 * @file: just opened; section headers are changed in memory, externs is set
 *
 * Return: 0, or -1 after an error message.
 */
int module_layout(struct elf_file *file);

/**
 * module_relocate() - apply the relocations of code and of DWARF, in memory
 * @file: after module_layout()
 *
 * Return: 0, or -1 after an error message.
 */
int module_relocate(struct elf_file *file);

#endif
