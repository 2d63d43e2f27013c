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

static long call_by_value(const struct kinds_values *values)
{
	long v = values->v[0];

	return by_value(&v, values->v[1]);
}

/* The compiler removes the unused pointer, and moves the bool to an earlier register. */
static noinline long unmarked(const struct kinds_pair *unused, int n, bool flag)
{
	kinds_sink = n;
	return flag ? n * 3L : n - 5L;
}

static long call_unmarked(const struct kinds_values *values)
{
	struct kinds_pair pair = { values->v[0], values->v[1] };

	return unmarked(&pair, values->v[0], values->v[1]);
}

const struct kinds_case kinds_o3_cases[] = {
	{ "by_value@kinds_o3.c", call_by_value, NULL },
	{ "unmarked@kinds_o3.c", call_unmarked, NULL },
	{},
};
