/* SPDX-License-Identifier: GPL-2.0-only */
/* Two programs on each function of a selection: at its start and at its end. */
#ifndef FENTRY_BOTH_H
#define FENTRY_BOTH_H

#include "command.h"
#include "bpf/pairs.h"
#include "attach/waiter.h"

struct both {
	struct fentry_multi *exit, *entry;
	struct selection exits; /* functions that exit is attached to */
	bool *attached;		/* of each function: both are */
};

/**
 * both__attach() - Attach two loaded programs to functions, or complain.
 * @sel: the functions
 * @entry: the program at their start
 * @exit: the one at their end
 * @w: asked whether to go on
 * @ret: what is attached, to be released with both__detach() whatever is returned
 *
 * Complains of the functions that don't have both then; that fails only if it is all of
 * them.
 *
 * Return: an exit status.
 */
int both__attach(const struct selection *sel, const struct bpf_program *entry,
		 const struct bpf_program *exit, struct waiter *w, struct both *ret);

/** both__detach() - Detach, and say how far it is. @both: may be all zeroes */
void both__detach(struct both *both);

/**
 * both__losses() - The calls whose start and end were not both seen.
 * @both: the programs
 * @cpus_fd: the map "cpus" of pairs.bpf.h
 * @ret: their numbers, of all CPUs
 */
void both__losses(const struct both *both, int cpus_fd, struct pair_cpu *ret);

#endif /* FENTRY_BOTH_H */
