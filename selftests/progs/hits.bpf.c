// SPDX-License-Identifier: GPL-2.0-only
/* Counts the calls of whatever it is attached to. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

unsigned long long hits;    /* calls */
unsigned long long func_ip; /* address of the function, in the last call */
unsigned int only_tgid;	    /* count only calls by this process; 0: all */

SEC("by_id")
int count(unsigned long long *ctx)
{
	unsigned int tgid = bpf_get_current_pid_tgid() >> 32;

	if (only_tgid && tgid != only_tgid)
		return 0;
	__sync_fetch_and_add(&hits, 1);
	func_ip = bpf_get_func_ip(ctx);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
