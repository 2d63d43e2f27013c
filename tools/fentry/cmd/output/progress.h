/* SPDX-License-Identifier: GPL-2.0-only */
/* How far something slow is. */
#ifndef FENTRY_PROGRESS_H
#define FENTRY_PROGRESS_H

#include <time.h>

#include "command.h"

/* One line on stderr, rewritten if that is possible. */
struct progress {
	const char *what;
	struct timespec last; /* when it was shown last; 0: not yet, wait for a second */
	bool terminal, shown;
};

#define PROGRESS(_what)                                         \
	{                                                       \
		.what = (_what), .terminal = use_colour(stderr) \
	}

/**
 * progress__show() - Say it, once a second.
 * @p: initialised by PROGRESS()
 * @done: how many are done
 * @cnt: of how many
 */
void progress__show(struct progress *p, size_t done, size_t cnt);

/** progress__end() - Take away what was said on a terminal. @p: as above */
void progress__end(struct progress *p);

#endif /* FENTRY_PROGRESS_H */
