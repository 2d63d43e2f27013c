/* SPDX-License-Identifier: GPL-2.0-only */
/* What system calls are called, and where struct pt_regs has the second argument. */
#ifndef SELFTESTS_SYSCALLS_H
#define SELFTESTS_SYSCALLS_H

#ifdef __TARGET_ARCH_arm64
#define SYSCALL(name) "__arm64_sys_" name
#define SECOND(regs)  (regs)->regs[1]
#define REGS	      unsigned long long regs[31]
#else
#define SYSCALL(name) "__x64_sys_" name
#define SECOND(regs)  (regs)->si
#define REGS	      unsigned long si
#endif

#ifdef __bpf__
struct pt_regs {
	REGS;
} __attribute__((preserve_access_index));
#endif

#endif /* SELFTESTS_SYSCALLS_H */
