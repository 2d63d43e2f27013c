/* SPDX-License-Identifier: GPL-2.0-only */
/* Inlined calls that are traced: a kprobe where the code of each begins. */
#ifndef FENTRY_INLINED_CALLS_H
#define FENTRY_INLINED_CALLS_H

#include "command.h"
#include "bpf/trace.h"

struct inlined_opts {
	bool trace;		/* else the rest has no meaning */
	bool best_effort;	/* leave out what the kernel has no probe for */
	unsigned long long max; /* of places */
};

/* One of them. */
struct inlined_site {
	const struct fentry_inlined_call *call;
	struct trace_site places; /* where the program finds the arguments */
};

/**
 * selection__add_inlined() - Add the inlined calls of a selection's functions, or complain.
 * @sel: the selection, of SELECT_INLINED
 * @specs: other inlined calls to add, see site_spec.h; each must match something
 * @cnt: their number
 * @opts: how many there may be, and whether some may be missing
 *
 * It must be known of each module that is loaded which calls are inlined there, as far as it can
 * have any of these functions, unless some may be missing.
 *
 * Return: an exit status.
 */
int selection__add_inlined(struct selection *sel, char **specs, size_t cnt,
			   const struct inlined_opts *opts);

/**
 * complain_unknown_calls() - Say where it isn't known whether functions are inlined.
 * @targets: the functions
 * @cnt: their number
 * @more: what is said behind it, or ""
 *
 * Return: whether there is anything to say.
 */
bool complain_unknown_calls(const struct fentry_target *const *targets, size_t cnt,
			    const char *more);

/** inlined_site__has() - Is the argument known that a value begins with? @v: of a plan */
static inline bool inlined_site__has(const struct inlined_site *site, const struct trace_value *v)
{
	return v->slot < TRACE_MAX_ARGS && site->places.args[v->slot].place != TRACE_UNKNOWN;
}

/** inlined_call__json() - Print the members of an object that say where it is. */
void inlined_call__json(const struct fentry_inlined_call *call);

#endif /* FENTRY_INLINED_CALLS_H */
