/* SPDX-License-Identifier: GPL-2.0-only */
/* Inlined calls and functions that are traced by a probe where the code of each begins. */
#ifndef FENTRY_SITES_H
#define FENTRY_SITES_H

#include "attach/selection.h"
#include "bpf/shared.h"

/* An inlined call that is traced, or the entry of a function; see probe_site__call(). */
struct probe_site {
	const struct fentry_inlined_call *call;
	struct trace_site places; /* where the program finds the arguments */
};

/* What a command wants of a selection. */
struct choice {
	const char *cmd;  /* its name, if it has an option --inlined; else NULL */
	struct waiter *w; /* waits for modules that aren't loaded; NULL: they are an error */
	bool *exit;	  /* programs run at the functions' exits; may become true */
	bool inlined;	  /* inlined calls, too */
	bool best_effort; /* some of these may be missing, or a specification's function */
	/* Does a condition that isn't NULL need the exits of what was found? */
	bool (*implies_exit)(const char *condition, const struct selection *sel);
	const char *condition;
};

/*
 * From specifications to what is traced, by trampolines and by probes; or complain, also of calls
 * that aren't seen.
 * @sel: zeroed; to be released with selection__fini() in any case
 * @texts: specifications of functions and, with choice->inlined, of inlined calls:
 *	[module:]name@caller or [module:]name@file:line; each must match something
 *
 * Unless some may be missing, there must be a file of each loaded object that may have inlined
 * calls of these functions.
 */
int selection__choose(struct selection *sel, char **texts, size_t cnt, const struct choice *choice);

/* Complain of inlined calls, which the programs don't see. */
void selection__complain_inlined(const struct selection *sel);

/*
 * Complain of functions that have no direct call at all.
 * @called: of each, whether calls were seen
 */
void selection__complain_uncalled(const struct selection *sel, const bool *called);

/* The inlined call; NULL without one. @site: may be NULL */
static inline const struct fentry_inlined_call *probe_site__call(const struct probe_site *site)
{
	return site && site->call->section ? site->call : NULL;
}

/* The inlined call that a target is, or NULL. */
static inline const struct fentry_inlined_call *selection__call(const struct selection *sel,
								size_t i)
{
	return probe_site__call(selection__site(sel, i));
}

/* Is the argument known that a value is read from? @v: of a plan */
static inline bool probe_site__has(const struct probe_site *site, const struct trace_value *v)
{
	if (v->slot >= TRACE_MAX_ARGS)
		return v->slot != TRACE_RETURN || !site->call->section;
	return site->places.args[v->slot].place != TRACE_UNKNOWN;
}

/*
 * Say which calls weren't seen because of modules.
 *
 * The probes in a module's code go with the module. A module that is loaded later has none, but may
 * have inlined calls, too, if a header defines the function, and functions of the same names.
 */
void selection__complain_changes(const struct selection *sel);

#endif /* FENTRY_SITES_H */
