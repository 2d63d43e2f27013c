// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records arguments and return values. User space sets the function to attach to and the values to
 * record: nothing here knows a signature, except for "typed".
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "args.h"

struct args_watch watches[ARGS_MAX_WATCHES];
unsigned int watch_cnt;
struct args_call calls[ARGS_MAX_CALLS];
unsigned int call_cnt;
unsigned int only_tgid; /* calls by this process; 0: none */

static __always_inline void record(unsigned long long *ctx, const struct args_watch *w,
				   struct args_value *ret)
{
	unsigned long long value = 0;
	unsigned int i, size = w->size;

	if (w->is_return)
		bpf_get_func_ret(ctx, &value);
	else
		bpf_get_func_arg(ctx, w->slot, &value);
	if (!w->ref_cnt) {
		__builtin_memcpy(ret->bytes, &value, sizeof(value));
		return;
	}
	for (i = 0; i < ARGS_MAX_REFS && i + 1 < w->ref_cnt; i++)
		if (bpf_probe_read_kernel(&value, sizeof(value), (void *)(value + w->offs[i])))
			return;
	if (i < ARGS_MAX_REFS && size <= ARGS_MAX_SIZE)
		bpf_probe_read_kernel(ret->bytes, size, (void *)(value + w->offs[i]));
}

static __always_inline void record_all(unsigned long long *ctx)
{
	unsigned int i, nr;

	if (!only_tgid || bpf_get_current_pid_tgid() >> 32 != only_tgid)
		return;
	nr = call_cnt++ % ARGS_MAX_CALLS; /* one thread: no race */
	for (i = 0; i < ARGS_MAX_WATCHES && i < watch_cnt; i++)
		record(ctx, &watches[i], &calls[nr].values[i]);
}

SEC("?fentry")
int at_entry(unsigned long long *ctx)
{
	record_all(ctx);
	return 0;
}

SEC("?fexit")
int at_exit(unsigned long long *ctx)
{
	record_all(ctx);
	return 0;
}

struct task_struct {
	int pid;
} __attribute__((preserve_access_index));

int wanted_pid;
unsigned int wanted_pid_hits;

/* The verifier lets this through only if the first argument is a task. */
SEC("?fentry")
int typed(unsigned long long *ctx)
{
	struct task_struct *prev = (void *)ctx[0];

	if (prev->pid == wanted_pid)
		__sync_fetch_and_add(&wanted_pid_hits, 1);
	return 0;
}

unsigned int lookup_saddr, lookup_dport;
unsigned long long lookup_flags;

/* Calls __bpf_sk_lookup(); not attached to anything. */
SEC("?tc")
int lookup(struct __sk_buff *skb)
{
	struct bpf_sock_tuple tuple = {};
	struct bpf_sock *sk;

	tuple.ipv4.saddr = lookup_saddr;
	tuple.ipv4.dport = lookup_dport;
	sk = bpf_sk_lookup_tcp(skb, &tuple, sizeof(tuple.ipv4), BPF_F_CURRENT_NETNS, lookup_flags);
	if (sk)
		bpf_sk_release(sk);
	return 0;
}

int update_fd;
int update_key;
unsigned long long update_value;

/* Calls map_update_elem() as BPF's own loader does; not attached to anything. */
SEC("?syscall")
int update(void *ctx)
{
	union bpf_attr attr = {};

	attr.map_fd = update_fd;
	attr.key = (unsigned long)&update_key;
	attr.value = (unsigned long)&update_value;
	return bpf_sys_bpf(BPF_MAP_UPDATE_ELEM, &attr, sizeof(attr));
}

char LICENSE[] SEC("license") = "GPL";
