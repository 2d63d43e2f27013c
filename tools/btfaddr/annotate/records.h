/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_RECORDS_H
#define BTFADDR_RECORDS_H

#include "btf/btf_image.h"
#include "elf/elf_file.h"

/**
 * records_check() - does each record of a module have its relocation?
 * @img: extended BTF as read from @file; addresses are set to those of @file
 *
 * A record is 0, and exactly one entry of .rela.BTF is for it: R_X86_64_64, addend
 * 0, against a function symbol of the FUNC's name in resident text. That is what
 * the kernel's module loader takes.
 *
 * Return: 0, or -1 after error messages that name the first mismatches.
 */
int records_check(struct btf_image *img, struct elf_file *file);

/* Append the contents of .rela.BTF for what btf_image_write() writes of @img. */
void records_relocate(const struct btf_image *img, const struct elf_file *file,
		      struct buf *out);

#endif
