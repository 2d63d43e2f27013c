/* SPDX-License-Identifier: GPL-2.0-only */
/* What system calls are called, and where struct pt_regs has the second argument. */
#ifndef SELFTESTS_SYSCALLS_H
#define SELFTESTS_SYSCALLS_H

#ifdef __TARGET_ARCH_arm64
#define SYSCALL(name) "__arm64_sys_" name
#define SECOND(regs)  (regs)->regs[1]
struct pt_regs {
	unsigned long long regs[31];
} __attribute__((preserve_access_index));
#else
#define SYSCALL(name) "__x64_sys_" name
#define SECOND(regs)  (regs)->si
struct pt_regs {
	unsigned long si;
} __attribute__((preserve_access_index));
#endif

#endif /* SELFTESTS_SYSCALLS_H */
