/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls of traced functions, printed one by one. */
#ifndef FENTRY_EVENTS_H
#define FENTRY_EVENTS_H

#include "attach/session.h"

struct events;

struct events_opts {
	bool json;  /* print an object for each call */
	bool stack; /* calls have a stack */
	bool time;  /* lines begin with the time and the CPU */
	bool print; /* expressions, not arguments */
	bool brief; /* a line that fits output_width() */
	bool tree;  /* print trees when they are whole; plans for the ends follow @plans */
	bool some;  /* only trees with a call that is wanted, and took this time at least: */
	unsigned long long min_duration; /* ns */
};

/*
 * Make ready to print, or complain.
 * @sel: the functions, to outlive it
 * @plans: what is read of each, to outlive it
 * @opts: how to print; is copied
 * @ret: the printer, to be released with events__free()
 */
int events__new(const struct selection *sel, const struct call_plan *plans,
		const struct events_opts *opts, struct events **ret);

/*
 * All is attached: read the symbols that stacks are shown with, or complain.
 * @session: what is attached, to outlive @e
 */
int events__begin(struct events *e, const struct session *session);

/* Release a printer. @e: may be NULL */
void events__free(struct events *e);

/* Print one call, or note it for its tree. @size: of the event */
void events__print(void *ctx, const struct trace_event *event, size_t size);

/* Print the trees of calls that haven't returned. */
void events__finish(struct events *e);

#endif /* FENTRY_EVENTS_H */
