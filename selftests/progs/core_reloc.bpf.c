// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the current task by CO-RE. The structure has only the members that are used, in another
 * order than the kernel's. Without relocation they would be in the wrong places.
 */
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

struct task_struct {
	char comm[16];
	struct task_struct *real_parent;
	int tgid;
};

char comm[16];
int tgid, parent_tgid;
unsigned int size, comm_off; /* of the kernel's structure and member */

SEC("syscall")
int read_task(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	tgid = BPF_CORE_READ(task, tgid);
	parent_tgid = BPF_CORE_READ(task, real_parent, tgid);
	BPF_CORE_READ_STR_INTO(&comm, task, comm);
	size = bpf_core_type_size(struct task_struct);
	comm_off = bpf_core_field_offset(struct task_struct, comm);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
