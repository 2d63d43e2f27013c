/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls of traced functions, printed one by one. */
#ifndef FENTRY_EVENTS_H
#define FENTRY_EVENTS_H

#include "commands/tracer.h"

struct events;

/*
 * Make ready to print, or complain.
 * @tr: the functions are chosen; to outlive it
 * @ret: the printer, to be released with events__free()
 */
int events__new(const struct tracer *tr, struct events **ret);

/* Release a printer. @e: may be NULL */
void events__free(struct events *e);

/* Print one call, or note it for its tree. @size: of the event */
void events__print(void *ctx, const struct trace_event *event, size_t size);

/* Print the trees of calls that haven't returned. */
void events__finish(struct events *e);

#endif /* FENTRY_EVENTS_H */
