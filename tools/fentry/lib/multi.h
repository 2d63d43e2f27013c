/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* A program that is attached to many functions, or to many inlined calls. */
#ifndef FENTRY_MULTI_H
#define FENTRY_MULTI_H

#include "internal.h"

struct fentry_multi {
	const struct bpf_program *prog;
	struct fentry_multi_opts opts;
	struct fentry_plan plan; /* of inlined calls: no targets, only why */
	struct fentry_multi_link {
		int prog_fd; /* of its own; -1: it is prog's */
		int fd;
	} * links; /* room for one for each function or call */
	size_t link_cnt, left_out;
	size_t alone; /* that were tried one by one */
};

/**
 * fentry_multi__attach_calls() - As fentry_multi__attach_inlined(), with calls that are left out.
 * @whys: why, of each; NULL for those that are attached; may itself be NULL
 *
 * A call without a section is the function itself.
 */
int fentry_multi__attach_calls(const struct bpf_program *prog,
			       const struct fentry_inlined_call *const *calls,
			       const char *const *whys, size_t cnt,
			       const struct fentry_multi_opts *opts, struct fentry_multi **ret,
			       struct fentry_error *error);

#endif /* FENTRY_MULTI_H */
