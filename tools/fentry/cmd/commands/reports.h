/* SPDX-License-Identifier: GPL-2.0-only */
/* What fentry trace reads of each function's calls, as its options say. */
#ifndef FENTRY_REPORTS_H
#define FENTRY_REPORTS_H

#include "command.h"
#include "expr/typed.h"

struct reports_opts {
	const char *filter; /* --if; NULL: all calls */
	const char *print;  /* --print; NULL: the arguments */
	const char *by;	    /* --by; NULL: functions only */
	bool count;	    /* nothing is printed of calls */
	bool exit, brief;
};

/**
 * reports__by() - What --by counts by.
 * @text: the option's argument; NULL: not given
 */
enum trace_by reports__by(const char *text);

/**
 * reports__make() - Plans of some functions, or complain.
 * @sel: the functions; those that an expression doesn't fit are taken away, unless
 *	it is all of them
 * @opts: what is wanted
 * @ret: the plans, to be released with reports__free()
 *
 * Return: an exit status.
 */
int reports__make(struct selection *sel, const struct reports_opts *opts, struct call_plan **ret);

/** reports__free() - Release plans. @plans: may be NULL */
void reports__free(struct call_plan *plans, size_t cnt);

#endif /* FENTRY_REPORTS_H */
