// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs behind "fentry latency": one notes when a call begins, the other one
 * takes the time when it returns (see calls.bpf.h).
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/shared.h"
#include "bpf/calls.bpf.h"

/* End after so many calls; 0: don't. */
const volatile unsigned long long limit = 0;

/* enum trace_by; 0: by functions alone. */
const volatile unsigned int by = 0;

/* With a limit: calls that were measured, and how many of them are in a histogram. */
unsigned long long measured = 0, added = 0;

/* Calls whose key found no room. */
unsigned long long lost = 0;

/* Of each target. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1); /* set to the number of targets */
	__type(key, unsigned int);
	__type(value, struct histogram);
} histograms SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, LATENCY_KEYS);
	__type(key, struct latency_key);
	__type(value, struct histogram);
} keyed SEC(".maps");

static const struct histogram no_calls;

/* Wakes the command when the limit is reached. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ended SEC(".maps");

static __always_inline unsigned int slot_of(unsigned long long n)
{
	unsigned int log = 0;
	int bits, unit;

	for (unit = 1; unit < LATENCY_UNITS && n >= 1000; unit++) {
		n /= 1000;
		log += LATENCY_UNIT_SLOTS;
	}
	for (bits = 32; bits; bits /= 2)
		if (n >> bits) {
			log += bits;
			n >>= bits;
		}
	return log < LATENCY_SLOTS ? log : LATENCY_SLOTS - 1;
}

/* No other program writes to this CPU's histograms: see calls.bpf.h. */
static __always_inline void add(struct histogram *h, unsigned long long ns)
{
	if (!h->count || ns < h->min)
		h->min = ns;
	if (ns > h->max)
		h->max = ns;
	h->count++;
	h->total += ns;
	h->slots[slot_of(ns) & (LATENCY_SLOTS - 1)]++;
}

/*
 * The command ends when its limit of calls is in the histograms. A program may have taken its turn
 * and not added its call yet, so calls count when they have been added.
 */
static __always_inline void count(struct histogram *h, unsigned long long ns)
{
	unsigned long long n;

	if (!limit) {
		add(h, ns);
		return;
	}
	if (__sync_fetch_and_add(&measured, 1) < limit) {
		add(h, ns);
		__sync_fetch_and_add(&added, 1);
	}
	n = added;
	if (n >= limit) /* again and again, as it may fail */
		bpf_ringbuf_output(&ended, &n, sizeof(n), 0);
}

SEC("?fentry")
int on_entry(void *ctx)
{
	struct pair_time time = {};

	pair_trampoline(ctx, 0, &time);
	return 0;
}

/* The histogram of the key. Another CPU may add it first. */
static __always_inline struct histogram *find_keyed(unsigned int target)
{
	struct latency_key key = { .target = target };
	struct histogram *h;

	key.failed = !get_task_key(by, &key.part);
	h = bpf_map_lookup_elem(&keyed, &key);
	if (h)
		return h;
	bpf_map_update_elem(&keyed, &key, &no_calls, BPF_NOEXIST);
	h = bpf_map_lookup_elem(&keyed, &key);
	if (!h)
		__sync_fetch_and_add(&lost, 1);
	return h;
}

static __always_inline int end(struct pair_cpu *cpu, unsigned int target, unsigned long long ns)
{
	struct histogram *h;

	if (!cpu)
		return 0;
	h = by ? find_keyed(target) : bpf_map_lookup_elem(&histograms, &target);
	if (h)
		count(h, ns);
	pair_leave(cpu);
	return 0;
}

SEC("?fexit")
int on_exit(void *ctx)
{
	unsigned int target = bpf_get_attach_cookie(ctx);
	struct pair_time time = {};
	struct pair_cpu *cpu = pair_trampoline(ctx, 1, &time);

	return end(cpu, target, time.duration);
}

static __always_inline int at_site(struct registers *ctx)
{
	struct pair_time time = {};

	pair_probe(ctx, first_site + bpf_get_attach_cookie(ctx), 0, &time, 0);
	return 0;
}

static __always_inline int at_return(struct registers *ctx)
{
	unsigned int target = first_site + bpf_get_attach_cookie(ctx);
	struct pair_time time = {};
	struct pair_cpu *cpu = pair_probe(ctx, target, 1, &time, 0);

	return end(cpu, target, time.duration);
}

char LICENSE[] SEC("license") = "GPL";
