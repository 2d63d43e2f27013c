// SPDX-License-Identifier: GPL-2.0-only
/* Prints a line for each read and write, also for those of its own output. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("fentry/vfs_read")
int reads(void *ctx)
{
	bpf_printk("reads");
	return 0;
}

SEC("fentry/vfs_write")
int writes(void *ctx)
{
	bpf_printk("writes");
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
