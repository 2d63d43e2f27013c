// SPDX-License-Identifier: GPL-2.0-only
#include <pthread.h>

#include "threads.h"

struct worker {
	void (*fn)(void *ctx, u32 thread);
	void *ctx;
	u32 thread;
	pthread_t id;
	bool started;
};

static void *work(void *arg)
{
	struct worker *worker = arg;

	worker->fn(worker->ctx, worker->thread);
	return NULL;
}

void threads_run(u32 nr, void (*fn)(void *ctx, u32 thread), void *ctx)
{
	struct worker *workers = xcalloc(nr, sizeof(*workers)), *w;
	u32 i;

	for (i = 1; i < nr; i++) {
		w = &workers[i];
		*w = (struct worker){ .fn = fn, .ctx = ctx, .thread = i };
		w->started = !pthread_create(&w->id, NULL, work, w);
	}
	fn(ctx, 0);
	for (i = 1; i < nr; i++) {
		w = &workers[i];
		if (w->started)
			pthread_join(w->id, NULL);
		else
			work(w);
	}
	free(workers);
}
