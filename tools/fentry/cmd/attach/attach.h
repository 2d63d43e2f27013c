/* SPDX-License-Identifier: GPL-2.0-only */
/* A program on the functions of a selection. */
#ifndef FENTRY_ATTACH_H
#define FENTRY_ATTACH_H

#include "command.h"
#include "attach/waiter.h"

/**
 * load_for_any() - Load a skeleton for the first function that takes it, or complain.
 * @sel: the functions
 * @load: loads it anew, with its programs on the function at this position
 * @ctx: for @load
 *
 * Return: an exit status.
 */
int load_for_any(const struct selection *sel,
		 int (*load)(void *ctx, size_t i, struct fentry_error *error), void *ctx);

/**
 * attach_to() - Attach a loaded program to functions, or complain.
 * @sel: the functions
 * @prog: the program
 * @what: what is said to have been done if it takes over a second: "attached"
 * @w: asked whether to go on
 * @ret: what is attached, to be released with detach()
 *
 * Complains of the functions that have no program then; that fails only if it is all
 * of them.
 *
 * Return: an exit status.
 */
int attach_to(const struct selection *sel, const struct bpf_program *prog, const char *what,
	      struct waiter *w, struct fentry_multi **ret);

/**
 * complain_left_out() - Complain of the functions that have no program.
 * @sel: the functions
 * @multi: what is attached to them
 */
void complain_left_out(const struct selection *sel, const struct fentry_multi *multi);

/**
 * attach_to_inlined() - Attach a loaded program to inlined calls, or complain.
 * @sel: the selection
 * @first: its first target that is an inlined call; all that follow are
 * @prog: the program, whose cookie counts them from 0
 * @best_effort: some may be left out; else nothing is attached then
 * @w: asked whether to go on
 * @ret: what is attached, to be released with detach()
 *
 * Complains of the calls that have no program then.
 *
 * Return: an exit status.
 */
int attach_to_inlined(const struct selection *sel, size_t first, const struct bpf_program *prog,
		      bool best_effort, struct waiter *w, struct fentry_multi **ret);

/** detach() - Detach, and say how far it is. @multi: may be NULL */
void detach(struct fentry_multi *multi);

#endif /* FENTRY_ATTACH_H */
