/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_REPORT_H
#define BTFADDR_REPORT_H

#include "annotate/annotate.h"

/* Print what happened, on stdout. */
void report_stats(const struct stats *stats, bool json);

/* Print the functions that have no address, and why not, on stdout. */
void report_left_out(const struct funcs *funcs, const struct elf_file *file);

/**
 * report_dump() - print each FUNC, on stdout, in the order of ids
 * @name: of the file, for messages
 * @file: it, or NULL if it is a BTF file
 *
 * A line has the offset from _text ("-" if it has none), the type id, the
 * compilation unit as its tag tells ("-" if it has none) and the C prototype.
 * A function of a module has section and offset instead, as in .text+0x10. The
 * functions of a module's base are not printed.
 *
 * Return: 0, or -1 after an error message.
 */
int report_dump(const struct btf_image *img, const char *name, const struct elf_file *file);

#endif
