/* SPDX-License-Identifier: GPL-2.0-only */
/* What the traced functions' BPF programs and the command share. */
#ifndef FENTRY_TRACE_H
#define FENTRY_TRACE_H

#define TRACE_COMM_LEN 16
#define TRACE_STACK_MAX 48		/* frames */

/* Slots of 8 bytes: a trampoline passes on 12 arguments at most. */
#define TRACE_ARGS 16			/* a power of 2 */
#define TRACE_MAX_ARGS 12
#define TRACE_RETURN 15			/* the slot of the return value */

/* Memory that arguments point to, copied when the program runs. */
#define TRACE_CAPTURES 6
#define TRACE_CAPTURE_SIZE 256

enum trace_kind {
	TRACE_NOTHING,
	TRACE_MEMORY,
	TRACE_STRING,			/* up to its NUL */
};

struct trace_capture {
	unsigned char kind;		/* enum trace_kind */
	unsigned char arg;		/* slot of the pointer */
	unsigned short size;		/* up to TRACE_CAPTURE_SIZE */
};

/* What to copy for one target. */
struct trace_plan {
	struct trace_capture captures[TRACE_CAPTURES];
};

/* One call of a traced function. */
struct trace_event {
	unsigned long long time;			/* ns, CLOCK_MONOTONIC */
	unsigned long long args[TRACE_ARGS];		/* raw slots */
	unsigned int target;				/* index, as in counts */
	unsigned int tid, pid;
	unsigned int arg_cnt;				/* slots that are valid */
	int stack_size;					/* bytes; negative errno */
	int captured[TRACE_CAPTURES];			/* bytes; negative errno */
	char comm[TRACE_COMM_LEN];
	unsigned long long stack[TRACE_STACK_MAX];	/* innermost first */
	char data[TRACE_CAPTURES][TRACE_CAPTURE_SIZE];
};

#endif /* FENTRY_TRACE_H */
