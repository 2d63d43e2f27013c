/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TEST_MODULES_PROTOS_H
#define TEST_MODULES_PROTOS_H

#include <linux/sched.h>

/* What BPF programs may implement; the stub says that the task may be NULL. */
struct protos_ops {
	int (*op)(struct task_struct *task);
};

/* Calls the functions of protos_other.c, so that they are there. */
#ifdef LONE
static inline int protos_other(int n)
{
	return n;
}
#else
int protos_other(int n);
#endif

#endif /* TEST_MODULES_PROTOS_H */
