// SPDX-License-Identifier: GPL-2.0-only
/* A user's program with a helper that its program type doesn't allow. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("fentry/bpf_iter_detach_map@map_iter.c")
int helper(void *ctx)
{
	return bpf_skb_pull_data(ctx, 0);
}

char LICENSE[] SEC("license") = "GPL";
