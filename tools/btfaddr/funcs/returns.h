/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_RETURNS_H
#define BTFADDR_RETURNS_H

#include "funcs/funcs.h"

/* Learn from callers' code whether functions return what the source says, or nothing. */
void settle_returns(struct funcs *funcs, const struct elf_file *file);

#endif
