/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls of traced functions, printed one by one. */
#ifndef FENTRY_EVENTS_H
#define FENTRY_EVENTS_H

#include "attach/session.h"
#include "commands/trace_opts.h"

struct events;

/*
 * Make ready to print, or complain.
 * @sel: the functions, to outlive it
 * @plans: what is read of each, to outlive it; with --tree, those for the ends follow
 * @opts: to outlive it
 * @ret: the printer, to be released with events__free()
 */
int events__new(const struct selection *sel, const struct call_plan *plans,
		const struct trace_opts *opts, struct events **ret);

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
