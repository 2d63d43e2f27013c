/* SPDX-License-Identifier: GPL-2.0 */
/* What the traced functions' BPF programs and the command share. */
#ifndef FENTRY_TRACE_H
#define FENTRY_TRACE_H

/* Arguments beyond the sixth are on the stack on x86-64: not shown. */
#define TRACE_MAX_ARGS 6
#define TRACE_COMM_LEN 16

/* One call of a traced function. */
struct trace_event {
	unsigned long long args[TRACE_MAX_ARGS];	/* raw registers */
	unsigned int target;				/* index, as in counts */
	unsigned int pid;				/* thread id */
	unsigned int arg_cnt;				/* valid args */
	char comm[TRACE_COMM_LEN];
};

#endif /* FENTRY_TRACE_H */
