/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_PROLOGUE_H
#define BTFADDR_PROLOGUE_H

#include "util.h"

/**
 * prologue_len() - length of the code that no argument register notices
 * @code: first bytes of a function
 *
 * endbr64, the call or nop of ftrace, push, mov %rsp,%rbp, sub $n,%rsp. Compilers may let
 * a location list begin behind these. Known by their bytes, as every function is asked for
 * them, and decoding is for those of which more must be known.
 */
size_t prologue_len(const u8 *code, size_t len);

#endif
