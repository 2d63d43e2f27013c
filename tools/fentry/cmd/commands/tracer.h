/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of trace share. */
#ifndef FENTRY_TRACER_H
#define FENTRY_TRACER_H

#include "attach/session.h"

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

struct tracer {
	struct trace_opts opts;
	struct count_key {
		char *text;
		enum trace_by by;
	} keys[TRACE_PARTS]; /* that calls are counted by */
	unsigned int key_cnt;
	struct stacks *stacks; /* if stacks are shown, or counted by */
	bool by_stack;
	struct selection sel;
	struct tasks tasks;
	struct call_plan *plans; /* of each function; those for the ends of a tree's calls follow */
	struct session *session;
	struct events *events; /* NULL if calls are only counted */
	size_t live_lines;     /* of the table on the terminal */
};

#endif /* FENTRY_TRACER_H */
