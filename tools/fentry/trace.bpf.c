// SPDX-License-Identifier: GPL-2.0
/*
 * The program behind "fentry trace", loaded once for each target. Its cookie is
 * the number of the target.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "trace.h"

/* No events are sent, only calls counted. */
const volatile _Bool count_only = 0;

/* Calls of each target. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set to the number of targets */
	__type(key, unsigned int);
	__type(value, unsigned long long);
} counts SEC(".maps");

/* Events that found no room, of all targets. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, unsigned long long);
} dropped SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} events SEC(".maps");

static void increment(void *map, unsigned int key)
{
	unsigned long long *value = bpf_map_lookup_elem(map, &key);

	if (value)
		__sync_fetch_and_add(value, 1);
}

SEC("fentry")
int on_entry(unsigned long long *ctx)
{
	unsigned int target = bpf_get_attach_cookie(ctx);
	struct trace_event *e;
	int i;

	increment(&counts, target);
	if (count_only)
		return 0;

	e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);
	if (!e) {
		increment(&dropped, 0);
		return 0;
	}
	e->target = target;
	e->pid = bpf_get_current_pid_tgid();
	e->arg_cnt = bpf_get_func_arg_cnt(ctx);
	bpf_get_current_comm(e->comm, sizeof(e->comm));
#pragma unroll
	for (i = 0; i < TRACE_MAX_ARGS; i++) {
		unsigned long long arg = 0;

		bpf_get_func_arg(ctx, i, &arg);
		e->args[i] = arg;
	}
	bpf_ringbuf_submit(e, 0);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
