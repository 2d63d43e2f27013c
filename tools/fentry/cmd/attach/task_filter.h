/* SPDX-License-Identifier: GPL-2.0-only */
/* Which tasks' calls are wanted, as options say. */
#ifndef FENTRY_TASK_FILTER_H
#define FENTRY_TASK_FILTER_H

#include <stdbool.h>

#include <bpf/libbpf.h>

#include "bpf/shared.h"

struct tasks {
	struct task_filter filter; /* for the BPF program */
	int cgroup_fd;		   /* -1: any */
	int process_fd;		   /* a pidfd; -1: any process */
};

/* The options' arguments; NULL: not given. */
struct tasks_args {
	const char *pid, *comm, *uid, *cgroup;
	bool follow; /* only the command's calls */
};

/*
 * Understand the options, or complain.
 * @t: what they mean, to be released with tasks__fini() in any case
 * @cmd: the subcommand, for messages
 * @command: what is going to be run, by this process; NULL: nothing
 *
 * This process, and those that read what it prints, are left out: they would trace themselves
 * without end. They are traced if --pid asks for them.
 */
int tasks__init(struct tasks *t, const char *cmd, const struct tasks_args *args, char **command);

/*
 * Tell the loaded programs of calls.bpf.h which tasks are wanted, or complain.
 * @ret: the link that watches what the command starts, to be released with bpf_link__destroy()
 */
int tasks__begin(const struct tasks *t, const struct bpf_map *cgroups, struct bpf_program *on_fork,
		 struct bpf_link **ret);

void tasks__fini(struct tasks *t);

#endif /* FENTRY_TASK_FILTER_H */
