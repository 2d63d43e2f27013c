/* SPDX-License-Identifier: GPL-2.0-only */
/* The tree of an expression, between its text and the tests that it becomes. */
#ifndef FENTRY_NODE_H
#define FENTRY_NODE_H

#include "expr/expr.h"

enum node_kind {
	NODE_PLACE,
	NODE_CONSTANT,
	NODE_STRING,
	NODE_TEST,
	NODE_AND,
	NODE_OR,
	NODE_NOT,
};

struct node {
	enum node_kind kind;
	const char *at; /* in the expression's text */
	struct place place;
	unsigned long long constant;
	bool negative;			/* the constant is */
	char string[TRACE_STRING_SIZE]; /* padded with NUL */
	enum trace_op op;
	struct node *a, *b; /* operands; NODE_NOT has one */
};

/*
 * Make tests of a condition.
 * @plan: gets the values and tests
 * @where: the node that is at fault, if that fails
 *
 * Return: false if that fails.
 */
bool node__emit(const struct node *n, struct trace_plan *plan, const struct node **where,
		struct expr_error *error);

#endif /* FENTRY_NODE_H */
