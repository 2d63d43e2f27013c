/* SPDX-License-Identifier: GPL-2.0-only */
/* Is a call of a task wanted? For each BPF program that has this filter. */
#ifndef FENTRY_TASKS_BPF_H
#define FENTRY_TASKS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/tasks.h"

const volatile struct task_filter tasks = {};

/* The one that tasks are in, itself or below. */
struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, unsigned int);
} cgroups SEC(".maps");

static __always_inline _Bool has_comm(void)
{
	char comm[TASKS_COMM_LEN] = {};
	int i;

	bpf_get_current_comm(comm, sizeof(comm));
	for (i = 0; i < TASKS_COMM_LEN; i++) {
		if (comm[i] != tasks.comm[i])
			return 0;
		if (!comm[i])
			break;
	}
	return 1;
}

static __always_inline _Bool is_ignored(unsigned int pid)
{
	int i;

	for (i = 0; i < TASKS_IGNORED && tasks.ignored[i]; i++)
		if (tasks.ignored[i] == pid)
			return 1;
	return 0;
}

static __always_inline _Bool is_wanted(unsigned int pid)
{
	if (is_ignored(pid) || (tasks.pid && tasks.pid != pid))
		return 0;
	if (tasks.by_uid && (unsigned int)bpf_get_current_uid_gid() != tasks.uid)
		return 0;
	if (tasks.by_comm && !has_comm())
		return 0;
	return !tasks.by_cgroup || bpf_current_task_under_cgroup(&cgroups, 0) == 1;
}

#endif /* FENTRY_TASKS_BPF_H */
