// SPDX-License-Identifier: GPL-2.0-only
/* The programs that bench_sites attaches. Both do the same. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

unsigned long long hits = 0;

SEC("kprobe.multi")
int on_any(void *ctx)
{
	__sync_fetch_and_add(&hits, 1);
	return 0;
}

SEC("kprobe")
int on_perf(void *ctx)
{
	__sync_fetch_and_add(&hits, 1);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
