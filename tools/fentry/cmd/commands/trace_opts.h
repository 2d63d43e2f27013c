/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of trace, for all of its files. */
#ifndef FENTRY_TRACE_OPTS_H
#define FENTRY_TRACE_OPTS_H

#include "attach/task_filter.h"

struct trace_opts {
	bool count, exit, tree, stack, json, verbose, time, wait, folded;
	unsigned long long min_duration; /* ns; 0: none */
	const char *filter;		 /* --if; NULL: all calls */
	const char *print;		 /* NULL: the arguments */
	const char *by;			 /* NULL: functions only */
	const char *output;		 /* NULL: stdout */
	struct tasks_args tasks;
	bool inlined, best_effort;
	unsigned int buffer; /* bytes; 0: the default */
	double seconds;	     /* 0: no limit */
	char **command;	     /* NULL: none */
	bool brief;	     /* for people: values in short, on a line that fits output_width() */
};

#endif /* FENTRY_TRACE_OPTS_H */
