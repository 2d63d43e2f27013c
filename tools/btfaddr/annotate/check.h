/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_CHECK_H
#define BTFADDR_CHECK_H

#include "btf/btf_image.h"
#include "elf/elf_file.h"

/**
 * check_addrs() - does each address have a symbol of the FUNC's name?
 * @img: extended BTF
 * @name: of the file that @img is from, for messages
 *
 * Return: 0, or -1 after error messages that name the first mismatches.
 */
int check_addrs(const struct btf_image *img, const char *name, struct elf_file *file);

#endif
