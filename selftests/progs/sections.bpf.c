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

#define EMPTY(name, section) \
	SEC(section)         \
	int name(void *ctx)  \
	{                    \
		return 0;    \
	}

EMPTY(unique_name, "?fentry/bpf_iter_map_fill_link_info")
EMPTY(ambiguous, "?fentry/bpf_iter_detach_map")
EMPTY(several, "?fentry/bpf_iter_detach_*")
EMPTY(missing, "?fentry/bpf_iter_detach_map@nowhere.c")
EMPTY(malformed, "?fentry/bpf_iter_detach_map@")
EMPTY(unbound, "?fentry")

/* Only programs that may sleep have bpf_copy_from_user(): the verifier refuses the others. */
#define COPIES(name, section)                           \
	SEC(section)                                    \
	int name(void *ctx)                             \
	{                                               \
		char c;                                 \
		bpf_copy_from_user(&c, sizeof(c), ctx); \
		return 0;                               \
	}

COPIES(sleepable, "?fentry.s/" SYSCALL("openat"))
COPIES(refused, "?fentry/bpf_iter_map_fill_link_info")
COPIES(refused_other, "?raw_tp/sys_enter")

char LICENSE[] SEC("license") = "GPL";
