/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_CHECK_H
#define BTFADDR_CHECK_H

#include "btf/btf_image.h"
#include "elf/elf_file.h"

/**
 * check_addrs() - is there a function of the FUNC's name at each address?
 * @img: BTF of a vmlinux or of a module, with addresses
 * @name: of the file that @img is from, for messages
 *
 * A function is a symbol of that type in resident text, which is where programs can be attached.
 *
 * Return: 0, also if there is no such function in @file and no address; or -1 after error messages
 * that name the first mismatches.
 */
int check_addrs(const struct btf_image *img, const char *name, const struct elf_file *file);

#endif
