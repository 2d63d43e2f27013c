/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TEST_MODULES_PROTOS_H
#define TEST_MODULES_PROTOS_H

#include <linux/sched.h>

/* BPF programs may implement these operations. The stub says that the task may be NULL. */
struct protos_ops {
	int (*op)(struct task_struct *task);
};

/* Calls the functions of the module's other file, so that the compiler keeps them. */
int protos_other(int n);

#endif /* TEST_MODULES_PROTOS_H */
