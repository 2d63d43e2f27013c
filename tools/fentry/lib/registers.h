/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * What the library, the command and its BPF programs know of an architecture: where a probe finds
 * registers, and where the calling convention has arguments.
 */
#ifndef FENTRY_REGISTERS_H
#define FENTRY_REGISTERS_H

#include <linux/ptrace.h>

/*
 * struct registers		what a probe's program is given
 * EACH_REGISTER(X)		X() of its members, in the order of their DWARF numbers
 * REGISTERS			the number of them; a power of two
 * REGISTER_SP			DWARF number of the stack pointer
 * FRAME			a member with the same value at a call's entry and its return, or
 *				one that is RETURN_ADDRESS_SIZE larger at the return
 * RETURN_REGISTER		the member with the returned value
 * RETURN_ADDRESS_SIZE		what a call leaves on the stack
 * ARGUMENT_REGISTERS		DWARF numbers of the registers with the first arguments
 * LARGE_BY_ADDRESS		are structures over 16 bytes passed by their address?
 */
#ifdef __TARGET_ARCH_arm64 /* AAPCS64 */
#define registers	    user_pt_regs
#define REGISTERS	    32
#define REGISTER_SP	    31
#define FRAME		    regs[29]
#define RETURN_REGISTER	    regs[0]
#define RETURN_ADDRESS_SIZE 0
#define ARGUMENT_REGISTERS  0, 1, 2, 3, 4, 5, 6, 7
#define LARGE_BY_ADDRESS    true
#define EACH_REGISTER(X)                                                                      \
	X(regs[0]), X(regs[1]), X(regs[2]), X(regs[3]), X(regs[4]), X(regs[5]), X(regs[6]),   \
		X(regs[7]), X(regs[8]), X(regs[9]), X(regs[10]), X(regs[11]), X(regs[12]),    \
		X(regs[13]), X(regs[14]), X(regs[15]), X(regs[16]), X(regs[17]), X(regs[18]), \
		X(regs[19]), X(regs[20]), X(regs[21]), X(regs[22]), X(regs[23]), X(regs[24]), \
		X(regs[25]), X(regs[26]), X(regs[27]), X(regs[28]), X(regs[29]), X(regs[30]), \
		X(sp)
#else /* psABI 3.2.3 */
#define registers	    pt_regs
#define REGISTERS	    16
#define REGISTER_SP	    7
#define FRAME		    rsp
#define RETURN_REGISTER	    rax
#define RETURN_ADDRESS_SIZE 8
#define ARGUMENT_REGISTERS  5, 4, 1, 2, 8, 9
#define LARGE_BY_ADDRESS    false
#define EACH_REGISTER(X)                                                                      \
	X(rax), X(rdx), X(rcx), X(rbx), X(rsi), X(rdi), X(rbp), X(rsp), X(r8), X(r9), X(r10), \
		X(r11), X(r12), X(r13), X(r14), X(r15)
#endif

#endif /* FENTRY_REGISTERS_H */
