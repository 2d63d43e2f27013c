/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* A program that is attached to many functions, or to many inlined calls. */
#ifndef FENTRY_MULTI_H
#define FENTRY_MULTI_H

#include "libfentry.h"

/* Functions of one BTF object: what one tracing_multi link can have. */
struct fentry_group {
	const struct btf *btf;
	size_t *members; /* positions in the plan's targets */
	size_t cnt;
};

/* How a program is attached to many functions at once: see multi.c. */
struct fentry_plan {
	const struct fentry_target *const *targets;
	size_t cnt;
	char **why;		     /* of each: why it is left out, or NULL */
	struct fentry_group *groups; /* functions in no group get their own links */
	size_t group_cnt;
};

struct fentry_multi {
	const struct bpf_program *prog;
	struct fentry_multi_opts opts;
	struct fentry_plan plan;	    /* for inlined calls, it has only cnt and why */
	const struct fentry_target **owned; /* the plan's targets, if the user hasn't given them */
	struct fentry_multi_link {
		int prog_fd; /* its own; -1: the program is prog */
		int fd;
	} * links; /* room for one for each function or call */
	size_t link_cnt, left_out;
	size_t alone; /* tries that opts.go_on was called for */
};

/*
 * Plan for functions of one index, which must outlive the plan, without asking the kernel. The
 * program may run at their @exit. To be released with fentry_plan__fini(). Returns 0 or -ENOMEM.
 */
int fentry_plan__init(struct fentry_plan *plan, const struct fentry_target *const *targets,
		      size_t cnt, bool exit);

/* Note why the function at position @i gets no program. Returns 0 or -ENOMEM. */
int fentry_plan__leave_out(struct fentry_plan *plan, size_t i, const char *why);

/* Release what a plan has, which may be zeroed. */
void fentry_plan__fini(struct fentry_plan *plan);

#endif /* FENTRY_MULTI_H */
