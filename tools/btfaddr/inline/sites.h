/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_SITES_H
#define BTFADDR_SITES_H

#include "btf/btf_index.h"
#include "funcs/funcs.h"
#include "inline/place.h"

/**
 * struct definition - a function of the source, as a unit has it
 * @die: with its parameters; of the unit's handle
 * @file/@line: where it is defined; the file's name is as DWARF has it, NULL if unknown
 * @path: number of the unit that @die is in
 * @types: hash of the spelling of its types; 0 if such a name stands for several types, so that
 *	only the unit tells which it is
 * @func: index + 1 of the function that is this one, under this very name, in this unit; else 0
 * @needed: it is inlined somewhere, or it has sites and no FUNC
 * @first_param/@nr_params: its parameters in struct unit_sites.types
 * @number: in struct inline_funcs, if it is needed
 */
struct definition {
	Dwarf_Die die;
	const char *name, *file;
	u32 line, path;
	u64 types;
	u32 func;
	bool needed;
	u32 first_param, nr_params;
	u32 number;
};

/**
 * struct site - a call that was inlined
 * @addr: of its first instruction
 * @def: index of what is inlined
 * @parent: index + 1 of the site that it is nested in; 0 if it is in none
 * @caller: index of the definition of the function whose code this is
 * @func: index + 1 of that function; 0 if it has no symbol
 * @file/@line: of the call; the file is an index in struct unit_sites.files, or NO_FILE
 * @first_loc: where its parameters are, in struct unit_sites.locs
 * @origin: ORIGIN_SPLIT or ORIGIN_EMPTY, if it is that
 */
#define NO_FILE UINT32_MAX
struct site {
	u64 addr;
	u32 def, parent, caller, func, file, line;
	u32 first_loc, origin;
};

/**
 * struct unit_sites - what a unit has
 * @files: names of files with calls, as DWARF has them
 */
struct unit_sites {
	struct definition *defs;
	size_t nr_defs, cap_defs;
	struct site *sites;
	size_t nr_sites, cap_sites;
	struct loc_type *types;
	size_t nr_types, cap_types;
	struct loc_param *locs;
	size_t nr_locs, cap_locs;
	const char **files;
	size_t nr_files, cap_files;
};

/**
 * sites_read() - read the inline sites in resident text, on all threads
 * @funcs: with their symbols, and DWARF
 * @types: BTF of the kernel or module, to look up names in
 *
 * Return: by unit; free with sites_free().
 */
struct unit_sites *sites_read(struct funcs *funcs, struct elf_file *file,
			      const struct btf_index *types);
void sites_free(struct unit_sites *sites, u32 nr_units);

#endif
