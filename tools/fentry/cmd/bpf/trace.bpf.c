// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs behind "fentry trace". A function's attach cookie is its number among the targets;
 * that of a probe, at an inlined call or at the entry of a function, counts from first_site.
 */
#include <stddef.h>

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/calls.bpf.h"
#include "bpf/shared.h"

const volatile struct trace_limits limits = {};

#include "bpf/values.bpf.h"

/*
 * Programs on one CPU that have begun and not ended: of different targets, in functions
 * that one calls, in interrupts, and in tasks that preempt it.
 */
#define LEVELS 4

/* No events are sent, only calls counted. */
const volatile _Bool count_only = 0;
const volatile _Bool with_stack = 0;
/* Calls are reported when they return. */
const volatile _Bool at_exit = 0;
/*
 * Not 0: calls are reported when they begin and when they return, as trees. The plan for the latter
 * is so many behind the one for the former.
 */
const volatile unsigned int tree = 0;

/* Calls of each target. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set to the number of targets */
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, unsigned int);
	__type(value, unsigned long long);
} counts SEC(".maps");

/* Calls by their keys. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);			    /* set to TRACE_KEYS if it's used */
	__uint(key_size, sizeof(struct trace_key)); /* set to what is used of it */
	__type(value, unsigned long long);
} keyed SEC(".maps");

/* Stacks that calls are counted by, padded with 0, by a hash of their frames. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set to TRACE_KEYS if it's used */
	__type(key, unsigned long long);
	__uint(value_size, TRACE_STACK_SIZE);
} stacks SEC(".maps");

/* What to do at a call of each target. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set to the number of targets */
	__type(key, unsigned int);
	__type(value, struct trace_plan);
} plans SEC(".maps");

/* Where the arguments are at probes. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set to the number of these targets */
	__type(key, unsigned int);
	__type(value, struct trace_site);
} sites SEC(".maps");

/* Calls that aren't reported, of all targets, by enum trace_lost. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TRACE_LOST_CNT);
	__type(key, unsigned int);
	__type(value, unsigned long long);
} lost SEC(".maps");

/* With trees, the number of each task's last loss. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, TREE_LOSSES);
	__type(key, unsigned long long);
	__type(value, unsigned long long);
} losses SEC(".maps");
/* Those that found no place there may be any task's. */
unsigned long long loss_cnt = 0, losses_of_all = 0;

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

/* A preempted program keeps its scratch, and may end after the one that preempted it. */
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

/* An event of this task is lost: its tree has a gap. */
static __always_inline void note_loss(void)
{
	unsigned long long task, nr;

	if (!tree)
		return;
	task = bpf_get_current_task();
	nr = __sync_fetch_and_add(&loss_cnt, 1) + 1;
	if (bpf_map_update_elem(&losses, &task, &nr, BPF_ANY))
		__sync_fetch_and_add(&losses_of_all, 1);
}

static __always_inline void put_tree(struct trace_event *e, unsigned long long start, _Bool returns)
{
	unsigned long long *nr;

	e->task = bpf_get_current_task();
	e->start = start;
	e->returns = returns;
	e->lost = losses_of_all;
	if (!loss_cnt)
		return;
	nr = bpf_map_lookup_elem(&losses, &e->task);
	if (nr)
		e->lost += *nr;
}

/* What isn't known of the task is added to s->unknown. */
static __always_inline void get_task(struct scratch *s)
{
	unsigned long long ids;

	if (!limits.task)
		return;
	ids = pid_tgid();
	s->args[TRACE_CGROUP] = bpf_get_current_cgroup_id();
	s->args[TRACE_CPU] = bpf_get_smp_processor_id();
	s->args[TRACE_TASK] = bpf_get_current_task();
	s->args[TRACE_PID] = ids >> 32;
	s->args[TRACE_TID] = (unsigned int)ids;
	if (ids == -1ULL)
		s->unknown |= 1U << TRACE_PID | 1U << TRACE_TID;
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
	s->unknown = 0;
	get_task(s);
	if (exit)
		bpf_get_func_ret(ctx, &s->args[TRACE_RETURN]);
}

/* Note the registers by their DWARF numbers. */
static __always_inline void get_registers(struct scratch *s, const struct registers *regs)
{
	int i = 0;

#define COPY(member) s->regs[i++] = regs->member
	EACH_REGISTER(COPY);
}

static __always_inline _Bool get_site_arg(const struct scratch *s, const struct trace_location *at,
					  unsigned long long *ret)
{
	unsigned long long n = at->offset;
	unsigned int size = at->size;

	*ret = 0;
	if (at->place == TRACE_UNKNOWN)
		return 0;
	if (at->place != TRACE_VALUE)
		n += s->regs[at->reg & (REGISTERS - 1)];
	if (at->place == TRACE_POINTED)
		return size <= sizeof(*ret) && read_bytes(ret, size, n);
	*ret = n;
	return 1;
}

static __always_inline void get_site_args(struct scratch *s, const struct trace_site *site)
{
	unsigned int i;

	s->unknown = (1U << TRACE_MAX_ARGS) - 1 | 1U << TRACE_RETURN;
	get_task(s);
	for (i = 0; i < TRACE_MAX_ARGS; i++) {
		unsigned long long arg;

		if (get_site_arg(s, &site->args[i], &arg))
			s->unknown &= ~(1U << i);
		s->args[i] = arg;
	}
}

/*
 * Two stacks have one hash of 64 bits less often than memory fails. A stack map of the kernel has
 * hashes of as many bits as it has buckets, and loses stacks whose bucket is taken.
 */
static __always_inline _Bool get_stack(struct scratch *s, void *ctx, unsigned long long *ret)
{
	unsigned long long hash = 0;
	unsigned int i;

	if (bpf_get_stack(ctx, s->stack, sizeof(s->stack), 0) <= 0)
		return 0;
	for (i = 0; i < TRACE_STACK_MAX && s->stack[i]; i++) {
		hash = (hash ^ s->stack[i]) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 32;
	}
	*ret = hash;
	if (bpf_map_lookup_elem(&stacks, ret) ||
	    !bpf_map_update_elem(&stacks, ret, s->stack, BPF_NOEXIST))
		return 1;
	return bpf_map_lookup_elem(&stacks, ret); /* another CPU may have been faster */
}

/* Return whether a part of the key can be read. */
static __always_inline _Bool get_key(struct scratch *s, void *ctx, const struct trace_plan *plan,
				     unsigned int by, union trace_part *ret)
{
	if (by == TRACE_BY_STACK)
		return get_stack(s, ctx, &ret->number);
	return by < TRACE_BY_COMM ? get_part(s, plan, by, ret) : get_task_key(by, ret);
}

static __always_inline void count_key(struct scratch *s, void *ctx, const struct trace_plan *plan,
				      unsigned int target)
{
	unsigned long long *value, one = 1;
	struct trace_key *key = &s->key;
	unsigned int i;

	__builtin_memset(key, 0, sizeof(*key));
	key->target = target;
	for (i = 0; i < limits.parts && i < TRACE_PARTS; i++)
		if (!get_key(s, ctx, plan, plan->keys[i], &key->parts[i]))
			key->failed |= 1U << i;
	value = bpf_map_lookup_elem(&keyed, key);
	if (!value && !bpf_map_update_elem(&keyed, key, &one, BPF_NOEXIST))
		return;
	if (!value) /* another CPU may have been faster */
		value = bpf_map_lookup_elem(&keyed, key);
	if (value)
		__sync_fetch_and_add(value, 1);
	else
		increment(&lost, TRACE_LOST_KEY);
}

static __always_inline void send(struct scratch *s, void *ctx, const struct trace_plan *plan,
				 unsigned int target)
{
	unsigned long long ids = pid_tgid();
	struct trace_event *e = &s->event;
	unsigned int size;
	long stack_size;

	e->time = bpf_ktime_get_ns();
	e->target = target;
	e->tid = ids;
	e->pid = ids >> 32;
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
	if (bpf_ringbuf_output(&events, e, sizeof(*e) + size, 0)) {
		increment(&lost, TRACE_LOST_EVENT);
		note_loss();
	}
}

/* Handle a call whose arguments are known. @exit: it returns */
static __always_inline void handle(struct scratch *s, void *ctx, unsigned int target, _Bool exit,
				   const struct pair_time *time)
{
	unsigned int nr = target + (exit ? tree : 0);
	const struct trace_plan *plan = bpf_map_lookup_elem(&plans, &nr);

	if (!plan)
		return;
	s->event.failed = 0;
	s->event.duration = time->duration;
	s->event.wanted = !limits.tests || (plan->test_cnt ? passes(s, plan) : !tree);
	if (tree)
		put_tree(&s->event, time->start, exit);
	else if (!s->event.wanted)
		return;
	if (!tree || !exit)
		increment(&counts, target);
	if (limits.parts)
		count_key(s, ctx, plan, target);
	else if (!count_only)
		send(s, ctx, plan, target);
}

/*
 * Return whether a call has to be looked at, with @ret. It may be enough to count it, unless its
 * arguments are to be kept.
 */
static __always_inline _Bool begin_report(unsigned int target, _Bool keeps, struct scratch **ret)
{
	if (!measuring || !is_wanted())
		return 0;
	if (count_only && !limits.tests && !limits.parts && !keeps) {
		increment(&counts, target);
		return 0;
	}
	*ret = claim_scratch();
	if (!*ret) {
		increment(&lost, TRACE_LOST_LEVEL);
		note_loss();
	}
	return *ret;
}

static __always_inline int report(void *ctx, _Bool exit, const struct pair_time *time)
{
	unsigned int target = bpf_get_attach_cookie(ctx);
	struct scratch *s;

	if (!begin_report(target, 0, &s))
		return 0;
	get_args(s, ctx, exit);
	handle(s, ctx, target, exit, time);
	__sync_lock_test_and_set(&s->busy, 0);
	return 0;
}

/* With a minimum duration, the program at a function's exit reports its calls. */
SEC("?fentry")
int on_entry(void *ctx)
{
	struct pair_time time = {};

	if (min_duration || tree)
		pair_trampoline(ctx, 0, &time);
	/* a call whose start isn't noted is a loss when it returns */
	return min_duration || (tree && !time.start) ? 0 : report(ctx, 0, &time);
}

SEC("?fexit")
int on_exit(void *ctx)
{
	struct pair_time time = {};
	struct pair_cpu *cpu;

	if (!min_duration && !tree)
		return report(ctx, 1, &time);
	if (!measuring || !is_wanted())
		return 0;
	cpu = pair_trampoline(ctx, 1, &time);
	if (!cpu) {
		note_loss();
		return 0;
	}
	report(ctx, 1, &time);
	pair_leave(cpu);
	return 0;
}

/*
 * Where the code of an inlined call begins, or that of a function. Return whether the call's return
 * is of no use.
 */
static __always_inline int at_site(struct registers *ctx)
{
	unsigned int nr = bpf_get_attach_cookie(ctx), target = first_site + nr;
	struct pair_time time = {};
	struct trace_site *site;
	struct scratch *s;

	if (!begin_report(target, at_exit, &s)) {
		if (at_exit) /* an older call's start isn't this one's */
			take(probe_frame(ctx, target, 0), 0, 0);
		return 1;
	}
	site = bpf_map_lookup_elem(&sites, &nr);
	if (site) {
		get_registers(s, ctx);
		get_site_args(s, site);
	}
	if (site && at_exit) { /* at_return() gets the arguments, and which of them are unknown */
		s->args[TRACE_MAX_ARGS] = s->unknown;
		pair_probe(ctx, target, 0, &time, s->args);
		get_task(s); /* one of its slots was taken */
	}
	if (site && (!at_exit || (tree && time.start)))
		handle(s, ctx, target, 0, &time);
	__sync_lock_test_and_set(&s->busy, 0);
	return 0;
}

/* Where a function returns. */
static __always_inline int at_return(struct registers *ctx)
{
	unsigned int target = first_site + bpf_get_attach_cookie(ctx);
	struct pair_time time = {};
	struct pair_cpu *cpu;
	struct scratch *s;

	if (!measuring || !is_wanted())
		return 0;
	s = claim_scratch();
	if (!s) {
		take(probe_frame(ctx, target, 1), 0, 0);
		increment(&lost, TRACE_LOST_LEVEL);
		note_loss();
		return 0;
	}
	cpu = pair_probe(ctx, target, 1, &time, s->args);
	if (cpu) {
		s->unknown = s->args[TRACE_MAX_ARGS];
		s->unknown &= ~(1U << TRACE_RETURN);
		s->args[TRACE_RETURN] = ctx->RETURN_REGISTER;
		get_task(s);
		if (!min_duration && !tree)
			time.duration = 0; /* nobody asked for it */
		handle(s, ctx, target, 1, &time);
		pair_leave(cpu);
	} else {
		note_loss();
	}
	__sync_lock_test_and_set(&s->busy, 0);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
