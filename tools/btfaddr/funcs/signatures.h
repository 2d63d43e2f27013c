/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_SIGNATURES_H
#define BTFADDR_SIGNATURES_H

#include "funcs/funcs.h"

/* As funcs_scan(); then set sig or reason of each function. */
int funcs_collect(struct funcs *funcs, struct elf_file *file, u32 nr_threads);

#endif
