/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs on the functions and inlined calls of a selection: one on each, or a pair, where a call
 * begins and where it returns. bpf/calls.bpf.h has what a pair needs.
 */
#ifndef FENTRY_PAIR_H
#define FENTRY_PAIR_H

#include "attach/sites.h"
#include "attach/waiter.h"

/* The targets of a selection that come first have trampolines, the others have probes. */
enum pair_kind { PAIR_TRAMPOLINE, PAIR_PROBE, PAIR_KINDS };

/* The programs of a skeleton for targets of one kind. None of them is loaded by default. */
struct pair_programs {
	struct bpf_program *start; /* where calls begin; or the only one */
	struct bpf_program *end;   /* where they return; NULL: there is none */
	/* For probes: a program for one link that has both; taken if the kernel has such links. */
	struct bpf_program *session;
};

struct pair {
	struct selection *sel;			/* to be set */
	struct pair_programs progs[PAIR_KINDS]; /* of the skeleton, set by pair__load()'s @load */
	struct pair_part {
		size_t first, cnt;		  /* targets of the selection */
		struct fentry_multi *start, *end; /* NULL: not attached */
		bool paired;			  /* by two programs, or one for both */
		unsigned long long missed;	  /* calls while pair__measure() was on */
	} parts[PAIR_KINDS];
};

/*
 * Load programs that are for all functions, or complain.
 * @best_effort: if no function takes them, load those for probes alone
 * @load: opens a skeleton and loads it for a function, see pair__prepare(); NULL: for
 *	probes alone
 *
 * The kernel only loads them for a function that fits.
 */
int pair__load(const struct pair *pair, bool best_effort,
	       int (*load)(void *ctx, const struct fentry_target *target,
			   struct fentry_error *error),
	       void *ctx);

/*
 * Say which programs of an open skeleton are loaded, and how. Of those for probes, those are kept
 * that are used.
 * @target: function that the trampolines' programs are loaded for; NULL: these aren't loaded
 * @bindings: filled, for the loading
 *
 * Return: the number of bindings.
 */
size_t pair__prepare(struct pair *pair, const struct fentry_target *target,
		     struct fentry_binding bindings[2]);

/* Set @error from errno. Return: the negative errno. */
int open_skeleton_failed(struct fentry_error *error);

/* Complain of the targets from @first on that @multi has left out. */
void complain_left_out(struct selection *sel, size_t first, const struct fentry_multi *multi);

/*
 * Attach the programs that were prepared and loaded to all targets, or complain.
 * @pair: to be released with pair__detach() whatever is returned
 * @all: if an inlined call is left out, fail
 * @w: asked whether to go on
 *
 * Complains of each target that doesn't have its programs, but fails only if none has. After a
 * second, shows on stderr how far it is.
 */
int pair__attach(struct pair *pair, bool all, struct waiter *w);

/* Has the target at position @i its programs? */
bool pair__has(const struct pair *pair, size_t i);

/* By what it has them: see fentry_multi__by(). */
const char *pair__by(const struct pair *pair, size_t i);

/* Write how many functions and inlined calls have their programs, as count_text() does. */
void pair__text(const struct pair *pair, char buf[COUNT_TEXT_MAX]);

/* Let the programs begin to measure, or end, by calls.bpf.h's @measuring. */
void pair__measure(struct pair *pair, bool *measuring, bool on);

/* Detach, and show on a terminal how far it is. @pair: may be all zeroes */
void pair__detach(struct pair *pair);

/*
 * Say how many calls weren't seen, and why.
 * @cpus_fd, @buckets_fd: maps of calls.bpf.h
 * @missed: calls that the caller knows of, which came while the program was running
 */
void pair__complain_losses(const struct pair *pair, int cpus_fd, int buckets_fd,
			   unsigned long long missed);

#endif /* FENTRY_PAIR_H */
