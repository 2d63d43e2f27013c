// SPDX-License-Identifier: GPL-2.0-only
#include "kinds.h"

static noinline int equal(int n, long m)
{
	WRITE_ONCE(kinds_sink, n + m);
	return n - m;
}

static long call_equal(const struct kinds_values *values)
{
	return equal(values->v[0], values->v[1]);
}

static noinline long differs(long n, u8 m)
{
	WRITE_ONCE(kinds_sink, n + m);
	return n * m;
}

static long call_differs(const struct kinds_values *values)
{
	return differs(values->v[0], values->v[1]);
}

static long call_in_header(const struct kinds_values *values)
{
	return in_header(values->v[0]);
}

/* The middle argument is the same in all calls: gcc makes a .constprop. */
static noinline long scaled(int n, int factor, long m)
{
	int i;

	for (i = 0; i < factor; i++)
		WRITE_ONCE(kinds_sink, n * m);
	return n + m;
}

static long call_scaled(const struct kinds_values *values)
{
	return scaled(values->v[0], 3, values->v[1]) + scaled(1, 3, 2);
}

/* Only some members are used: gcc passes these and makes an .isra. */
static noinline long members(const struct kinds_wide *wide, int n)
{
	long first = wide->first, fourth = wide->fourth;

	WRITE_ONCE(kinds_sink, first * fourth);
	return first + fourth + n;
}

static long call_members(const struct kinds_values *values)
{
	struct kinds_wide wide = { .first = values->v[0], .fourth = values->v[1] };
	struct kinds_wide none = {};

	OPTIMIZER_HIDE_VAR(none.first);
	return members(&wide, values->v[2]) + members(&none, 0);
}

/* Only the second half of the aggregate is used: an .isra, too. */
static noinline long half(struct kinds_pair pair, int n)
{
	WRITE_ONCE(kinds_sink, pair.second);
	return pair.second * n;
}

static long call_half(const struct kinds_values *values)
{
	struct kinds_pair pair = { values->v[0], values->v[1] };
	struct kinds_pair none = {};

	return half(pair, values->v[2]) + half(none, 0);
}

/* No caller uses the return value: gcc makes an .isra, and clang notes this in DWARF. */
static noinline long unwanted(int n, long m)
{
	WRITE_ONCE(kinds_sink, n ^ m);
	return n + m;
}

static long call_unwanted(const struct kinds_values *values)
{
	unwanted(values->v[0], values->v[1]);
	unwanted(0, 0);
	return 0;
}

static long call_imported(const struct kinds_values *values)
{
	return kinds_imported(values->v[0], values->v[1]);
}

const struct kinds_case kinds_a_cases[] = {
	{ "equal@kinds_a.c", call_equal, equal },
	{ "differs@kinds_a.c", call_differs, differs },
	{ "in_header@kinds_a.c", call_in_header, in_header },
	{ "scaled@kinds_a.c", call_scaled, NULL },
	{ "members@kinds_a.c", call_members, NULL },
	{ "half@kinds_a.c", call_half, NULL },
	{ "unwanted@kinds_a.c", call_unwanted, NULL },
	{ "promoted@kinds_b.c", call_imported, NULL },
	{},
};
