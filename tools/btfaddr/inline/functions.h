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
	size_t cap;
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
 * struct inline_funcs - functions of the source that need a FUNC
 * @list: in the order in which the units have them
 * @sources: the same functions with their signatures in the source, to look up types and
 *	prototypes; func.id is that of the FUNC
 * @syms: their names
 * @base_ids: by function, the id of its FUNC in the input, 0 if it has none
 * @files: paths of files
 * @by_name: maps the address in memory of a name in DWARF to the name's index in @files + 1
 */
struct inline_funcs {
	struct inline_func *list;
	u32 nr;
	size_t cap;
	struct funcs sources;
	struct elf_sym *syms;
	u32 *base_ids;
	struct pool files;
	struct u64map by_name;
};

/* Get the id of the input's FUNC of each function: see struct inline_funcs. */
u32 *base_ids(const struct btf_image *img, const struct funcs *funcs, const struct elf_file *file);

/* The FUNC at the address of the function with index @func - 1; 0 if there is none. */
u32 base_id_at(const struct funcs *funcs, const u32 *ids, u32 func);

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
