/* SPDX-License-Identifier: GPL-2.0-only */
/* What programs that measure attaching and calling share. */
#ifndef FENTRY_BENCH_H
#define FENTRY_BENCH_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS	  5
#define HITS	  5000 /* at a time: few enough to be rarely disturbed */
#define HIT_TIMES 40
#define HIT_NAME  "__x64_sys_umask" /* a hit is a call of this function */

static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static inline void __attribute__((noreturn)) fail(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, why);
	exit(1);
}

/* Returns the least of many times, in ns. @settle_us: attaching leaves work to be done later */
static inline double hit(unsigned int settle_us)
{
	double start, seconds, best = 1e9;
	int i, j;

	usleep(settle_us);
	for (i = 0; i < HIT_TIMES; i++) {
		start = now();
		for (j = 0; j < HITS; j++)
			umask(022);
		seconds = now() - start;
		if (seconds < best)
			best = seconds;
	}
	return best / HITS * 1e9;
}

#endif /* FENTRY_BENCH_H */
