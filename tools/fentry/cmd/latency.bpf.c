// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs behind "fentry latency": one notes when a call begins, the other one
 * takes the time when it returns (see pairs.bpf.h).
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "latency.h"
#include "pairs.bpf.h"
#include "tasks.bpf.h"

/* End after so many calls; 0: don't. */
const volatile unsigned long long limit = 0;
/* Shorter calls aren't counted; ns. */
const volatile unsigned long long min_duration = 0;

/* Calls measured, if there is a limit. */
unsigned long long measured = 0;

/* Of each target. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);		/* set to the number of targets */
	__type(key, unsigned int);
	__type(value, struct histogram);
} histograms SEC(".maps");

/* Wakes the command when the limit is reached. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ended SEC(".maps");

static __always_inline unsigned int log2_of(unsigned long long n)
{
	unsigned int log = 0;
	int bits;

	for (bits = 32; bits; bits /= 2)
		if (n >> bits) {
			log += bits;
			n >>= bits;
		}
	return log;
}

/* No other program writes to this CPU's histograms: see above. */
static __always_inline void add(struct histogram *h, unsigned long long ns)
{
	if (!h->count || ns < h->min)
		h->min = ns;
	if (ns > h->max)
		h->max = ns;
	h->count++;
	h->total += ns;
	h->slots[log2_of(ns) & (LATENCY_SLOTS - 1)]++;
}

/* Has the limit been reached before? The call that reaches it still counts. */
static __always_inline _Bool is_over(void)
{
	unsigned long long n;

	if (!limit)
		return 0;
	n = __sync_fetch_and_add(&measured, 1) + 1;
	if (n >= limit)		/* again and again, as it may fail */
		bpf_ringbuf_output(&ended, &n, sizeof(n), 0);
	return n > limit;
}

static __always_inline void end(struct pair_cpu *cpu, void *ctx,
				unsigned long long frame)
{
	unsigned long long now = bpf_ktime_get_ns();
	unsigned long long start = take(frame, bpf_get_func_ip(ctx));
	unsigned int target = bpf_get_attach_cookie(ctx);
	struct histogram *h = bpf_map_lookup_elem(&histograms, &target);

	if (!start)
		cpu->unpaired++;
	else if (h && now - start >= min_duration && !is_over())
		add(h, now - start);
}

static __always_inline int run(void *ctx, _Bool exit)
{
	unsigned long long frame = frame_of(ctx);
	struct pair_cpu *cpu;

	if (!measuring || !is_wanted(bpf_get_current_pid_tgid() >> 32))
		return 0;
	cpu = pair_enter(frame, exit);
	if (!cpu)
		return 0;
	if (exit)
		end(cpu, ctx, frame);
	else
		begin(cpu, frame, bpf_get_func_ip(ctx));
	pair_leave(cpu);
	return 0;
}

SEC("fentry")
int on_entry(void *ctx)
{
	return run(ctx, 0);
}

SEC("fexit")
int on_exit(void *ctx)
{
	return run(ctx, 1);
}

char LICENSE[] SEC("license") = "GPL";
