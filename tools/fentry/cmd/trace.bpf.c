// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs behind "fentry trace", one of which is loaded once for each
 * target. Its cookie is the number of the target.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "pairs.bpf.h"
#include "tasks.bpf.h"
#include "trace.h"

const volatile struct trace_limits limits = {};

#include "values.bpf.h"

/*
 * Programs on one CPU that have begun and not ended: of different targets, in functions
 * that one calls, in interrupts, and in tasks that preempt it.
 */
#define LEVELS 4

/* No events are sent, only calls counted. */
const volatile _Bool count_only = 0;
const volatile _Bool with_stack = 0;
const volatile unsigned int count_by = TRACE_BY_NOTHING;
/* Only calls that take this time at least; ns. 0: how long they take isn't measured. */
const volatile unsigned long long min_duration = 0;

/* Set at the end: detaching many programs takes a while. */
_Bool stopped = 0;

/* Calls of each target. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set to the number of targets */
	__type(key, unsigned int);
	__type(value, unsigned long long);
} counts SEC(".maps");

/* Calls by what count_by says. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);		/* set to TRACE_KEYS if it's used */
	__type(key, struct trace_key);
	__type(value, unsigned long long);
} keyed SEC(".maps");

/* What to do at a call, of each target. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set to the number of targets */
	__type(key, unsigned int);
	__type(value, struct trace_plan);
} plans SEC(".maps");

/* Events and keys that found no room, of all targets. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, unsigned long long);
} dropped SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, LEVELS);
	__type(key, unsigned int);
	__type(value, struct scratch);
} scratches SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} events SEC(".maps");

static __always_inline void increment(void *map, unsigned int key)
{
	unsigned long long *value = bpf_map_lookup_elem(map, &key);

	if (value)
		__sync_fetch_and_add(value, 1);
}

/* A task that is preempted keeps its own, and may end after the one that preempted it. */
static __always_inline struct scratch *claim_scratch(void)
{
	unsigned int i;

	for (i = 0; i < LEVELS; i++) {
		unsigned int key = i;
		struct scratch *s = bpf_map_lookup_elem(&scratches, &key);

		if (s && !__sync_val_compare_and_swap(&s->busy, 0, 1))
			return s;
	}
	return 0;
}

static __always_inline void get_args(struct scratch *s, void *ctx, _Bool exit)
{
	int i;

#pragma unroll
	for (i = 0; i < TRACE_MAX_ARGS; i++) {
		unsigned long long arg = 0;

		bpf_get_func_arg(ctx, i, &arg);
		s->args[i] = arg;
	}
	s->args[TRACE_RETURN] = 0;
	if (exit)
		bpf_get_func_ret(ctx, &s->args[TRACE_RETURN]);
}

static __always_inline void count_key(struct scratch *s,
				      const struct trace_plan *plan,
				      unsigned int target)
{
	unsigned long long *value, one = 1;
	struct trace_key *key = &s->key;

	__builtin_memset(key, 0, sizeof(*key));
	key->target = target;
	if (count_by == TRACE_BY_COMM)
		bpf_get_current_comm(key->text, TRACE_COMM_LEN);
	else if (count_by == TRACE_BY_PID)
		key->number = bpf_get_current_pid_tgid() >> 32;
	else if (count_by == TRACE_BY_TID)
		key->number = (unsigned int)bpf_get_current_pid_tgid();
	else if (count_by == TRACE_BY_UID)
		key->number = (unsigned int)bpf_get_current_uid_gid();
	else if (count_by == TRACE_BY_CPU)
		key->number = bpf_get_smp_processor_id();
	else
		get_key(s, plan);
	value = bpf_map_lookup_elem(&keyed, key);
	if (!value && !bpf_map_update_elem(&keyed, key, &one, BPF_NOEXIST))
		return;
	if (!value)			/* another CPU may have been faster */
		value = bpf_map_lookup_elem(&keyed, key);
	if (value)
		__sync_fetch_and_add(value, 1);
	else
		increment(&dropped, 0);
}

static __always_inline void send(struct scratch *s, void *ctx,
				 const struct trace_plan *plan,
				 unsigned int target)
{
	unsigned long long pid_tgid = bpf_get_current_pid_tgid();
	struct trace_event *e = &s->event;
	unsigned int size;
	long stack_size;

	e->time = bpf_ktime_get_ns();
	e->target = target;
	e->tid = pid_tgid;
	e->pid = pid_tgid >> 32;
	e->cpu = bpf_get_smp_processor_id();
	e->stack_size = 0;
	bpf_get_current_comm(e->comm, sizeof(e->comm));
	s->len = 0;
	if (with_stack) {
		stack_size = bpf_get_stack(ctx, s->data, TRACE_STACK_SIZE, 0);
		e->stack_size = stack_size;
		if (stack_size > 0)
			s->len = stack_size;
	}
	put_values(s, plan);
	size = s->len;
	if (size > sizeof(s->data))
		size = sizeof(s->data);
	if (bpf_ringbuf_output(&events, e, sizeof(*e) + size, 0))
		increment(&dropped, 0);
}

static __always_inline void handle(struct scratch *s, void *ctx,
				   unsigned int target, _Bool exit,
				   unsigned long long duration)
{
	const struct trace_plan *plan = bpf_map_lookup_elem(&plans, &target);

	if (!plan)
		return;
	get_args(s, ctx, exit);
	s->event.failed = 0;
	s->event.duration = duration;
	if (limits.tests && plan->test_cnt && !passes(s, plan))
		return;
	increment(&counts, target);
	if (count_by != TRACE_BY_NOTHING)
		count_key(s, plan, target);
	else if (!count_only)
		send(s, ctx, plan, target);
}

static __always_inline int report(void *ctx, _Bool exit, unsigned long long duration)
{
	unsigned int target = bpf_get_attach_cookie(ctx);
	struct scratch *s;

	if (stopped || !is_wanted(bpf_get_current_pid_tgid() >> 32))
		return 0;
	if (count_only && !limits.tests && count_by == TRACE_BY_NOTHING) {
		increment(&counts, target);
		return 0;
	}
	s = claim_scratch();
	if (!s) {
		increment(&dropped, 0);
		return 0;
	}
	handle(s, ctx, target, exit, duration);
	__sync_lock_test_and_set(&s->busy, 0);
	return 0;
}

/* Of the two programs of a function, the second one reports calls that took long enough. */
static __always_inline int measure(void *ctx, _Bool exit)
{
	unsigned long long now = bpf_ktime_get_ns(), frame = frame_of(ctx), start;
	struct pair_cpu *cpu;

	if (!measuring || !is_wanted(bpf_get_current_pid_tgid() >> 32))
		return 0;
	cpu = pair_enter(frame, exit);
	if (!cpu)
		return 0;
	if (!exit) {
		begin(cpu, frame, bpf_get_func_ip(ctx));
	} else {
		start = take(frame, bpf_get_func_ip(ctx));
		if (start && now - start >= min_duration)
			report(ctx, 1, now - start);
	}
	pair_leave(cpu);
	return 0;
}

SEC("fentry")
int on_entry(void *ctx)
{
	return min_duration ? measure(ctx, 0) : report(ctx, 0, 0);
}

SEC("fexit")
int on_exit(void *ctx)
{
	return min_duration ? measure(ctx, 1) : report(ctx, 1, 0);
}

char LICENSE[] SEC("license") = "GPL";
