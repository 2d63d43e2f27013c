// SPDX-License-Identifier: GPL-2.0-only
/* Functions with the names of those whose prototypes the kernel looks up, but other prototypes. */
#include <linux/compiler.h>

#include "protos.h"

/* The stub says that the task may be NULL; this one doesn't. */
static noinline __noipa int protos_ops__op(struct task_struct *task)
{
	return READ_ONCE(task->pid);
}

/* The tracepoint's template has two more parameters. */
static noinline __noipa int __bpf_trace_protos_event(const int *data)
{
	return READ_ONCE(*data) + 1;
}

/* So has the function that a probe event on the tracepoint attaches to. */
static noinline __noipa int __probestub_protos_event(const int *data)
{
	return READ_ONCE(*data) + 2;
}

/* vmlinux and protos_main.c have one each, with other prototypes. */
static noinline __noipa int bpf_fentry_test3(int a)
{
	return READ_ONCE(a) + 3;
}

int protos_other(int n)
{
	return bpf_fentry_test3(n) + protos_ops__op(current) + __bpf_trace_protos_event(&n) +
	       __probestub_protos_event(&n);
}
