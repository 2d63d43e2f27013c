// SPDX-License-Identifier: GPL-2.0-only
/* Two programs, on functions with different prototypes, use one map for tail calls. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, unsigned int);
} jumps SEC(".maps");

SEC("fentry/vfs_read")
int on_read(void *ctx)
{
	bpf_tail_call(ctx, &jumps, 0);
	return 0;
}

SEC("fentry/vfs_open")
int on_open(void *ctx)
{
	bpf_tail_call(ctx, &jumps, 0);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
