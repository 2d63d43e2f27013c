// SPDX-License-Identifier: GPL-2.0-only
/* Compiled with -O3: clang then changes arguments without a note in DWARF. */
#include "kinds.h"

/* The compiler passes the value behind the pointer instead of the pointer. */
static noinline long by_value(const long *p, int n)
{
	long v = *p;

	kinds_sink = n;
	return v * 3 + n;
}

static long call_by_value(const long *v)
{
	long n = v[0];

	return by_value(&n, v[1]);
}

/* The compiler removes the unused pointer, and moves the bool to an earlier register. */
static noinline long unmarked(const struct kinds_pair *unused, int n, bool flag)
{
	kinds_sink = n;
	return flag ? n * 3L : n - 5L;
}

static long call_unmarked(const long *v)
{
	struct kinds_pair pair = { v[0], v[1] };

	return unmarked(&pair, v[0], v[1]);
}

const struct kinds_case kinds_o3_cases[] = {
	KINDS_CASE(by_value, NULL),
	KINDS_CASE(unmarked, NULL),
	{},
};
