/* SPDX-License-Identifier: GPL-2.0-only */
/* Measures how long calls of a set of functions take. */
#ifndef FENTRY_METER_H
#define FENTRY_METER_H

#include "command.h"
#include "bpf/latency.h"
#include "attach/task_filter.h"
#include "attach/waiter.h"

struct meter;

struct meter_opts {
	unsigned long long limit;	 /* measure so many calls; 0: no limit */
	unsigned long long min_duration; /* ns; shorter ones are left out */
	const struct tasks *tasks;	 /* whose calls */
};

/* Calls that are in no histogram. */
struct meter_losses {
	unsigned long long missed;   /* returned while a program was running */
	unsigned long long unpaired; /* their start wasn't noted */
	unsigned long long no_room;  /* of these: for want of room */
	unsigned long long pending;  /* began, and haven't been seen to return */
};

/**
 * meter__start() - Begin to measure some functions, when all have their programs.
 * @sel: the functions, to outlive the meter
 * @opts: what is measured; is copied
 * @w: asked whether to go on
 * @ret: the meter, to be released with meter__free()
 *
 * Complains about each function that can't be measured; that fails only if it is
 * all of them.
 *
 * Return: an exit status.
 */
int meter__start(const struct selection *sel, const struct meter_opts *opts, struct waiter *w,
		 struct meter **ret);

/** meter__free() - Detach and release. @m: may be NULL */
void meter__free(struct meter *m);

/** meter__cnt() - Number of functions that are measured. @m: the meter */
size_t meter__cnt(const struct meter *m);

/** meter__end_fd() - Readable when the limit is reached. @m: the meter */
int meter__end_fd(const struct meter *m);

/**
 * meter__read() - What has been measured of a function so far.
 * @m: the meter
 * @i: number of the target
 * @ret: the histogram of its calls
 *
 * Return: false if it isn't measured.
 */
bool meter__read(const struct meter *m, size_t i, struct histogram *ret);

/** meter__stop() - Measure no more; detaching comes later. @m: the meter */
void meter__stop(struct meter *m);

/**
 * meter__losses() - Calls that were seen but not measured.
 * @m: the meter, stopped
 * @ret: their numbers
 */
void meter__losses(const struct meter *m, struct meter_losses *ret);

#endif /* FENTRY_METER_H */
