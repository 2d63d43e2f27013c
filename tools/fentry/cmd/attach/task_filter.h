/* SPDX-License-Identifier: GPL-2.0-only */
/* Which tasks' calls are wanted, as options say. */
#ifndef FENTRY_TASK_FILTER_H
#define FENTRY_TASK_FILTER_H

#include "bpf/shared.h"

struct tasks {
	struct task_filter filter; /* for the BPF program */
	int cgroup_fd;		   /* -1: any */
};

/* The options' arguments; NULL: not given. */
struct tasks_args {
	const char *pid, *comm, *uid, *cgroup;
};

/**
 * tasks__init() - Understand the options, or complain.
 * @t: what they mean, to be released with tasks__fini() in any case
 * @cmd: the subcommand, for messages
 * @args: the options
 *
 * This process, and those that read what it prints, are left out: they would trace themselves
 * without end. They are traced if --pid asks for them.
 */
int tasks__init(struct tasks *t, const char *cmd, const struct tasks_args *args);

/** tasks__fini() - Release what it has. */
void tasks__fini(struct tasks *t);

#endif /* FENTRY_TASK_FILTER_H */
