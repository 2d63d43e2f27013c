/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_MODULE_WRITE_H
#define BTFADDR_MODULE_WRITE_H

#include "elf/elf_file.h"

/**
 * struct new_section - a section as it shall be in the output
 * @name: added if the module has none of this name
 * @data: its contents; none at all to remove it
 * @rela_of: name of the section that it relocates, or NULL
 */
struct new_section {
	const char *name;
	struct buf data;
	const char *rela_of;
};

/**
 * module_write() - write a module with some sections changed
 * @file: the module; what module_link.h changed in memory is not written
 * @path: of the output, which may be the module itself; it gets the module's mode
 * @news: sections to replace, add or remove
 *
 * Everything else stays: all other sections with their numbers, headers and
 * contents. Only offsets in the file move.
 *
 * Return: 0, or -1 after an error message; @path is what it was before then.
 */
int module_write(struct elf_file *file, const char *path, const struct new_section *news,
		 size_t nr);

#endif
