// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tests that a condition becomes: each says which one is next if it holds, and if it doesn't.
 * Negations go down to the comparisons. A comparison whose value can't be read isn't true, and its
 * negation isn't true either: a call matches only if the condition is true whatever the value is.
 */
#include <string.h>

#include "expr/node.h"

struct emitter {
	struct trace_plan *plan;
	const struct node **where;
	struct expr_error *error;
};

#define fail(e, node, ...) (*(e)->where = (node), expr_error__set((e)->error, __VA_ARGS__))

static unsigned int count_tests(const struct node *n)
{
	if (n->kind == NODE_NOT)
		return count_tests(n->a);
	if (n->kind != NODE_AND && n->kind != NODE_OR)
		return 1;
	return count_tests(n->a) + count_tests(n->b);
}

/* Each value is read once. */
static bool add_value(struct emitter *e, const struct node *n, const struct trace_value *v,
		      unsigned char *ret)
{
	struct trace_plan *plan = e->plan;

	for (*ret = 0; *ret < plan->value_cnt; (*ret)++)
		if (!memcmp(&plan->values[*ret], v, sizeof(*v)))
			return true;
	/* the other half is for what is printed */
	if (plan->value_cnt == TRACE_VALUES / 2)
		return fail(e, n, "the condition has more than %d values", TRACE_VALUES / 2);
	plan->values[plan->value_cnt++] = *v;
	plan->filter_cnt = plan->value_cnt;
	return true;
}

static bool emit_side(struct emitter *e, const struct node *n, struct trace_test *t,
		      unsigned char *side, unsigned char *is_signed)
{
	struct trace_value v;

	if (n->kind == NODE_CONSTANT) {
		*side = TRACE_CONSTANT;
		*is_signed = n->negative;
		t->constant = n->constant;
		return true;
	}
	if (n->kind != NODE_PLACE)
		return fail(e, n, "only values, numbers and strings can be compared");
	if (!place__number(&n->place, &v, e->error)) {
		*e->where = n;
		return false;
	}
	/* a masked value is positive, unless the mask leaves the sign */
	*is_signed = v.is_signed && (long long)v.mask < 0;
	return add_value(e, n, &v, side);
}

/* The comparison of a value with a string is itself a value, 1 or 0. */
static bool emit_string(struct emitter *e, const struct node *n, struct trace_test *t)
{
	const struct node *text = n->a->kind == NODE_STRING ? n->a : n->b;
	const struct node *place = text == n->a ? n->b : n->a;
	struct trace_plan *plan = e->plan;
	struct trace_value v;
	unsigned char i;

	if (n->op != TRACE_EQ && n->op != TRACE_NE)
		return fail(e, n, "strings can be compared by == and != only");
	if (place->kind != NODE_PLACE || !place__string(&place->place, false, &v))
		return fail(e, place, "this is no string, neither 'char *' nor an array of char");
	i = plan->string_cnt;
	if (i == TRACE_STRINGS)
		return fail(e, text, "the condition has more than %d strings", TRACE_STRINGS);
	memcpy(plan->strings[plan->string_cnt++], text->string, sizeof(text->string));
	v.kind = TRACE_EQUALS;
	v.string = i;
	if (v.size > TRACE_STRING_SIZE)
		v.size = TRACE_STRING_SIZE;
	t->op = n->op == TRACE_EQ ? TRACE_NE : TRACE_EQ;
	t->b = TRACE_CONSTANT;
	return add_value(e, place, &v, &t->a);
}

static bool emit_comparison(struct emitter *e, const struct node *n, struct trace_test *t)
{
	if (n->a->kind == NODE_STRING || n->b->kind == NODE_STRING)
		return emit_string(e, n, t);
	if (n->a->kind == NODE_CONSTANT && n->b->kind == NODE_CONSTANT)
		return fail(e, n, "this compares two constants");
	t->op = n->op;
	return emit_side(e, n->a, t, &t->a, &t->a_signed) &&
	       emit_side(e, n->b, t, &t->b, &t->b_signed);
}

static void negate(struct trace_test *t)
{
	struct trace_test was = *t;

	switch (was.op) {
	case TRACE_EQ:
		t->op = TRACE_NE;
		return;
	case TRACE_NE:
		t->op = TRACE_EQ;
		return;
	case TRACE_LT: /* !(a < b): b <= a */
	case TRACE_LE:
		t->op = was.op == TRACE_LT ? TRACE_LE : TRACE_LT;
		t->a = was.b;
		t->a_signed = was.b_signed;
		t->b = was.a;
		t->b_signed = was.a_signed;
	}
}

static bool emit_test(struct emitter *e, const struct node *n, bool negated, struct trace_test *t)
{
	if (n->kind == NODE_TEST) {
		if (!emit_comparison(e, n, t))
			return false;
	} else if (n->kind == NODE_PLACE) {
		/* != 0 */
		if (!emit_side(e, n, t, &t->a, &t->a_signed))
			return false;
		t->op = TRACE_NE;
		t->b = TRACE_CONSTANT;
	} else {
		return fail(e, n, "a constant alone is no condition");
	}
	if (negated)
		negate(t);
	return true;
}

/* Make the tests from number @at on. */
static bool emit(struct emitter *e, const struct node *n, bool negated, unsigned int at,
		 unsigned int on_true, unsigned int on_false)
{
	struct trace_test *t = &e->plan->tests[at];
	unsigned int second;
	bool and;

	if (n->kind == NODE_NOT)
		return emit(e, n->a, !negated, at, on_true, on_false);
	if (n->kind != NODE_AND && n->kind != NODE_OR) {
		t->on_true = on_true;
		t->on_false = on_false;
		return emit_test(e, n, negated, t);
	}
	second = at + count_tests(n->a);
	and = (n->kind == NODE_AND) != negated;
	return emit(e, n->a, negated, at, and? second : on_true, and? on_false : second) &&
	       emit(e, n->b, negated, second, on_true, on_false);
}

bool node__emit(const struct node *n, struct trace_plan *plan, const struct node **where,
		struct expr_error *error)
{
	struct emitter e = { plan, where, error };
	unsigned int cnt = count_tests(n);

	if (cnt > TRACE_TESTS)
		return fail(&e, n, "the condition has more than %d comparisons", TRACE_TESTS);
	plan->test_cnt = cnt;
	return emit(&e, n, false, 0, TRACE_MATCH, TRACE_NO_MATCH);
}
