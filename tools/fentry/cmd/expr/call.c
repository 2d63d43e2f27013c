// SPDX-License-Identifier: GPL-2.0-only
/* The values of a call in what a BPF program sent: see struct trace_event. */
#include <string.h>

#include "expr/typed.h"

/* Take so many bytes, filled up to 8, off what is left of an event. */
static const void *take(const unsigned char **at, size_t *left, size_t size)
{
	const unsigned char *start = *at;

	if (size > *left)
		return NULL;
	size = (size + 7) & ~7UL;
	size = size > *left ? *left : size;
	*at += size;
	*left -= size;
	return start;
}

static bool take_number(const unsigned char **at, size_t *left, unsigned long long *ret)
{
	const void *from = take(at, left, sizeof(*ret));

	if (from)
		memcpy(ret, from, sizeof(*ret));
	return from;
}

static bool take_value(const struct trace_value *v, const unsigned char **at, size_t *left,
		       struct call_value *ret)
{
	if (!take_number(at, left, &ret->number))
		return false;
	if (v->kind != TRACE_NUMBER) {
		ret->size = ret->number;
		ret->data = take(at, left, ret->size);
	}
	return v->kind == TRACE_NUMBER || ret->data;
}

bool call__init(struct call *c, const struct call_plan *plan, const struct trace_event *event,
		size_t size)
{
	const unsigned char *at = (const unsigned char *)(event + 1);
	const struct trace_plan *p = &plan->plan;
	size_t left;
	int i;

	if (size < sizeof(*event))
		return false;
	left = size - sizeof(*event);
	c->plan = plan;
	c->event = event;
	c->stack = (const unsigned long long *)at;
	c->stack_cnt = event->stack_size;
	if (event->stack_size > 0) {
		c->stack_cnt = event->stack_size / (int)sizeof(*c->stack);
		if (!take(&at, &left, event->stack_size))
			return false;
	}
	for (i = p->filter_cnt; i < p->value_cnt; i++) {
		struct call_value *v = &c->values[i];

		*v = (struct call_value){ .ok = !(event->failed & 1U << i) };
		if (v->ok && !take_value(&p->values[i], &at, &left, v))
			return false;
	}
	return true;
}
