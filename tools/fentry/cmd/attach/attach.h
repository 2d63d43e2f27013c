/* SPDX-License-Identifier: GPL-2.0-only */
/* A program on the functions of a selection, or on its inlined calls; or two on each function. */
#ifndef FENTRY_ATTACH_H
#define FENTRY_ATTACH_H

#include "attach/selection.h"
#include "attach/waiter.h"
#include "bpf/shared.h"

/**
 * complain_unloaded() - Complain that no function takes a program, with what is known of each.
 * @first: why the first one doesn't, for those of which nothing is known
 */
void complain_unloaded(const struct selection *sel, const struct fentry_error *first);

/** open_skeleton_failed() - Say so in @error, after errno. Return: what it was, negative. */
int open_skeleton_failed(struct fentry_error *error);

/** open_ring() - Open a map that is a ring buffer, or complain. */
int open_ring(const struct bpf_map *map, ring_buffer_sample_fn on_event, void *ctx,
	      struct ring_buffer **ret);

/**
 * attach_to() - Attach a loaded program to functions, or complain.
 * @prog: the program
 * @what: what is said to have been done if it takes over a second: "attached"
 * @w: asked whether to go on
 * @ret: what is attached, to be released with detach()
 *
 * Complains of the functions that have no program then; that fails only if it is all
 * of them.
 */
int attach_to(const struct selection *sel, const struct bpf_program *prog, const char *what,
	      struct waiter *w, struct fentry_multi **ret);

/**
 * complain_left_out() - Complain of the functions that have no program.
 * @multi: what is attached to them
 */
void complain_left_out(const struct selection *sel, const struct fentry_multi *multi);

/**
 * attach_to_inlined() - Attach a loaded program to inlined calls, or complain.
 * @first: its first target that is an inlined call; all that follow are
 * @prog: the program, whose cookie counts them from 0
 * @best_effort: some may be left out; else nothing is attached then
 * @w: asked whether to go on
 * @ret: what is attached, to be released with detach()
 *
 * Complains of the calls that have no program then.
 */
int attach_to_inlined(const struct selection *sel, size_t first, const struct bpf_program *prog,
		      bool best_effort, struct waiter *w, struct fentry_multi **ret);

/** detach() - Detach, and say how far it is. @multi: may be NULL */
void detach(struct fentry_multi *multi);

/* Two programs on each function: at its start and at its end. */
struct both {
	struct fentry_multi *exit, *entry;
	struct selection exits; /* functions that exit is attached to */
	bool *attached;		/* of each function: both are */
};

/**
 * both__attach() - Attach two loaded programs to functions, or complain.
 * @entry: the program at their start
 * @exit: the one at their end
 * @w: asked whether to go on
 * @ret: what is attached, to be released with both__detach() whatever is returned
 *
 * Complains of the functions that don't have both then; that fails only if it is all of
 * them.
 */
int both__attach(const struct selection *sel, const struct bpf_program *entry,
		 const struct bpf_program *exit, struct waiter *w, struct both *ret);

/** both__detach() - Detach, and say how far it is. @both: may be all zeroes */
void both__detach(struct both *both);

/**
 * both__losses() - The calls whose start and end were not both seen.
 * @cpus_fd: the map "cpus" of calls.bpf.h
 * @ret: their numbers, of all CPUs
 */
void both__losses(const struct both *both, int cpus_fd, struct pair_cpu *ret);

#endif /* FENTRY_ATTACH_H */
