/* SPDX-License-Identifier: GPL-2.0-only */
/* Inlined calls and functions that are traced by a probe where the code of each begins. */
#ifndef FENTRY_SITES_H
#define FENTRY_SITES_H

#include <sys/types.h>

#include "attach/selection.h"
#include "bpf/shared.h"

struct inlined_opts {
	bool trace;	  /* else the rest has no meaning */
	bool best_effort; /* leave out calls where the kernel allows no probe */
};

/* An inlined call that is traced, or the entry of a function; see probe_site__call(). */
struct probe_site {
	const struct fentry_inlined_call *call;
	struct trace_site places; /* where the program finds the arguments */
};

/**
 * site_specs__split() - Move specifications of inlined calls behind those of functions.
 *
 * Those of each kind stay in their order. Return: how many are of functions.
 */
size_t site_specs__split(char **specs, size_t cnt);

/**
 * selection__add_inlined() - Add the inlined calls of a selection's functions, or complain.
 * @sel: the selection, of SELECT_INLINED
 * @specs: other inlined calls to add, as [module:]name@caller or [module:]name@file:line; each
 *	must match something
 * @opts: whether some may be missing
 *
 * Unless some may be missing, there must be a file of each loaded object that may have inlined
 * calls of these functions.
 */
int selection__add_inlined(struct selection *sel, char **specs, size_t cnt,
			   const struct inlined_opts *opts);

/** selection__complain_inlined() - Complain of inlined calls, which the programs don't see. */
void selection__complain_inlined(const struct selection *sel);

/**
 * selection__complain_uncalled() - Complain of functions that have no direct call at all.
 * @called: of each, whether calls were seen
 */
void selection__complain_uncalled(const struct selection *sel, const bool *called);

/**
 * selection__place_sites() - Trace functions that aren't for trampolines by probes, and find the
 *	arguments of all probes, or complain. To be called after selection__add_inlined().
 * @exit: programs run at the functions' exits
 */
int selection__place_sites(struct selection *sel, bool exit);

/** probe_site__call() - The inlined call; NULL without one. @site: may be NULL */
static inline const struct fentry_inlined_call *probe_site__call(const struct probe_site *site)
{
	return site && site->call->section ? site->call : NULL;
}

/** selection__call() - The inlined call that a target is, or NULL. */
static inline const struct fentry_inlined_call *selection__call(const struct selection *sel,
								size_t i)
{
	return probe_site__call(selection__site(sel, i));
}

/** probe_site__has() - Is the argument known that a value is read from? @v: of a plan */
static inline bool probe_site__has(const struct probe_site *site, const struct trace_value *v)
{
	if (v->slot >= TRACE_MAX_ARGS)
		return v->slot != TRACE_RETURN;
	return site->places.args[v->slot].place != TRACE_UNKNOWN;
}

/* The loaded modules. Perf events at inlined calls don't keep a module from being unloaded. */
struct modules {
	struct module {
		char *name;
		ino_t ino; /* differs if the module is loaded again */
	} * modules;	   /* sorted by name */
	size_t cnt;
};

/** modules__read() - Note which modules seem to be loaded. modules__free() releases *@ret. */
void modules__read(struct modules *ret);

void modules__free(struct modules *m);

/**
 * modules__complain_changes() - Say which calls weren't seen because of modules.
 * @before: those that were loaded when the selection was made
 * @sel: what is traced
 * @specs: how the user named it
 *
 * The probes in a module's code go with the module. A module that is loaded later has none, but may
 * have inlined calls, too, if a header defines the function, and functions of the same names.
 */
void modules__complain_changes(const struct modules *before, const struct selection *sel,
			       char **specs, size_t spec_cnt);

#endif /* FENTRY_SITES_H */
