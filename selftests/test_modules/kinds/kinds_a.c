// SPDX-License-Identifier: GPL-2.0-only
#include "kinds.h"

static noinline int equal(int n, long m)
{
	WRITE_ONCE(kinds_sink, n + m);
	return n - m;
}

KINDS_CALL(equal, v[0], v[1])

static noinline long differs(long n, u8 m)
{
	WRITE_ONCE(kinds_sink, n + m);
	return n * m;
}

KINDS_CALL(differs, v[0], v[1])

KINDS_CALL(in_header, v[0])

/* The middle argument is the same in all calls: gcc makes a .constprop. */
static noinline long scaled(int n, int factor, long m)
{
	int i;

	for (i = 0; i < factor; i++)
		WRITE_ONCE(kinds_sink, n * m);
	return n + m;
}

static long call_scaled(const long *v)
{
	return scaled(v[0], 3, v[1]) + scaled(1, 3, 2);
}

/* Only some members are used: gcc passes these and makes an .isra. */
static noinline long members(const struct kinds_wide *wide, int n)
{
	long first = wide->first, fourth = wide->fourth;

	WRITE_ONCE(kinds_sink, first * fourth);
	return first + fourth + n;
}

static long call_members(const long *v)
{
	struct kinds_wide wide = { .first = v[0], .fourth = v[1] };
	struct kinds_wide none = {};

	OPTIMIZER_HIDE_VAR(none.first);
	return members(&wide, v[2]) + members(&none, 0);
}

/* Only the second half of the aggregate is used: an .isra, too. */
static noinline long half(struct kinds_pair pair, int n)
{
	WRITE_ONCE(kinds_sink, pair.second);
	return pair.second * n;
}

static long call_half(const long *v)
{
	struct kinds_pair pair = { v[0], v[1] };
	struct kinds_pair none = {};

	return half(pair, v[2]) + half(none, 0);
}

/* No caller uses the return value: gcc makes an .isra, and clang notes this in DWARF. */
static noinline long unwanted(int n, long m)
{
	WRITE_ONCE(kinds_sink, n ^ m);
	return n + m;
}

static long call_unwanted(const long *v)
{
	unwanted(v[0], v[1]);
	unwanted(0, 0);
	return 0;
}

static long call_imported(const long *v)
{
	return kinds_imported(v[0], v[1]);
}

const struct kinds_case kinds_a_cases[] = {
	KINDS_CASE(equal, equal),
	KINDS_CASE(differs, differs),
	KINDS_CASE(in_header, in_header),
	KINDS_CASE(scaled, NULL),
	KINDS_CASE(members, NULL),
	KINDS_CASE(half, NULL),
	KINDS_CASE(unwanted, NULL),
	{ "promoted@kinds_b.c", call_imported, NULL },
	{},
};
