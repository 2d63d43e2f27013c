// SPDX-License-Identifier: GPL-2.0-only
/* A user's sleepable programs, on a sleepable function. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <fentry.bpf.h>

#include "syscalls.h"

/* Only programs that may sleep have bpf_copy_from_user(). */
SEC("fentry.s/" SYSCALL("openat"))
int FENTRY_PROG(sleepable, const struct pt_regs *regs)
{
	char path[14] = "";

	bpf_copy_from_user(path, sizeof(path) - 1, (void *)SECOND(regs));
	bpf_printk("sleepable %s", path);
	return 0;
}

SEC("fexit.s/vmlinux:" SYSCALL("openat"))
int FEXIT_PROG(sleepable_exit, const struct pt_regs *regs, long ret)
{
	char path[14] = "";

	bpf_copy_from_user(path, sizeof(path) - 1, (void *)SECOND(regs));
	bpf_printk("sleepable_exit %s", path);
	return 0;
}

/* The kernel must refuse this program for functions that may not sleep. */
SEC("?fentry.s")
int anywhere(void *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
