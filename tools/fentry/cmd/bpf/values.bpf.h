/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values of a call as a target's plan says, and what is done with them: the tests of a
 * filter, the key that is counted by, the data of an event.
 *
 * State that changes in loops is in the memory of a map, which the verifier knows nothing about:
 * each turn is the same to it. The includer must define "limits".
 */
#ifndef FENTRY_VALUES_BPF_H
#define FENTRY_VALUES_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/shared.h"
#include "registers.h"

/* A program's working memory, which doesn't fit on its stack. */
struct scratch {
	unsigned int busy;
	unsigned int len;     /* of the event's data */
	unsigned int unknown; /* slots whose argument isn't known */
	unsigned int pad;
	unsigned long long args[TRACE_ARGS];
	unsigned long long regs[REGISTERS];	  /* of an inlined call */
	unsigned long long numbers[TRACE_VALUES]; /* for the tests */
	unsigned long long text[TRACE_STRING_SIZE / 8];
	struct trace_key key;
	unsigned long long stack[TRACE_STACK_MAX];
	struct trace_event event;
	unsigned char data[TRACE_DATA_MAX]; /* the event's */
};

/* Kernel addresses are the upper, negative half. */
static __always_inline _Bool read_bytes(void *to, unsigned int size, unsigned long long from)
{
	return !((long long)from >= 0 ? bpf_probe_read_user(to, size, (void *)from) :
					bpf_probe_read_kernel(to, size, (void *)from));
}

static __always_inline long read_string(void *to, unsigned int size, unsigned long long from)
{
	return (long long)from >= 0 ? bpf_probe_read_user_str(to, size, (void *)from) :
				      bpf_probe_read_kernel_str(to, size, (void *)from);
}

/* Follow the pointers to a value. */
static __always_inline _Bool locate(const struct scratch *s, const struct trace_value *v,
				    unsigned long long *ret)
{
	unsigned int slot = v->slot & (TRACE_ARGS - 1), i;
	unsigned long long addr = s->args[slot];

	if (s->unknown & 1U << slot)
		return 0;
	for (i = 0; i < limits.steps && i < v->step_cnt; i++) {
		addr += (long long)v->steps[i];
		if (!read_bytes(&addr, sizeof(addr), addr))
			return 0;
	}
	*ret = addr + (long long)v->offset;
	return 1;
}

/* The number at an address, or the address. */
static __always_inline _Bool get_number(const struct trace_value *v, unsigned long long n,
					unsigned long long *ret)
{
	unsigned long long read = 0;
	unsigned int size = v->size;

	if (size) {
		if (size > sizeof(read) || !read_bytes(&read, size, n))
			return 0;
		n = read;
	}
	n <<= v->left & 63;
	if (v->is_signed)
		n = (long long)n >> (v->right & 63);
	else
		n >>= v->right & 63;
	*ret = n & v->mask;
	return 1;
}

/* Return how many bytes there are, at most @max; negative if they can't be read. */
static __always_inline long get_bytes(const struct scratch *s, const struct trace_value *v,
				      unsigned long long addr, void *to, unsigned int max)
{
	unsigned int size = v->size, len = v->len - 1;

	if (v->len && len < TRACE_VALUES) {
		if (s->event.failed & 1U << len)
			return -1;
		if (s->numbers[len] < size) /* a string has a NUL, too */
			size = s->numbers[len] + (v->kind == TRACE_STRING);
	}
	if (size > max)
		size = max;
	if (v->kind == TRACE_MEMORY)
		return read_bytes(to, size, addr) ? (long)size : -1;
	return read_string(to, size, addr);
}

static __always_inline _Bool get_equal(struct scratch *s, const struct trace_plan *plan,
				       const struct trace_value *v, unsigned long long addr,
				       unsigned long long *ret)
{
	const char *wanted = plan->strings[v->string & (TRACE_STRINGS - 1)];
	int i;

	__builtin_memset(s->text, 0, sizeof(s->text));
	if (get_bytes(s, v, addr, s->text, sizeof(s->text)) < 0)
		return 0;
	*ret = 1;
	for (i = 0; i < TRACE_STRING_SIZE / 8; i++)
		if (s->text[i] != ((const unsigned long long *)wanted)[i])
			*ret = 0;
	return 1;
}

static __always_inline _Bool is_negative(unsigned long long n, _Bool is_signed)
{
	return is_signed && (long long)n < 0;
}

static __always_inline _Bool compare(const struct trace_test *t, unsigned long long a,
				     unsigned long long b)
{
	_Bool a_negative = is_negative(a, t->a_signed);
	_Bool b_negative = is_negative(b, t->b_signed);
	_Bool equal = a == b && a_negative == b_negative;

	if (t->op == TRACE_EQ)
		return equal;
	if (t->op == TRACE_NE)
		return !equal;
	if (t->op == TRACE_LE && equal)
		return 1;
	return a_negative == b_negative ? a < b : a_negative;
}

/* One side of a test. */
static __always_inline _Bool get_operand(const struct scratch *s, const struct trace_test *t,
					 unsigned int i, unsigned long long *ret)
{
	*ret = t->constant;
	if (i == TRACE_CONSTANT)
		return 1;
	if (i >= TRACE_VALUES || s->event.failed & 1U << i)
		return 0;
	*ret = s->numbers[i];
	return 1;
}

static __always_inline _Bool holds(const struct scratch *s, const struct trace_test *t)
{
	unsigned long long a, b;

	return get_operand(s, t, t->a, &a) && get_operand(s, t, t->b, &b) && compare(t, a, b);
}

/* Is it a call that the filter wants? */
static __always_inline _Bool passes(struct scratch *s, const struct trace_plan *plan)
{
	unsigned int i, next = 0;

	for (i = 0; i < limits.filters && i < plan->filter_cnt; i++) {
		const struct trace_value *v = &plan->values[i];
		unsigned long long addr, n = 0;

		if (!locate(s, v, &addr) ||
		    !(v->kind == TRACE_EQUALS ? get_equal(s, plan, v, addr, &n) :
						get_number(v, addr, &n)))
			s->event.failed |= 1U << i;
		s->numbers[i] = n;
	}
	for (i = 0; i < limits.tests; i++) {
		const struct trace_test *t = &plan->tests[i];

		if (i == next)
			next = holds(s, t) ? t->on_true : t->on_false;
	}
	return next == TRACE_MATCH;
}

/* Take a value as a part of the key. Return whether it can be read. */
static __always_inline _Bool get_part(struct scratch *s, const struct trace_plan *plan,
				      unsigned int nr, union trace_part *ret)
{
	const struct trace_value *v;
	unsigned long long addr;

	if (nr >= TRACE_VALUES)
		return 0;
	v = &plan->values[nr];
	if (!locate(s, v, &addr))
		return 0;
	if (v->kind == TRACE_NUMBER)
		return get_number(v, addr, &ret->number);
	return get_bytes(s, v, addr, ret->text, sizeof(ret->text)) >= 0;
}

/* Append a value to the event; false if it can't be read, or has no room. */
static __always_inline _Bool put_value(struct scratch *s, const struct trace_value *v,
				       unsigned int nr)
{
	unsigned int at = s->len;
	unsigned long long addr, n;
	unsigned char *to;
	long size;

	if (at > sizeof(s->data) - 8 - TRACE_BYTES_MAX)
		return 0;
	to = s->data + at;
	/* Linux 6.1 doesn't know the limit of a number that was put aside before the comparison */
	asm volatile("" : "+r"(to) : : "memory");
	if (!locate(s, v, &addr))
		return 0;
	if (v->kind == TRACE_NUMBER) {
		if (!get_number(v, addr, &n))
			return 0;
		*(unsigned long long *)to = n;
		s->numbers[nr] = n;
		s->len += 8;
		return 1;
	}
	size = get_bytes(s, v, addr, to + 8, TRACE_BYTES_MAX);
	if (size < 0)
		return 0;
	*(unsigned long long *)to = size;
	s->len += 8 + ((size + 7) & ~7UL);
	return 1;
}

static __always_inline void put_values(struct scratch *s, const struct trace_plan *plan)
{
	unsigned int i;

	for (i = 0; i < limits.values && i < TRACE_VALUES && i < plan->value_cnt; i++)
		if (i >= plan->filter_cnt && !put_value(s, &plan->values[i], i))
			s->event.failed |= 1U << i;
}

#endif /* FENTRY_VALUES_BPF_H */
