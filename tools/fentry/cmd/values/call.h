/* SPDX-License-Identifier: GPL-2.0-only */
/* What is read at each call of a function, and where it is in what a BPF program sent. */
#ifndef FENTRY_CALL_H
#define FENTRY_CALL_H

#include "bpf/shared.h"
#include "expr/expr.h"

/* A value that is printed. */
struct shown {
	char *name; /* a parameter's, an expression, or what the user calls it; NULL: return value */
	char *label; /* of an expression, in lines; NULL: name */
	__u32 type;
	const struct btf_type *real; /* of types__real() */
	enum expr_format format;
	/* Numbers of the plan's values, -1 if there is none: */
	int number;	 /* of a number, an address, the first slot */
	int data;	 /* of what is in memory */
	__u32 data_type; /* its type, unless it's a string */
	const struct btf_type *data_real;
	unsigned char slots; /* of a structure in registers; else 0 */
	bool form;	     /* the data is a short form: see call.c */
	int form_beside;     /* number of a short form, beside the data */
};

/* What is read at each call of a function, and printed. */
struct call_plan {
	struct expr_scope scope; /* to be set: the function */
	bool brief;		 /* the same: behind pointers, only strings, numbers, short forms */
	struct trace_plan plan;	 /* for the BPF program */
	struct shown *shown;
	size_t cnt;
	struct shown ret;		/* if it is asked for */
	struct shown keys[TRACE_PARTS]; /* those that are values */
	bool has_ret;
};

/* Choose calls by a condition. To be called first, on an empty plan. */
bool call_plan__filter(struct call_plan *p, const char *text, struct expr_error *error);

/* Print the arguments. Return: 0 or -ENOMEM. */
int call_plan__args(struct call_plan *p);

/* Print the return value, if there is one. */
void call_plan__return(struct call_plan *p);

/*
 * Print expressions.
 * @text: the expressions, with commas between; "name=" may be in front of each
 * @error: why that fails; its column is one of @text
 */
bool call_plan__print(struct call_plan *p, const char *text, struct expr_error *error);

/* Let part @nr of the key be an expression. */
bool call_plan__key(struct call_plan *p, unsigned int nr, const char *text,
		    struct expr_error *error);

void call_plan__fini(struct call_plan *p);

struct call_value {
	bool ok; /* it could be read */
	unsigned long long number;
	const void *data; /* or these bytes */
	size_t size;
};

struct call {
	const struct call_plan *plan;
	const struct trace_event *event;
	const unsigned long long *stack;
	int stack_cnt; /* negative errno: there is none */
	struct call_value values[TRACE_VALUES];
};

/*
 * Find the values of @plan in an event of @size bytes. The call refers to both.
 *
 * Return: false if the event is none of the plan's.
 */
bool call__init(struct call *c, const struct call_plan *plan, const struct trace_event *event,
		size_t size);

#endif /* FENTRY_CALL_H */
