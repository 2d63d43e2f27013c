/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_CU_PATH_H
#define BTFADDR_CU_PATH_H

#include "util.h"

/**
 * struct cu_paths - paths of compilation units, made relative to the source tree
 * @paths: by unit number
 * @dirs: where the compiler ran
 * @kernel/@others: the folders that paths are relative to, set by cu_paths_relate()
 */
struct cu_paths {
	char **paths;
	char **dirs;
	char *kernel, *others;
	u32 nr;
	size_t cap;
};

/**
 * cu_paths_add() - add a unit
 * @name: its DW_AT_name
 * @comp_dir: its DW_AT_comp_dir, NULL or "" if it has none
 *
 * Return: the unit's number.
 */
u32 cu_paths_add(struct cu_paths *cus, const char *name, const char *comp_dir);

/**
 * cu_paths_relate() - make all paths relative to the top of the source tree
 *
 * The top of the tree is where a file is that every kernel, or every module, is built from. Paths
 * outside of it, as in a module built out of tree, are made relative to the folder that the
 * compiler ran in, or to the one that all of them have in common.
 */
void cu_paths_relate(struct cu_paths *cus);

/**
 * cu_paths_file() - the path of another source file, made relative in the same way
 * @unit: number of a unit that it is part of
 * @name: as DWARF has it
 *
 * Call it after cu_paths_relate().
 *
 * Return: to be freed.
 */
char *cu_paths_file(const struct cu_paths *cus, u32 unit, const char *name);
void cu_paths_free(struct cu_paths *cus);

#endif
