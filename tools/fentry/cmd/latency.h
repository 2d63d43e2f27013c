/* SPDX-License-Identifier: GPL-2.0-only */
/* What the BPF programs that measure calls and the command share. */
#ifndef FENTRY_LATENCY_H
#define FENTRY_LATENCY_H

/* Calls that have begun and not returned: where they are noted. */
#define LATENCY_BUCKETS_SHIFT 12
#define LATENCY_BUCKETS (1 << LATENCY_BUCKETS_SHIFT)
#define LATENCY_BUCKET_CALLS 8

/* Slot i is for times from 2^i ns, slot 0 also for 0: no clock can leave them. */
#define LATENCY_SLOTS 64

/* How long calls of one function took; in ns. */
struct histogram {
	unsigned long long count, total;
	unsigned long long min, max;			/* valid if count isn't 0 */
	unsigned long long slots[LATENCY_SLOTS];	/* calls in each */
};

/* A call that has begun. */
struct latency_call {
	unsigned long long frame;	/* identifies it; 0: the place is free */
	unsigned long long function;	/* its address */
	unsigned long long start;	/* ns */
};

struct latency_bucket {
	struct latency_call calls[LATENCY_BUCKET_CALLS];
};

/* Of each CPU. */
struct latency_cpu {
	unsigned int busy;		/* programs that run on it, nested or preempted */
	unsigned long long missed;	/* calls that ended while one was running */
	unsigned long long unpaired;	/* calls whose start wasn't noted */
	unsigned long long no_room;	/* starts that weren't noted for want of room */
};

#endif /* FENTRY_LATENCY_H */
