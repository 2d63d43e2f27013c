// SPDX-License-Identifier: GPL-2.0-only
/* Programs whose sections name their targets. One is loaded at a time. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "syscalls.h"

unsigned long long hits;

SEC("?fentry/bpf_iter_detach_map@map_iter.c")
int entry_with_unit(void *ctx)
{
	__sync_fetch_and_add(&hits, 1);
	return 0;
}

SEC("?fexit/bpf_iter_detach_map@net/core/bpf_sk_storage.c")
int exit_with_unit(void *ctx)
{
	__sync_fetch_and_add(&hits, 1);
	return 0;
}

SEC("?fentry/bpf_iter_map_fill_link_info")
int unique_name(void *ctx)
{
	return 0;
}

SEC("?fentry/bpf_iter_detach_map")
int ambiguous(void *ctx)
{
	return 0;
}

SEC("?fentry/bpf_iter_detach_*")
int several(void *ctx)
{
	return 0;
}

SEC("?fentry/bpf_iter_detach_map@nowhere.c")
int missing(void *ctx)
{
	return 0;
}

SEC("?fentry/bpf_iter_detach_map@")
int malformed(void *ctx)
{
	return 0;
}

SEC("?fentry")
int unbound(void *ctx)
{
	return 0;
}

/* Only programs that may sleep have bpf_copy_from_user(). */
SEC("?fentry.s/" SYSCALL("openat"))
int sleepable(void *ctx)
{
	char c;

	bpf_copy_from_user(&c, sizeof(c), ctx);
	return 0;
}

/* The verifier refuses these two: programs that may not sleep have no bpf_copy_from_user(). */
SEC("?fentry/bpf_iter_map_fill_link_info")
int refused(void *ctx)
{
	char c;

	bpf_copy_from_user(&c, sizeof(c), ctx);
	return 0;
}

SEC("?raw_tp/sys_enter")
int refused_other(void *ctx)
{
	char c;

	bpf_copy_from_user(&c, sizeof(c), ctx);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
