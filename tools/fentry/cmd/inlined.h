/* SPDX-License-Identifier: GPL-2.0-only */
/* Inlined calls that are traced: a kprobe where the code of each begins. */
#ifndef FENTRY_INLINED_CALLS_H
#define FENTRY_INLINED_CALLS_H

#include "command.h"
#include "trace.h"
#include "waiter.h"

struct inlined_opts {
	bool trace;			/* else the rest has no meaning */
	bool best_effort;		/* leave out what the kernel has no probe for */
	unsigned long long max;		/* of places */
};

/* One of them. */
struct inlined_site {
	struct fentry_inlined_call call;
	unsigned long long addr;
	struct trace_site places;	/* where the program finds the arguments */
};

/**
 * selection__add_inlined() - Add the inlined calls of a selection's functions, or complain.
 * @sel: the selection, of SELECT_INLINED
 * @specs: other inlined calls to add, see site_spec.h; each must match something
 * @cnt: their number
 * @max: there must not be more of them
 *
 * Return: an exit status.
 */
int selection__add_inlined(struct selection *sel, char **specs, size_t cnt,
			   unsigned long long max);

/** inlined_site__has() - Is the argument known that a value begins with? @v: of a plan */
static inline bool inlined_site__has(const struct inlined_site *site, const struct trace_value *v)
{
	return v->slot < TRACE_MAX_ARGS && site->places.args[v->slot].place != TRACE_UNKNOWN;
}

/**
 * inlined_calls() - Where calls of a function are inlined, or complain.
 * @idx: the index
 * @func: the function
 * @cnt: their number
 *
 * Return: the calls, to be released with free(), or NULL without memory.
 */
struct fentry_inlined_call *inlined_calls(const struct fentry_index *idx,
					  const struct fentry_target *func, size_t *cnt);

/** inlined_call__text() - "CALLER, FILE:LINE", for people. @size: of @buf */
void inlined_call__text(const struct fentry_inlined_call *call, char *buf, size_t size);

/** inlined_call__json() - Print the members of an object that say where it is. */
void inlined_call__json(const struct fentry_inlined_call *call);

struct inlined_links;

/**
 * inlined_links__attach() - Attach a program to the inlined calls of a selection, or complain.
 * @sel: the selection
 * @first: its first target that is one
 * @prog_fd: the program; its cookie is the number of the target
 * @opts: whether some may be left out
 * @w: asked whether to go on
 * @ret: to be released with inlined_links__free()
 *
 * Return: an exit status.
 */
int inlined_links__attach(const struct selection *sel, size_t first, int prog_fd,
			  const struct inlined_opts *opts, struct waiter *w,
			  struct inlined_links **ret);

/** inlined_links__has() - Is the program attached to a target? @i: counted from the first one */
bool inlined_links__has(const struct inlined_links *links, size_t i);

/** inlined_links__cnt() - Number of calls with a program. @links: may be NULL */
size_t inlined_links__cnt(const struct inlined_links *links);

/** inlined_links__free() - Detach, and say how far it is. @links: may be NULL */
void inlined_links__free(struct inlined_links *links);

#endif /* FENTRY_INLINED_CALLS_H */
