// SPDX-License-Identifier: GPL-2.0-only
/* A BPF object that uses what libfentry adds to one. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "fentry.bpf.h"

struct dentry;
int count;

SEC("fentry/f@a/b.c")
int FENTRY_PROG(seen, struct dentry *dentry, long n)
{
	count += fentry_arg_exists(seen, n) ? n : !!dentry;
	return 0;
}

SEC("fexit/f")
int FEXIT_PROG(left, struct dentry *dentry, long n, long ret)
{
	count += ret;
	return 0;
}

char _license[] SEC("license") = "GPL";
