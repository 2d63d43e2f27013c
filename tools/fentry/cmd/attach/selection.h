/* SPDX-License-Identifier: GPL-2.0-only */
/* From the specifications on a command line to functions. */
#ifndef FENTRY_SELECTION_H
#define FENTRY_SELECTION_H

#include "kernel/modules.h"
#include "libfentry.h"
#include "output/messages.h"

/* Longest specification or label of a function that is printed. */
#define LABEL_MAX FENTRY_LABEL_MAX

/*
 * Say where btfaddr's files of inlined calls are.
 * @path: of struct fentry_index_opts
 */
void set_functions_path(const char *path);

/*
 * Modules that aren't loaded yet, for each index that is opened.
 * @made: of each, whether nothing is known of its functions but their names
 */
void expect_modules(const struct fentry_coming *modules, const bool *made, size_t cnt);

/* Attach trampolines by BTF that nobody has verified, too. */
void take_unverified(void);

/* Open the index of the running kernel, or complain. */
int open_index(struct fentry_index **ret);

/* Complain once of functions of modules that have no functions file. */
void complain_unverified(const struct fentry_index *idx, const struct fentry_target *const *targets,
			 size_t cnt);

/*
 * Complain that a specification matches nothing; show similar names.
 *
 * Return: EXIT_NO_MATCH.
 */
int no_match(const struct fentry_index *idx, const struct fentry_spec *spec);

/* The functions that a command line means. */
struct selection {
	struct fentry_index *idx;
	struct fentry_spec *specs; /* of functions */
	size_t spec_cnt;
	const struct fentry_target **targets; /* in the index's order; those with probes last */
	size_t cnt;
	/* With SELECT_INLINED, functions that have no symbol to attach to: */
	const struct fentry_target **inlined;
	size_t inlined_cnt;
	/* After selection__add_inlined(): */
	const struct fentry_inlined_call ***calls; /* of each function, to be freed */
	size_t call_cnt;
	struct probe_site *sites; /* inlined calls; after selection__place_sites(), entries, too */
	size_t site_cnt;
	const struct probe_site **site_of; /* of each target: NULL, or where its probe is */
	struct modules modules;		   /* loaded before; after selection__choose() */
	struct verdicts *verdicts;	   /* until all is attached; NULL: not asked for yet */
};

/* Where the probe of a target is; NULL if it has a trampoline. */
static inline const struct probe_site *selection__site(const struct selection *sel, size_t i)
{
	return sel->site_of ? sel->site_of[i] : NULL;
}

/* How many targets have a trampoline: they come first. */
static inline size_t selection__first_site(const struct selection *sel)
{
	size_t i = sel->cnt;

	while (i && selection__site(sel, i - 1))
		i--;
	return i;
}

enum {
	SELECT_SEVERAL = 1,	/* several functions may match an exact name */
	SELECT_INLINED = 2,	/* functions that are only inlined, too */
	SELECT_BEST_EFFORT = 4, /* leave specifications out that can't be used, but one can */
};

/*
 * Find what specifications mean, or complain.
 * @sel: the selection, to be released with selection__fini() in any case
 * @specs: the specifications, each of which must match something
 * @flags: SELECT_SEVERAL, SELECT_INLINED, SELECT_BEST_EFFORT
 */
int selection__init(struct selection *sel, char **specs, size_t cnt, unsigned int flags);

/* Parse one more specification of functions, or complain. */
int selection__parse(struct selection *sel, const char *text);

/* Find what the parsed specifications mean, or complain. @flags: as above */
int selection__find(struct selection *sel, unsigned int flags);

/*
 * Add what one more specification means, or complain.
 * @sel: the selection; may be empty but for its index
 */
int selection__add(struct selection *sel, const char *text, unsigned int flags);

/* Complain of what is meant in the kernel, but not known to BTF: also parts and copies. */
void selection__complain_unseen(struct selection *sel);

/*
 * What the user may have meant by a specification.
 * @spec: a specification that matches nothing
 * @ret: filled with the nearest functions, best first; if other compilation units have the same
 *	name, only their functions
 *
 * Return: the number of functions in @ret, or -ENOMEM.
 */
int nearest(const struct fentry_index *idx, const struct fentry_spec *spec, size_t max,
	    const struct fentry_target **ret);

void selection__fini(struct selection *sel);

#endif /* FENTRY_SELECTION_H */
