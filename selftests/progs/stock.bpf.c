// SPDX-License-Identifier: GPL-2.0-only
/* A program that is attached by name, as usual. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

unsigned long long hits;
unsigned long long func_ip;

SEC("fentry/bpf_iter_detach_map")
int count(unsigned long long *ctx)
{
	__sync_fetch_and_add(&hits, 1);
	func_ip = bpf_get_func_ip(ctx);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
