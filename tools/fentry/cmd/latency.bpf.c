// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs behind "fentry latency": one notes when a call begins, the other one
 * takes the time when it returns.
 *
 * What tells them that it is the same call is its stack frame. A program's context
 * is in the frame of the trampoline that the call went through, which stays there
 * until the call returns; both programs of a call are run by the one trampoline, and
 * get the same context. No other call that hasn't returned has a frame there, be it a
 * recursion, another task's, or an interrupt's on the same stack. It doesn't matter
 * on which CPU the task goes on. When somebody attaches or detaches another program, calls
 * go through a new trampoline; those in the old one return through that, which either
 * still runs the programs or doesn't run them any more.
 *
 * The kernel doesn't nest a program in itself, but it does nest each of the two in the
 * other: in functions that they call, in interrupts, and in tasks that preempt them. So a
 * start may be noted whose end isn't seen, and must not become that of a later
 * call in the same place. Hence while one of them runs on this CPU, the other one does
 * nothing but forget such a start. For the same reason starts aren't in a hash map:
 * to find one, no function is called that could be traced, and no lock is taken.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "latency.h"
#include "tasks.bpf.h"

/* End after so many calls; 0: don't. */
const volatile unsigned long long limit = 0;
/* Shorter calls aren't counted; ns. */
const volatile unsigned long long min_duration = 0;

/* Attaching and detaching many programs take a while. */
_Bool measuring = 0;

/* Calls measured, if there is a limit. */
unsigned long long measured = 0;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, LATENCY_BUCKETS);
	__type(key, unsigned int);
	__type(value, struct latency_bucket);
} buckets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, struct latency_cpu);
} cpus SEC(".maps");

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

/*
 * The context as a number. The verifier doesn't calculate with pointers, but their
 * differences are numbers; what is subtracted is the same for both programs.
 */
static __always_inline unsigned long long frame_of(void *ctx)
{
	return (unsigned long)ctx - (unsigned long)&measuring;
}

static __always_inline struct latency_cpu *this_cpu(void)
{
	unsigned int key = 0;

	return bpf_map_lookup_elem(&cpus, &key);
}

static __always_inline struct latency_bucket *bucket_of(unsigned long long frame)
{
	/*
	 * Multiplying by 2^64 divided by the golden ratio spreads values that are
	 * near each other.
	 */
	unsigned int key = frame * 0x9e3779b97f4a7c15ULL >>
			   (64 - LATENCY_BUCKETS_SHIFT);

	return bpf_map_lookup_elem(&buckets, &key);
}

static __always_inline struct latency_call *find(struct latency_bucket *b,
						 unsigned long long frame)
{
	int i;

	for (i = 0; i < LATENCY_BUCKET_CALLS; i++)
		if (b->calls[i].frame == frame)
			return &b->calls[i];
	return 0;
}

/* A free place for a call; it stays taken until take() frees it. */
static __always_inline struct latency_call *claim(struct latency_bucket *b,
						  unsigned long long frame)
{
	struct latency_call *call = find(b, frame);
	int i;

	if (call)			/* its return wasn't seen */
		return call;
	for (i = 0; i < LATENCY_BUCKET_CALLS; i++)
		if (!__sync_val_compare_and_swap(&b->calls[i].frame, 0, frame))
			return &b->calls[i];
	return 0;
}

/* Return when the call began, and forget it; 0 if that isn't known. */
static __always_inline unsigned long long take(unsigned long long frame,
					       unsigned long long function)
{
	struct latency_bucket *b = bucket_of(frame);
	struct latency_call *call = b ? find(b, frame) : 0;
	unsigned long long start;

	if (!call)
		return 0;
	start = call->function == function ? call->start : 0;
	__sync_lock_test_and_set(&call->frame, 0);
	return start;
}

static __always_inline void begin(struct latency_cpu *cpu,
				  unsigned long long frame,
				  unsigned long long function)
{
	struct latency_bucket *b = bucket_of(frame);
	struct latency_call *call = b ? claim(b, frame) : 0;

	if (!call) {
		cpu->no_room++;
		return;
	}
	call->function = function;
	call->start = bpf_ktime_get_ns();
}

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

static __always_inline void end(struct latency_cpu *cpu, void *ctx,
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
	struct latency_cpu *cpu = this_cpu();

	if (!cpu || !measuring || !is_wanted(bpf_get_current_pid_tgid() >> 32))
		return 0;
	if (__sync_fetch_and_add(&cpu->busy, 1)) {
		take(frame, 0);
		__sync_fetch_and_add(&cpu->missed, exit);
	} else if (exit) {
		end(cpu, ctx, frame);
	} else {
		begin(cpu, frame, bpf_get_func_ip(ctx));
	}
	__sync_fetch_and_add(&cpu->busy, -1);
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
