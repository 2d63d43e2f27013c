// SPDX-License-Identifier: GPL-2.0-only
/* One program for each way to refer to a function of the kernel. */
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "syscalls.h"

#define EPERM 1
#define EXDEV 18

struct task_struct {
	int tgid;
};

extern struct task_struct *bpf_task_from_pid(int pid) __ksym;
extern void bpf_task_release(struct task_struct *task) __ksym;

int only_tgid; /* 0: nobody's calls are changed */
int pid;       /* the task to look up */
int found_tgid;

/* The test makes this map. The BTF type of its value says what the pointer points to. */
struct value {
	struct task_struct *task;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, int);
	__type(value, struct value);
} tasks SEC(".maps");

static int is_ours(void)
{
	return only_tgid && bpf_get_current_pid_tgid() >> 32 == only_tgid;
}

SEC("?fmod_ret/" SYSCALL("getpgid"))
long modify_return(void *ctx)
{
	return is_ours() ? -EXDEV : 0;
}

SEC("?lsm/task_getpgid")
int BPF_PROG(deny, struct task_struct *p, int ret)
{
	return is_ours() ? -EPERM : ret;
}

SEC("?syscall")
int look_up(void *ctx)
{
	struct task_struct *task = bpf_task_from_pid(pid);

	if (!task)
		return 1;
	found_tgid = BPF_CORE_READ(task, tgid);
	bpf_task_release(task);
	return 0;
}

SEC("?syscall")
int store(void *ctx)
{
	struct task_struct *task;
	struct value *v;
	int key = 0;

	v = bpf_map_lookup_elem(&tasks, &key);
	if (!v)
		return 1;
	task = bpf_task_from_pid(pid);
	if (!task)
		return 2;
	task = bpf_kptr_xchg(&v->task, task);
	if (task)
		bpf_task_release(task);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
