/* SPDX-License-Identifier: GPL-2.0-only */
/* What the BPF programs that measure calls and the command share. */
#ifndef FENTRY_LATENCY_H
#define FENTRY_LATENCY_H

/* Slot i is for times from 2^i ns, slot 0 also for 0: no clock can leave them. */
#define LATENCY_SLOTS 64

/* How long calls of one function took; in ns. */
struct histogram {
	unsigned long long count, total;
	unsigned long long min, max;		 /* valid if count isn't 0 */
	unsigned long long slots[LATENCY_SLOTS]; /* calls in each */
};

#endif /* FENTRY_LATENCY_H */
