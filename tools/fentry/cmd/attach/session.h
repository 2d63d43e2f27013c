/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs on a set of functions, and a tracing session, which takes what they report. */
#ifndef FENTRY_SESSION_H
#define FENTRY_SESSION_H

#include "attach/sites.h"
#include "attach/task_filter.h"
#include "attach/waiter.h"
#include "bpf/shared.h"
#include "values/call.h"

/**
 * load_for_any() - Load programs that are for all functions, or complain.
 * @best_effort: if no function takes them, load those for probes alone
 * @load: loads them for a function; NULL: for probes alone
 *
 * The kernel only loads them for a function that fits.
 */
int load_for_any(const struct selection *sel, bool best_effort,
		 int (*load)(void *ctx, const struct fentry_target *target,
			     struct fentry_error *error),
		 void *ctx);

/** open_skeleton_failed() - Set @error from errno. Return: the negative errno. */
int open_skeleton_failed(struct fentry_error *error);

/** complain_left_out() - Complain of the targets from @first on that @multi has left out. */
void complain_left_out(const struct selection *sel, size_t first, const struct fentry_multi *multi);

/* Two programs on each function: at its start and at its end. */
struct both {
	struct fentry_multi *exit, *entry;     /* by trampolines */
	struct fentry_multi *returns, *probes; /* by probes; returns: NULL without ends */
	struct selection exits;		       /* functions that exit is attached to */
	bool *attached;			       /* of each target: both are */
	/* Calls while both__measure() was on: missed by exit or else entry; and by probes. */
	unsigned long long missed, missed_probes;
};

/* The loaded programs for these places. */
struct both_programs {
	const struct bpf_program *entry, *exit, *probe, *at_return;
};

/**
 * use_probe_links() - Set how programs for a selection's probes shall be attached, if it has any.
 * @at_return: the program at returns; may be NULL
 */
void use_probe_links(const struct selection *sel, struct bpf_program *probe,
		     struct bpf_program *at_return);

/**
 * both__attach() - Attach loaded programs to the start and the end of functions, or complain.
 * @progs: the programs; those for trampolines, or for probes, may be missing if no function has one
 * @w: asked whether to go on
 * @ret: what is attached, to be released with both__detach() whatever is returned
 *
 * Complains of functions that don't have both programs, but fails only if none has.
 */
int both__attach(const struct selection *sel, const struct both_programs *progs, struct waiter *w,
		 struct both *ret);

/** both__count() - Number of functions that have both programs. */
size_t both__count(const struct both *both, const struct selection *sel);

/** both__measure() - Let the programs begin to measure, or end, by calls.bpf.h's @measuring. */
void both__measure(struct both *both, bool *measuring, bool on);

/** both__detach() - Detach, and say how far it is. @both: may be all zeroes */
void both__detach(struct both *both);

/**
 * both__complain_losses() - Say how many calls' start and end were not both seen, and why.
 * @cpus_fd, @buckets_fd: maps of calls.bpf.h
 */
void both__complain_losses(const struct both *both, int cpus_fd, int buckets_fd);

struct session;

struct session_opts {
	bool count;			 /* count the calls, send no events */
	bool exit;			 /* report at the end of functions, not at the start */
	unsigned long long min_duration; /* ns; at exit: only calls that take this time at least */
	bool stack;			 /* events have a stack */
	unsigned int part_cnt;		 /* of the keys to count by, too */
	bool by_stack;			 /* one of them is the stack */
	const struct tasks *tasks;	 /* only these tasks' calls */
	bool best_effort;		 /* some probes may be left out */
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
 * Complains about each target that can't be attached to. Fails if that is all of them, or an
 * inlined call without opts.best_effort. After a second, shows on stderr how far it is.
 */
int session__start(const struct selection *sel, const struct session_opts *opts, struct waiter *w,
		   struct session **ret);

/** session__free() - Detach and release. @s: may be NULL */
void session__free(struct session *s);

/** session__attached() - Number of functions, or of @inlined calls, with a program. */
size_t session__attached(const struct session *s, bool inlined);

/** session__poll_fd() - Readable when there are events. */
int session__poll_fd(const struct session *s);

/** session__consume() - Hand on a portion of the events. */
void session__consume(struct session *s);

/** session__finish() - After the measuring, hand on the events that are left, if time allows. */
void session__finish(struct session *s);

/** session__count() - Calls of a function so far. Return: false if it has no program. */
bool session__count(const struct session *s, size_t i, unsigned long long *ret);

/**
 * session__next_key() - Calls so far, for each key.
 * @key: the last one, or NULL for the first
 *
 * Return: false if there are no more.
 */
bool session__next_key(const struct session *s, const struct trace_key *key, struct trace_key *ret,
		       unsigned long long *calls);

/** session__measure() - Begin to count and report calls, of all functions at once, or end. */
void session__measure(struct session *s, bool on);

/** session__complain_losses() - Say how many calls were seen but not reported, and why. */
void session__complain_losses(const struct session *s);

#endif /* FENTRY_SESSION_H */
