/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_FUNC_SECTION_H
#define BTFADDR_FUNC_SECTION_H

#include "btf/btf_image.h"
#include "elf/elf_file.h"

/* Has this file been finished, with addresses in .BTF_func? */
bool func_section_exists(struct elf_file *file);

/**
 * func_section_read() - addresses of a finished vmlinux or module
 * @img: ordinary BTF of @file; its addresses are set
 *
 * Records are in the order of addresses, and each is of a FUNC. In a module each has exactly one
 * relocation, R_X86_64_PC32 against a symbol of the module. Whether the FUNC's function is there is
 * for check_addrs() to say.
 *
 * Return: 0, or -1 after an error message that names the first mismatch. Without
 * the section nothing is done.
 */
int func_section_read(struct btf_image *img, struct elf_file *file);

#endif
