// SPDX-License-Identifier: GPL-2.0-only
/* Counts the hits of sites by one process. The attach cookie is the number of the site. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define MAX_SITES 8

unsigned long long hits[MAX_SITES], func_ip[MAX_SITES];
unsigned int only_tgid;

SEC("kprobe")
int count(void *ctx)
{
	unsigned long long nr = bpf_get_attach_cookie(ctx);

	if (bpf_get_current_pid_tgid() >> 32 != only_tgid || nr >= MAX_SITES)
		return 0;
	__sync_fetch_and_add(&hits[nr], 1);
	func_ip[nr] = bpf_get_func_ip(ctx);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
