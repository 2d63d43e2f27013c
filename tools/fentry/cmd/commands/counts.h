/* SPDX-License-Identifier: GPL-2.0-only */
/* A table of how many calls there were. */
#ifndef FENTRY_COUNTS_H
#define FENTRY_COUNTS_H

#include "attach/session.h"
#include "commands/stacks.h"
#include "commands/trace_opts.h"

struct counts {
	const struct trace_opts *opts;
	const struct selection *sel;
	const struct call_plan *plans; /* of each function */
	const struct session *session;
	struct stacks *stacks; /* if a key is the stack */
	struct count_key {
		char *text;
		enum trace_by by;
	} keys[TRACE_PARTS]; /* that calls are counted by */
	unsigned int key_cnt;
};

/* What a part of --by means: TRACE_BY_VALUE if it's none of the words. */
enum trace_by counts__by(const char *text);

/*
 * Print the table, the highest first.
 * @max: lines at most
 * @lines: how many it has
 */
int counts__print(const struct counts *c, size_t max, size_t *lines);

#endif /* FENTRY_COUNTS_H */
