// SPDX-License-Identifier: GPL-2.0-only
/* A program at inlined calls. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("kprobe")
int at_call(void *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
