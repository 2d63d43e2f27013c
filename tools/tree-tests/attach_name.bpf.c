// SPDX-License-Identifier: GPL-2.0-only
/* The program for which attach_name looks up functions. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("fentry")
int on_entry(void *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
