/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BTFADDR_ELF_FILE_H
#define BTFADDR_ELF_FILE_H

#include <gelf.h>

#include "util.h"

/**
 * struct elf_sym - a function symbol of the symbol table
 * @name: points into the file's string table
 * @addr: its value, an absolute link-time address
 * @resident: in text that stays: not .init*, .exit* or .altinstr*
 * @ambiguous: functions of this name stand at other addresses too, be they
 *	resident or not (kallsyms lists both)
 */
struct elf_sym {
	const char *name;
	u64 addr;
	bool resident;
	bool ambiguous;
};

/* The bytes of a section with code, and the address of the first. */
struct elf_code {
	u64 addr;
	size_t size;
	const u8 *data;
};

/**
 * struct elf_file - an open ELF file
 * @path: as the user gave it, for messages
 * @text: value of _text, if @has_text
 * @syms: function symbols, sorted by name, then address, without duplicates
 * @nr_pieces: symbols left out of @syms that name parts of functions:
 *	compiler-made prefixes (__pfx_, __cfi_) and cold parts (.cold)
 * @codes: sections with code
 */
struct elf_file {
	const char *path;
	int fd;
	Elf *elf;
	bool has_text;
	u64 text;
	struct elf_sym *syms;
	size_t nr_syms;
	size_t nr_pieces;
	struct elf_code *codes;
	size_t nr_codes;
};

/**
 * elf_file_open() - open an ELF file and read its function symbols
 * @file: filled in; close it with elf_file_close(), also after an error
 *
 * Return: 0, or -1 after an error message.
 */
int elf_file_open(struct elf_file *file, const char *path);
void elf_file_close(struct elf_file *file);

/**
 * elf_file_section() - bytes of a section
 * @name: of the section
 * @size_ret: its size in bytes
 *
 * Return: the bytes, owned by @file, or NULL if there is no such section or it
 * has no bytes in the file.
 */
const void *elf_file_section(struct elf_file *file, const char *name, size_t *size_ret);

/**
 * elf_file_code() - bytes of executable sections
 * @addr: link-time address
 * @len_ret: how many bytes follow in that section
 *
 * May be called on several threads.
 *
 * Return: the bytes at @addr, owned by @file, or NULL.
 */
const u8 *elf_file_code(const struct elf_file *file, u64 addr, size_t *len_ret);

/* The symbol called @name at @addr, or NULL. */
const struct elf_sym *elf_file_find_sym(const struct elf_file *file, const char *name,
					u64 addr);

/* The first symbol called @name in file->syms, or NULL. */
const struct elf_sym *elf_file_first_sym(const struct elf_file *file, const char *name);

#endif
