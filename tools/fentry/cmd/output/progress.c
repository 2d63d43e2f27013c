// SPDX-License-Identifier: GPL-2.0-only
/* How far something slow is. */
#include "output/progress.h"

void progress__show(struct progress *p, size_t done, size_t cnt)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!p->last.tv_sec)
		p->last = now;
	if (now.tv_sec - p->last.tv_sec - (now.tv_nsec < p->last.tv_nsec) < 1)
		return;
	p->last = now;
	p->shown = true;
	fprintf(stderr, "%sfentry: %s %zu of %zu%s", p->terminal ? "\r" : "", p->what, done, cnt,
		p->terminal ? "" : "\n");
}

void progress__end(struct progress *p)
{
	if (p->shown && p->terminal)
		fputs("\r\033[K", stderr);
}
