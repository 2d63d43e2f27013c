/* SPDX-License-Identifier: GPL-2.0-only */
/* A tracing session: programs on a set of functions, what they report. */
#ifndef FENTRY_SESSION_H
#define FENTRY_SESSION_H

#include "attach/inlined.h"
#include "attach/task_filter.h"
#include "attach/waiter.h"
#include "bpf/shared.h"
#include "expr/call.h"

struct session;

struct session_opts {
	bool count;			 /* count the calls, send no events */
	bool exit;			 /* report at the end of functions, not at the start */
	unsigned long long min_duration; /* ns; exit: only calls that take as long */
	bool stack;			 /* events have a stack */
	enum trace_by by;		 /* count by this, too */
	const struct tasks *tasks;	 /* whose calls */
	bool best_effort;		 /* some inlined calls may be left out */
	const struct call_plan *plans;	 /* of each function, to outlive the session */
	/*
	 * Takes each event while session__consume() runs. Its values are as the plan
	 * of its target says.
	 */
	void (*on_event)(void *ctx, const struct trace_event *event, size_t size);
	void *ctx;
};

/**
 * session__start() - Attach a program to each of some functions and inlined calls, or complain.
 * @sel: the functions, to outlive the session
 * @opts: what is wanted of them; is copied
 * @w: asked whether to go on
 * @ret: the session, to be released with session__free()
 *
 * Complains about each target that can't be attached to; that fails only if it
 * is all of them. Shows on stderr how far it is if it takes over a second.
 */
int session__start(const struct selection *sel, const struct session_opts *opts, struct waiter *w,
		   struct session **ret);

/** session__free() - Detach and release. @s: may be NULL */
void session__free(struct session *s);

/** session__attached() - Number of functions with a program. @s: the session */
size_t session__attached(const struct session *s);

/** session__inlined() - Number of inlined calls with a program. @s: the session */
size_t session__inlined(const struct session *s);

/** session__poll_fd() - Readable when there are events. @s: the session */
int session__poll_fd(const struct session *s);

/** session__consume() - Hand on a portion of the events. @s: the session */
void session__consume(struct session *s);

/**
 * session__finish() - Hand on the events that are left, as far as time allows.
 * @s: the session, after session__stop()
 */
void session__finish(struct session *s);

/**
 * session__count() - How often a function was called.
 * @ret: calls so far
 *
 * Return: false if no program is attached to it.
 */
bool session__count(const struct session *s, size_t i, unsigned long long *ret);

/**
 * session__next_key() - How often functions were called, by what opts.by says.
 * @key: the last one, or NULL for the first
 * @ret: the next one
 * @calls: its calls so far
 *
 * Return: false if there are no more.
 */
bool session__next_key(const struct session *s, const struct trace_key *key, struct trace_key *ret,
		       unsigned long long *calls);

/** session__stop() - Count and report no more calls; detaching comes later. */
void session__stop(struct session *s);

/**
 * session__losses() - Calls that were seen but not reported.
 * @missed: calls while the same program was running on the CPU
 * @dropped: calls that found the buffer full, or were left in it at the end
 */
void session__losses(const struct session *s, unsigned long long *missed,
		     unsigned long long *dropped);

#endif /* FENTRY_SESSION_H */
