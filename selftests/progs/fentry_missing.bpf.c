// SPDX-License-Identifier: GPL-2.0-only
/* A user's program for a function that doesn't exist. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("fentry/bpf_iter_detach_mop")
int missing(void *ctx)
{
	return 0;
}

/* A program of a type that libfentry doesn't handle. */
SEC("?kprobe/no_such_function")
int kprobe(void *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
