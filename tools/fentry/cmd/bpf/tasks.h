/* SPDX-License-Identifier: GPL-2.0-only */
/* Which tasks' calls are wanted: the BPF programs and the command share it. */
#ifndef FENTRY_TASKS_H
#define FENTRY_TASKS_H

#define TASKS_COMM_LEN 16
#define TASKS_IGNORED  8

struct task_filter {
	unsigned int pid; /* 0: any */
	unsigned int uid; /* if by_uid */
	_Bool by_uid, by_comm, by_cgroup;
	char comm[TASKS_COMM_LEN]; /* NUL up to its end */
	/* Processes that would trace themselves without end; 0: no more. */
	unsigned int ignored[TASKS_IGNORED];
};

#endif /* FENTRY_TASKS_H */
