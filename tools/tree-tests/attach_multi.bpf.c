// SPDX-License-Identifier: GPL-2.0-only
/* The programs that attach_multi attaches. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("fentry.multi")
int on_entry(void *ctx)
{
	return 0;
}

SEC("fexit.multi")
int on_exit(void *ctx)
{
	return 0;
}

/* for globs of this module: the program must be loaded for it */
SEC("?fentry.multi/protos_lone:*")
int of_module(void *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
