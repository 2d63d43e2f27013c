// SPDX-License-Identifier: GPL-2.0
/* A user's program that may sleep, on a function that may not. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("fentry.s/bpf_iter_detach_map@map_iter.c")
int sleepable(void *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
