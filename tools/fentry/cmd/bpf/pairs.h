/* SPDX-License-Identifier: GPL-2.0-only */
/* What the BPF programs that pair starts and ends of calls and the command share. */
#ifndef FENTRY_PAIRS_H
#define FENTRY_PAIRS_H

/* Calls that have begun and not returned: where they are noted. */
#define PAIR_BUCKETS_SHIFT 12
#define PAIR_BUCKETS	   (1 << PAIR_BUCKETS_SHIFT)
#define PAIR_BUCKET_CALLS  8

/* A call that has begun. */
struct pair_call {
	unsigned long long frame;    /* identifies it; 0: the place is free */
	unsigned long long function; /* its address */
	unsigned long long start;    /* ns */
};

struct pair_bucket {
	struct pair_call calls[PAIR_BUCKET_CALLS];
};

/* Of each CPU. */
struct pair_cpu {
	unsigned int busy;	     /* programs that run on it, nested or preempted */
	unsigned long long missed;   /* calls that ended while one was running */
	unsigned long long unpaired; /* calls whose start wasn't noted */
	unsigned long long no_room;  /* starts that weren't noted for want of room */
};

#endif /* FENTRY_PAIRS_H */
