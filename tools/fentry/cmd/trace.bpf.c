// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs behind "fentry trace". One of them is loaded for each function, or
 * once for all of them. Its cookie is the number of the function.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "trace.h"

#define EINVAL 22

/* Count calls, and send no events. */
const volatile _Bool count_only = 0;
const volatile _Bool with_stack = 0;
/*
 * The process that prints events: if its own calls made events, they would never
 * end.
 */
const volatile unsigned int own_pid = 0;

/* Set at the end, as detaching many programs takes a while. */
_Bool stopped = 0;

/* Calls of each target. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set to the number of targets */
	__type(key, unsigned int);
	__type(value, unsigned long long);
} counts SEC(".maps");

/* What to copy, of each target. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set to the number of targets */
	__type(key, unsigned int);
	__type(value, struct trace_plan);
} plans SEC(".maps");

/* Events of all targets that found no room. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, unsigned long long);
} dropped SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} events SEC(".maps");

static void increment(void *map, unsigned int key)
{
	unsigned long long *value = bpf_map_lookup_elem(map, &key);

	if (value)
		__sync_fetch_and_add(value, 1);
}

/* Kernel addresses are the upper, negative half. */
static int copy(void *to, const struct trace_capture *c, unsigned long long from)
{
	unsigned int size = c->size;
	void *ptr = (void *)from;
	_Bool user = (long long)from >= 0;

	if (size > TRACE_CAPTURE_SIZE)
		return -EINVAL;
	if (c->kind == TRACE_STRING)
		return user ? bpf_probe_read_user_str(to, size, ptr) :
			      bpf_probe_read_kernel_str(to, size, ptr);
	return (user ? bpf_probe_read_user(to, size, ptr) :
		       bpf_probe_read_kernel(to, size, ptr)) ?: (int)size;
}

static void capture(struct trace_event *e, const struct trace_plan *plan)
{
	int i;

#pragma unroll
	for (i = 0; i < TRACE_CAPTURES; i++) {
		const struct trace_capture *c = &plan->captures[i];

		e->captured[i] = 0;
		if (c->kind != TRACE_NOTHING)
			e->captured[i] = copy(e->data[i], c,
					      e->args[c->arg & (TRACE_ARGS - 1)]);
	}
}

static __always_inline int report(unsigned long long *ctx, _Bool exit)
{
	unsigned int target = bpf_get_attach_cookie(ctx);
	unsigned long long pid_tgid;
	struct trace_plan *plan;
	struct trace_event *e;
	int i;

	pid_tgid = bpf_get_current_pid_tgid();
	if (stopped || (!count_only && pid_tgid >> 32 == own_pid))
		return 0;
	increment(&counts, target);
	if (count_only)
		return 0;

	plan = bpf_map_lookup_elem(&plans, &target);
	e = plan ? bpf_ringbuf_reserve(&events, sizeof(*e), 0) : 0;
	if (!e) {
		increment(&dropped, 0);
		return 0;
	}
	e->time = bpf_ktime_get_ns();
	e->target = target;
	e->tid = pid_tgid;
	e->pid = pid_tgid >> 32;
	e->arg_cnt = bpf_get_func_arg_cnt(ctx);
	bpf_get_current_comm(e->comm, sizeof(e->comm));
#pragma unroll
	for (i = 0; i < TRACE_MAX_ARGS; i++) {
		unsigned long long arg = 0;

		bpf_get_func_arg(ctx, i, &arg);
		e->args[i] = arg;
	}
	e->args[TRACE_RETURN] = 0;
	if (exit)
		bpf_get_func_ret(ctx, &e->args[TRACE_RETURN]);
	e->stack_size = 0;
	if (with_stack)
		e->stack_size = bpf_get_stack(ctx, e->stack, sizeof(e->stack), 0);
	capture(e, plan);
	bpf_ringbuf_submit(e, 0);
	return 0;
}

SEC("fentry")
int on_entry(unsigned long long *ctx)
{
	return report(ctx, 0);
}

SEC("fexit")
int on_exit(unsigned long long *ctx)
{
	return report(ctx, 1);
}

char LICENSE[] SEC("license") = "GPL";
