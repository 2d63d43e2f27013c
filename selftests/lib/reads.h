/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs of reads.bpf.c record a function's arguments and return value in this process. */
#ifndef SELFTESTS_READS_H
#define SELFTESTS_READS_H

#include <stdbool.h>

#include "libfentry.h"
#include "../progs/reads.h"
#include "reads.skel.h"

struct reads {
	struct reads_bpf *skel;
	struct bpf_link *link;
	bool at_exit;
	int ret_size;	/* bytes of the return value; 0 at entry, and if BTF states none */
	char why[1024]; /* what went wrong, for the log */
};

/* The expected record of a call. */
struct reads_want {
	long values[READS_MAX_VALUES]; /* in the program's order */
	unsigned int may;	       /* bits: values that compilers may leave out */
	long ret;		       /* at exit, if the function returns something */
	bool may_lack_ret;	       /* compilers may leave out the return value */
};

/**
 * reads__attach() - Load a program for a function, and attach it.
 * @r: zeroed; to be released with reads__close() in any case
 * @prog: the program's name
 * @at_exit: attach to the function's exit, not its entry
 *
 * Return: 0, or a negative errno with @r->why set.
 */
int reads__attach(struct reads *r, struct fentry_index *idx, const struct fentry_target *target,
		  const char *prog, bool at_exit);

/** reads__detach() - Cease to record; what was recorded stays. */
void reads__detach(struct reads *r);

/** reads__close() - Detach, and release everything; @r may be zeroed. */
void reads__close(struct reads *r);

/** reads__begin(), reads__end() - Begin and end recording calls by this process. */
void reads__begin(struct reads *r);
void reads__end(struct reads *r);

/** reads__calls() - How many calls there were. */
unsigned int reads__calls(const struct reads *r);

/** reads__right() - How many calls have the wanted record? Sets @r->why to the last difference. */
unsigned int reads__right(struct reads *r, const struct reads_want *want);

/** reads__return_size() - The size of a function's return value in BTF; 0 if it returns nothing. */
int reads__return_size(const struct fentry_target *target);

#endif /* SELFTESTS_READS_H */
