/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_MODULE_WRITE_H
#define BTFADDR_MODULE_WRITE_H

#include "elf/elf_file.h"

/**
 * struct new_section - a section as it shall be in the output
 * @name: its name; it is added if the module has none of this name
 * @data: its contents; if there are none, the section is removed
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
 * @path: path of the output, which may be the module itself; it gets the module's mode
 * @news: sections to replace, add or remove
 *
 * All other sections keep their numbers, headers and contents; only their offsets in the file
 * change. A module whose section headers would make the output longer than the input and what is
 * added is refused.
 *
 * Return: 0, or -1 after an error message; @path is unchanged then.
 */
int module_write(struct elf_file *file, const char *path, const struct new_section *news,
		 size_t nr);

#endif
