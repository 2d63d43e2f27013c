/* SPDX-License-Identifier: GPL-2.0-only */
/* How often functions were called, as a table. */
#ifndef FENTRY_COUNTS_H
#define FENTRY_COUNTS_H

#include "attach/session.h"

struct counts_opts {
	const struct selection *sel;
	const struct call_plan *plans;
	const char *by; /* title of the key; NULL: by function only */
	bool json;
	bool zeroes; /* functions that weren't called, too */
};

/**
 * counts__print() - Print the counts to stdout, the highest first, or complain.
 * @s: the session that counts
 * @opts: how to print
 * @max: rows that don't fit into so many lines are left out
 * @lines: how many lines that are
 *
 * Return: an exit status.
 */
int counts__print(const struct session *s, const struct counts_opts *opts, size_t max,
		  size_t *lines);

#endif /* FENTRY_COUNTS_H */
