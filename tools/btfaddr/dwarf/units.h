/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_UNITS_H
#define BTFADDR_UNITS_H

#include "dwarf/dwarf_die.h"
#include "elf/elf_file.h"

/* A unit of .debug_info. */
struct unit {
	Dwarf_Off off; /* of its DIE */
	Dwarf_Die die; /* from the handle of the thread that has the unit */
	u32 thread;    /* number of that thread, which the first units_each() sets */
	u32 path;      /* its number in struct cu_paths, if it is a compilation unit */
};

/**
 * struct units - all units, and threads to read them
 *
 * libdw keeps state with each handle and unit, which only one thread may use at a time. So each
 * thread has a handle of its own on the same ELF file, and each unit belongs to one thread. A
 * thread must not use a DIE while another thread uses the handle that the DIE is from. So inside
 * units_each() it may use only DIEs of the unit that it was given, and those that can be reached
 * from there.
 *
 * @units: in the file's order
 * @nr_split: how many others are in .dwo files
 * @info_size: size of the section .debug_info
 * @abbrevs: the section .debug_abbrev, of @abbrevs_size bytes
 * @strs: the section .debug_str up to its last 0, of @strs_size bytes
 * @handles: by thread
 */
struct units {
	struct unit *units;
	u32 nr, nr_split;
	const u8 *abbrevs;
	const char *strs;
	size_t info_size, abbrevs_size, strs_size;
	Dwarf **handles;
	u32 nr_threads;
	bool assigned;
};

/**
 * units_open() - open the DWARF of a file, and list its units
 * @file: must outlive @units; its line tables are cut in memory
 * @nr_threads: number of threads to use, at most; at least 1
 *
 * Return: 0, or -1 after an error message. Close with units_close() either way.
 */
int units_open(struct units *units, struct elf_file *file, u32 nr_threads);
void units_close(struct units *units);

/**
 * units_each() - call a function for each unit, on all threads
 * @fn: gets the unit's index
 *
 * Whatever @fn writes to must belong to its unit. In the first pass a unit goes to
 * the first thread that is free, and stays with it: its DIEs are of that handle.
 */
void units_each(struct units *units, void (*fn)(void *ctx, u32 unit), void *ctx);

/*
 * The number in struct cu_paths of the unit that a DIE is in, which may be another unit than @unit,
 * whose handle the DIE is from.
 */
u32 unit_path_of(const struct units *units, u32 unit, Dwarf_Die *die);

/*
 * The name of file number @file in the unit that @die is in, NULL if there is none. @die is from
 * the handle of @unit, and the name lasts until units_close().
 */
const char *units_file(const struct units *units, u32 unit, Dwarf_Die *die, u64 file);

/* Paths of compilation units, made relative to the source tree. */
struct cu_paths {
	char **paths;	       /* by unit number */
	char **dirs;	       /* where the compiler ran */
	char *kernel, *others; /* the folders that paths are relative to, by cu_paths_relate() */
	u32 nr;
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
 * A file that every kernel, or every module, is built from tells where the top is. Paths outside of
 * the tree, as in a module built out of tree, are made relative to the folder that the compiler ran
 * in, or to the folder that all of them have in common.
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
