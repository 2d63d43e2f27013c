/* SPDX-License-Identifier: GPL-2.0-only */
/* Inlined calls that are traced: a kprobe where the code of each begins. */
#ifndef FENTRY_INLINED_CALLS_H
#define FENTRY_INLINED_CALLS_H

#include <sys/types.h>

#include "attach/selection.h"
#include "bpf/shared.h"

struct inlined_opts {
	bool trace;	  /* else the rest has no meaning */
	bool best_effort; /* leave out what the kernel has no probe for */
};

/* One of them. */
struct inlined_site {
	const struct fentry_inlined_call *call;
	struct trace_site places; /* where the program finds the arguments */
};

/**
 * site_specs__split() - Move specifications of inlined calls behind those of functions.
 * @specs: the specifications; those of each kind stay in their order
 *
 * Return: how many are of functions.
 */
size_t site_specs__split(char **specs, size_t cnt);

/**
 * selection__add_inlined() - Add the inlined calls of a selection's functions, or complain.
 * @sel: the selection, of SELECT_INLINED
 * @specs: other inlined calls to add, as [module:]name@caller or [module:]name@file:line; each
 *	must match something
 * @opts: whether some may be missing
 *
 * It must be known of each module that is loaded which calls are inlined there, as far as it can
 * have any of these functions, unless some may be missing.
 */
int selection__add_inlined(struct selection *sel, char **specs, size_t cnt,
			   const struct inlined_opts *opts);

/**
 * selection__complain_inlined() - Complain of inlined calls, which no program sees.
 * @sel: the functions that have programs
 */
void selection__complain_inlined(const struct selection *sel);

/** inlined_site__has() - Is the argument known that a value begins with? @v: of a plan */
static inline bool inlined_site__has(const struct inlined_site *site, const struct trace_value *v)
{
	return v->slot < TRACE_MAX_ARGS && site->places.args[v->slot].place != TRACE_UNKNOWN;
}

/* Modules that come and go while inlined calls are traced: perf events hold none. */
struct modules {
	struct module {
		char *name;
		ino_t ino; /* another one when it is loaded again */
	} * modules;	   /* sorted by name */
	size_t cnt;
};

/**
 * modules__read() - Note which modules are loaded, as far as that can be known.
 * @ret: to be released with modules__free()
 */
void modules__read(struct modules *ret);

void modules__free(struct modules *m);

/**
 * modules__complain_changes() - Say which inlined calls weren't seen because of modules.
 * @before: those that were loaded when the selection was made
 * @sel: what is traced
 *
 * With a module, the probes in its code are gone. One that is loaded later has none; what a header
 * defines may be inlined there, too.
 */
void modules__complain_changes(const struct modules *before, const struct selection *sel);

#endif /* FENTRY_INLINED_CALLS_H */
