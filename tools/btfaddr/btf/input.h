/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_INPUT_H
#define BTFADDR_INPUT_H

#include "btf/btf_image.h"
#include "elf/elf_file.h"

/* Does the file begin with BTF's magic number? */
bool is_btf_file(const char *path);

/*
 * All readers return 0, or -1 after an error message. @img must be empty; free it with
 * btf_image_free() either way.
 */

/* Read a file that has BTF and nothing else. */
int read_btf_file(const char *path, struct btf_image *img);

/* BTF from a vmlinux's .BTF section. */
int read_vmlinux_btf(struct elf_file *file, struct btf_image *img);

/* The base of modules: of a vmlinux or BTF file. */
int read_base_btf(const char *path, struct btf_image *img);

/**
 * read_module_btf() - BTF of a module, on top of its base
 * @btf: file that has it, with addresses or without; NULL if it is in the module
 * @base: path of a vmlinux or BTF file; NULL if the user gave none, as a module needs none if it
 *	has its base in .BTF.base
 * @base_btf: what read_base_btf() has of it, which the caller keeps until the process ends, or NULL
 * @fresh: pahole has just written the module's .BTF, even if the module was finished before
 * @distilled_ret: set to whether the module has a .BTF.base that belongs to its BTF
 */
int read_module_btf(struct elf_file *file, const char *btf, const char *base,
		    const struct btf_image *base_btf, bool fresh, struct btf_image *img,
		    bool *distilled_ret);

/**
 * func_section_read() - addresses of a finished vmlinux or module
 * @img: ordinary BTF of @file; its addresses are set
 *
 * Records are in the order of addresses, and each is of a FUNC. In a module each has exactly one
 * relocation, struct arch.record_reloc against a symbol of the module. check_addrs() checks the
 * addresses.
 *
 * Return: 0, or -1 after an error message that names the first mismatch. Without
 * the section nothing is done.
 */
int func_section_read(struct btf_image *img, struct elf_file *file);

/**
 * check_addrs() - is there a function of the FUNC's name at each address?
 * @img: BTF of a vmlinux or of a module, with addresses
 * @name: of the file that @img is from, for messages
 *
 * Only function symbols in resident text count, as programs can't be attached elsewhere.
 *
 * Return: 0, also if there is no such function in @file and no address; or -1 after error messages
 * that name the first mismatches.
 */
int check_addrs(const struct btf_image *img, const char *name, const struct elf_file *file);

#endif
