/* SPDX-License-Identifier: GPL-2.0-only */
/* A tracing session, which takes what its programs report. */
#ifndef FENTRY_SESSION_H
#define FENTRY_SESSION_H

#include "attach/pair.h"
#include "attach/task_filter.h"
#include "bpf/shared.h"
#include "values/call.h"

struct session;

struct session_opts {
	bool count;			 /* count the calls, send no events */
	bool exit;			 /* report at the end of functions, not at the start */
	unsigned long long min_duration; /* ns; at exit: only calls that take this time at least */
	bool tree;			 /* report at both, see struct trace_event */
	bool stack;			 /* events have a stack */
	unsigned int part_cnt;		 /* of the keys to count by, too */
	unsigned int buffer;		 /* bytes for events, a power of 2; 0: the default */
	bool by_stack;			 /* one of them is the stack */
	const struct tasks *tasks;	 /* only these tasks' calls */
	bool best_effort;		 /* some probes may be left out */
	/* Of each function, to outlive the session. With trees, those for the ends follow. */
	const struct call_plan *plans;
	/*
	 * Takes each event while session__consume() runs. Its values are as the plan
	 * of its target says.
	 */
	void (*on_event)(void *ctx, const struct trace_event *event, size_t size);
	void *ctx;
};

/*
 * Attach a program to each of some functions and inlined calls, or complain.
 * @sel: the functions, to outlive the session
 * @opts: what is wanted of them; is copied
 * @w: asked whether to go on
 * @ret: the session, to be released with session__free()
 *
 * Complains about each target that can't be attached to. Fails if that is all of them, or an
 * inlined call without opts.best_effort. After a second, shows on stderr how far it is.
 */
int session__start(struct selection *sel, const struct session_opts *opts, struct waiter *w,
		   struct session **ret);

/* Detach and release. @s: may be NULL */
void session__free(struct session *s);

/* What is attached. */
const struct pair *session__pair(const struct session *s);

/* Readable when there are events. */
int session__poll_fd(const struct session *s);

/* Hand on a portion of the events. */
void session__consume(struct session *s);

/* After the measuring, hand on the events that are left, if time allows. */
void session__finish(struct session *s);

/* Calls of a function so far. Return: false if it has no program. */
bool session__count(const struct session *s, size_t i, unsigned long long *ret);

/*
 * Calls so far, for each key.
 * @key: the last one, or NULL for the first
 *
 * Return: false if there are no more.
 */
bool session__next_key(const struct session *s, const struct trace_key *key, struct trace_key *ret,
		       unsigned long long *calls);

/* The stack that a key has the number of, padded with 0; false without it. */
bool session__stack(const struct session *s, unsigned long long id,
		    unsigned long long ret[TRACE_STACK_MAX]);

/* Begin to count and report calls, of all functions at once, or end. */
void session__measure(struct session *s, bool on);

/* Say how many calls were seen but not reported, and why. */
void session__complain_losses(const struct session *s);

#endif /* FENTRY_SESSION_H */
