/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that were meant and have no program, and why: a line for each reason. */
#ifndef FENTRY_LEFT_OUT_H
#define FENTRY_LEFT_OUT_H

#include "libfentry.h"

struct verdicts;

struct left_out {
	struct left_out_group *groups; /* one for each reason */
	size_t cnt;
	bool inlined; /* they are inlined calls */
};

/**
 * left_out__add() - Add a function.
 * @l: the functions so far; zeroed at first
 * @label: what the function is called
 * @message: complaint about it, of which all is the reason but for the label
 */
void left_out__add(struct left_out *l, const char *label, const char *message);

/**
 * left_out__add_untraceable() - Add a function if it is known that it can't be traced.
 * @v: what is known; may be NULL
 *
 * Return: whether it is known.
 */
bool left_out__add_untraceable(struct left_out *l, struct verdicts *v,
			       const struct fentry_target *target);

/**
 * left_out__add_undescribed() - Add the functions that BTF doesn't describe.
 * @spec: what means them, with no unit
 * @init: those of init text, too, which is gone
 */
void left_out__add_undescribed(struct left_out *l, struct verdicts *v,
			       const struct fentry_spec *spec, bool init);

/** left_out__complain() - Complain of each reason, and release it. @l: the functions */
void left_out__complain(struct left_out *l);

#endif /* FENTRY_LEFT_OUT_H */
