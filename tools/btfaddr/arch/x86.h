/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_X86_H
#define BTFADDR_X86_H

#include "arch/arch.h"

/* Registers of arguments in their order (psABI 3.2.3): 0 rdi, 1 rsi, 2 rdx, 3 rcx, 4 r8, 5 r9 */
#define ARG_REGS 0x3f
#define REG_RDX	 (1u << 2)
#define REG_RCX	 (1u << 3)
#define REG_RAX	 (1u << 6)
#define ALL_REGS (ARG_REGS | REG_RAX)

/* See struct arch. */
void x86_decode(size_t handle, const void *cs_insn, struct insn *ret);

#endif
