/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_ELF_FILE_H
#define BTFADDR_ELF_FILE_H

#include <gelf.h>

#include "arch/arch.h"

/* Distance between the made-up addresses of a module's undefined symbols. */
#define EXTERN_SIZE 16

/* A function symbol of the symbol table. */
struct elf_sym {
	const char *name; /* points into the file's string table */
	u64 prefix;	  /* first bytes of the name, as a number that sorts as the name does */
	u64 addr;	  /* a link-time address; in a module, one that module_layout() made up */
	u32 index;	  /* the symbol's number in the symbol table */
	bool resident;	  /* it is in text that stays, so not in .init*, .exit* or .altinstr* */
	bool global;	  /* other files may refer to it */
	/*
	 * Functions at other addresses have this name, too. Those outside of resident text count,
	 * as kallsyms lists them.
	 */
	bool ambiguous;
};

/* The bytes from one symbol to another; both 0 if there are none. */
struct elf_range {
	u64 start, end;
};

#define NR_PV_OPS 2

/**
 * struct elf_file - an open ELF file
 * @path: as the user gave it, for messages
 * @arch: what it is for
 * @module: a relocatable file; see module_link.h for its addresses
 * @elf: a module's addresses are changed in it, but only in memory
 * @text: if @has_text, the address from which addresses in BTF count: that of _text; 0 in a module
 * @code: executable sections, sorted by address
 * @symtab: the symbols, in section @symtab_scn
 * @names: their names: @names_len bytes, of which the last is 0
 * @shndx: section numbers of symbols that are too large for @symtab, or NULL
 * @pv_ops: arrays of pointers through which paravirt functions are called
 * @jump_table: table of vmlinux's static branches, which is no section of its own
 * @mcount: likewise, table of the places that ftrace patches
 * @btf_ids: hash_str() of the name of each function in the kernel's lists of BTF ids
 * @externs: in a module, where the made-up addresses of undefined symbols begin: symbol number N
 *	is at @externs + N * EXTERN_SIZE
 * @syms: function symbols, sorted by name, without duplicates. Symbols of one name are in the order
 *	in which kallsyms looks at them: by address in vmlinux, as in the symbol table in a module
 * @starts: addresses of all function symbols, @syms and pieces, sorted
 * @colds: addresses of cold parts to their numbers in the symbol table
 * @nr_pieces: number of symbols that are not in @syms because they name parts of functions:
 *	prefixes that compilers make (__pfx_, __cfi_), and cold parts (.cold)
 */
struct elf_file {
	const char *path;
	int fd;
	Elf *elf;
	const struct arch *arch;
	bool module;
	bool has_text;
	u64 text;
	struct code_section *code;
	size_t nr_code;
	Elf_Scn *symtab_scn;
	Elf_Data *symtab, *shndx;
	const char *names;
	size_t names_len;
	struct elf_range pv_ops[NR_PV_OPS], jump_table, mcount;
	struct u64map btf_ids;
	u64 externs;
	struct elf_sym *syms;
	size_t nr_syms;
	u64 *starts;
	size_t nr_starts;
	size_t nr_pieces;
	struct u64map colds;
};

/**
 * elf_file_open() - open an ELF file
 * @file: filled in; close it with elf_file_close(), also after an error
 *
 * Return: 0, or -1 after an error message.
 */
int elf_file_open(struct elf_file *file, const char *path);

/**
 * elf_file_load() - read the code sections and function symbols of an open file
 *
 * A module needs module_layout() first.
 *
 * Return: 0, or -1 after an error message.
 */
int elf_file_load(struct elf_file *file);
void elf_file_close(struct elf_file *file);

/* Find a section by its name and set @shdr. Returns NULL if there is none. */
Elf_Scn *elf_file_find(struct elf_file *file, const char *name, GElf_Shdr *shdr);

/* Name of a symbol; "" if its offset is not in the string table. */
static inline const char *elf_file_sym_name(const struct elf_file *file, const GElf_Sym *sym)
{
	return sym->st_name < file->names_len ? file->names + sym->st_name : "";
}

/* Name of a section; "" if its offset is not in the string table. */
const char *elf_file_section_name(struct elf_file *file, const GElf_Shdr *shdr);

/* Does the section have code that is loaded into memory? */
static inline bool section_is_code(const GElf_Shdr *shdr)
{
	return (shdr->sh_flags & SHF_ALLOC) && (shdr->sh_flags & SHF_EXECINSTR);
}

/**
 * elf_file_section() - bytes of a section
 * @name: of the section
 * @size_ret: its size in bytes
 *
 * Return: the bytes, owned by @file, or NULL if there is no such section or it
 * has no bytes in the file.
 */
const void *elf_file_section(struct elf_file *file, const char *name, size_t *size_ret);

/* The bytes of a range, of whatever section; NULL if it is empty or not in the file. */
const u8 *elf_file_range(struct elf_file *file, const struct elf_range *range);

/**
 * elf_file_code() - bytes of executable sections
 * @addr: link-time address
 * @len_ret: number of bytes from @addr to the end of the section
 *
 * May be called on several threads.
 *
 * Return: the bytes at @addr, owned by @file, or NULL.
 */
const u8 *elf_file_code(const struct elf_file *file, u64 addr, size_t *len_ret);

/* The executable section that has @addr in it, or at its end; NULL if none. */
const struct code_section *elf_file_code_section(const struct elf_file *file, u64 addr);

/* Address of the last function symbol, or piece of a function, up to @addr; 0 if none. */
u64 elf_file_function_start(const struct elf_file *file, u64 addr);

/* Say that DWARF is missing or can't be read, and what to do about it. Returns -1. */
int elf_file_no_dwarf(struct elf_file *file, const char *why);

/* Name of the undefined symbol whose made-up address is @addr, or NULL. */
const char *elf_file_extern(const struct elf_file *file, u64 addr);

/* The symbol called @name at @addr, or NULL. */
const struct elf_sym *elf_file_find_sym(const struct elf_file *file, const char *name, u64 addr);

/**
 * elf_file_read_sym() - read an entry of the symbol table
 * @section_ret: number of the symbol's section, 0 if it is undefined, absolute or common
 *
 * Return: false if there is no such entry.
 */
bool elf_file_read_sym(const struct elf_file *file, size_t index, GElf_Sym *sym, u32 *section_ret);

/*
 * The place that BTF has for a function at @addr, which must be in an executable section: the
 * offset from _text in a vmlinux; section number << 32 | offset in the section in a module.
 */
u64 elf_file_place(const struct elf_file *file, u64 addr);

/* The address of such a place; false if no executable section has it. */
bool elf_file_addr(const struct elf_file *file, u64 place, u64 *addr_ret);

/* A place as text, to be freed: 0x10, or in a module .text+0x10. */
char *elf_file_place_text(const struct elf_file *file, u64 place);

/* The first symbol called @name in file->syms, or NULL; the next one of the same name, or NULL. */
const struct elf_sym *elf_file_first_sym(const struct elf_file *file, const char *name);
const struct elf_sym *elf_file_next_sym(const struct elf_file *file, const struct elf_sym *sym);

/* Is there any function in resident text? */
bool elf_file_has_functions(const struct elf_file *file);

/* Is there a resident function whose name is @name and a compiler's suffix? */
bool elf_file_has_renamed(const struct elf_file *file, const char *name);

#endif
