/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_MODULE_LINK_H
#define BTFADDR_MODULE_LINK_H

#include "elf/elf_file.h"

/*
 * A module is not linked yet: each of its sections starts at 0, and relocations say what refers to
 * what. btfaddr links it in memory, at made-up addresses, so that all other code can treat it as a
 * linked file. No made-up address is written to the output: see elf_file_place().
 */

/**
 * module_layout() - make up addresses for sections and undefined symbols
 * @file: has just been opened; its section headers are changed in memory, and externs is set
 *
 * Return: 0, or -1 after an error message.
 */
int module_layout(struct elf_file *file);

/**
 * module_relocate() - apply the relocations of code, tables about code, and DWARF, in memory
 * @file: after module_layout()
 *
 * Return: 0, or -1 after an error message.
 */
int module_relocate(struct elf_file *file);

#endif
