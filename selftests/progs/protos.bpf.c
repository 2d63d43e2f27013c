// SPDX-License-Identifier: GPL-2.0-only
/* A program for the tracepoint of the module "protos". */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

int n;
long m;

SEC("tp_btf/protos_event")
int on_event(unsigned long long *ctx)
{
	n = ctx[0];
	m = ctx[1];
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
