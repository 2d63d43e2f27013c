/* SPDX-License-Identifier: GPL-2.0 */
/* A tracing session: programs on a set of functions, what they report. */
#ifndef FENTRY_SESSION_H
#define FENTRY_SESSION_H

#include "libfentry.h"

struct session;

/**
 * session__start() - Attach a program to each of the targets.
 * @idx: the index of the targets, to outlive the session
 * @targets: the functions, to outlive the session
 * @cnt: their number
 * @count_only: count the calls, send no events
 * @ret: the session, to be released with session__free()
 *
 * Complains about each target that can't be attached to; that fails only if it
 * is all of them.
 *
 * Return: an exit status.
 */
int session__start(struct fentry_index *idx,
		   const struct fentry_target **targets, size_t cnt,
		   bool count_only, struct session **ret);

/** session__free() - Detach, if need be, and release. @s: may be NULL */
void session__free(struct session *s);

/** session__attached() - Number of functions with a program. @s: the session */
size_t session__attached(const struct session *s);

/** session__poll_fd() - Readable when there are events. @s: the session */
int session__poll_fd(const struct session *s);

/** session__print_events() - Print events that have arrived. @s: the session */
void session__print_events(struct session *s);

/**
 * session__stop() - Detach all programs; afterwards nothing is counted.
 * @s: the session
 */
void session__stop(struct session *s);

/**
 * session__print_counts() - Print how often each function was called.
 * @s: the session, after session__stop()
 *
 * Return: an exit status.
 */
int session__print_counts(const struct session *s);

/**
 * session__report_losses() - Complain if calls were seen but not reported.
 * @s: the session, after session__stop()
 */
void session__report_losses(const struct session *s);

#endif /* FENTRY_SESSION_H */
