/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_FUNCTIONS_H
#define BTFADDR_FUNCTIONS_H

#include "annotate/annotate.h"
#include "inline/sites.h"

/**
 * struct pool - byte strings, each of them once, numbered as they come
 * @ends: by number, where it ends in @bytes
 */
struct pool {
	struct buf bytes;
	u32 *ends;
	u32 nr;
	struct u64map by_hash;
};

/* The number of these bytes, which must not be more than 4 GB together. */
u32 pool_add(struct pool *pool, const void *data, size_t len);
const void *pool_get(const struct pool *pool, u32 nr, size_t *len_ret);
void pool_free(struct pool *pool);

/**
 * struct inline_func - a function of the source, from all units that have it
 * @def: the first unit's definition
 * @func: index + 1 of its out-of-line function in that unit; 0 if there is none
 * @file: where it is defined, an index of struct inline_funcs.files + 1; 0 if unknown
 * @in_units: several units have it
 */
struct inline_func {
	const struct definition *def;
	u32 func;
	u32 file;
	bool in_units;
};

/**
 * struct entry - a function that the input has no true FUNC for
 * @unknown: its types can't be described, so it isn't written
 */
struct entry {
	struct func *func;
	bool unknown;
};

/**
 * struct inline_funcs - functions of the source that need a FUNC
 * @list: in the order in which the units have them
 * @sources: the same functions with their signatures in the source, to look up types and
 *	prototypes; func.id is that of the FUNC
 * @syms: their names
 * @lies: by id - first id, @nr_lies of them: what is false about a FUNC of the
 *	input, or NULL; owned
 * @entries: the entries; their FUNCs are in @sources, behind those of @list
 * @files: paths of files
 * @by_name: maps the address in memory of a name in DWARF to the name's index in @files + 1
 */
struct inline_funcs {
	struct inline_func *list;
	u32 nr;
	struct funcs sources;
	struct elf_sym *syms;
	char **lies;
	u32 nr_lies;
	struct entry *entries;
	u32 nr_entries;
	struct pool files;
	struct u64map by_name;
};

/**
 * inline_funcs_init() - find the FUNCs of functions
 * @a: loaded, with the functions of funcs_collect(), or of funcs_scan() if its BTF has addresses
 *
 * func.id is set: that of a FUNC of the input, at the function's address if the BTF has addresses;
 * else there are lies and entries, too. An entry has no FUNC before inline_funcs_describe(): its id
 * is ENTRY_ID. Free with inline_funcs_free().
 */
void inline_funcs_init(struct inline_funcs *inl, struct annotator *a);
#define ENTRY_ID UINT32_MAX

/* The FUNC at the address of the function with index @func - 1; 0 if there is none. */
u32 base_id_at(const struct funcs *funcs, u32 func);

/* Index + 1 in @inl->files of file @name of the unit with number @path; 0 if @name is NULL. */
u32 inline_file(struct inline_funcs *inl, const struct funcs *funcs, u32 path, const char *name);

/* Find out which definitions are the same function. Free with inline_funcs_free(). */
void inline_funcs_merge(struct inline_funcs *inl, struct funcs *funcs, struct unit_sites *units);

/*
 * Give each function a FUNC: one of the input if its name and prototype are the same, else a new
 * one. Returns 0, or -1 after an error message.
 */
int inline_funcs_describe(struct inline_funcs *inl, struct annotator *a, const char *name);
void inline_funcs_free(struct inline_funcs *inl);

#endif
