/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_COLLECT_H
#define BTFADDR_COLLECT_H

#include "funcs/funcs.h"

/**
 * funcs_scan() - list the functions of a file, and find where its DWARF describes each
 *
 * As funcs_collect(), but without signatures.
 */
int funcs_scan(struct funcs *funcs, struct elf_file *file, u32 nr_threads);

/**
 * funcs_collect() - list the functions of a file and establish their signatures
 * @file: must outlive @funcs
 * @nr_threads: to read DWARF with, at most; the result doesn't depend on it
 *
 * Return: 0, or -1 after an error message; free with funcs_free() either way.
 */
int funcs_collect(struct funcs *funcs, struct elf_file *file, u32 nr_threads);

#endif
