// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions whose first, middle or last parameter compilers remove, or for which they pass parts of
 * a parameter. Then later parameters are in other registers.
 */
#include "kinds.h"

static noinline long without_first(const struct kinds_pair *unused, int n, long m)
{
	WRITE_ONCE(kinds_sink, n);
	return n - m;
}

static long call_without_first(const long *v)
{
	struct kinds_pair pair = { hidden(1), hidden(2) };

	return without_first(&pair, v[0], v[1]);
}

static noinline long without_middle(int n, const struct kinds_pair *unused, long m)
{
	WRITE_ONCE(kinds_sink, m);
	return n - m;
}

static long call_without_middle(const long *v)
{
	struct kinds_pair pair = { hidden(1), hidden(2) };

	return without_middle(v[0], &pair, v[1]);
}

static noinline long without_last(int n, long m, const struct kinds_pair *unused)
{
	WRITE_ONCE(kinds_sink, n + m);
	return n - m;
}

static long call_without_last(const long *v)
{
	struct kinds_pair pair = { hidden(1), hidden(2) };

	return without_last(v[0], v[1], &pair);
}

/* gcc passes both members of the pair, which moves the later parameters. */
static noinline long moved(int n, const struct kinds_pair *pair, long m)
{
	long first = pair->first, second = pair->second;

	WRITE_ONCE(kinds_sink, n);
	return first * n + second * m;
}

static long call_moved(const long *v)
{
	struct kinds_pair pair = { v[1], v[2] };

	return moved(v[0], &pair, v[3]);
}

const struct kinds_case kinds_args_cases[] = {
	KINDS_CASE(without_first, NULL),
	KINDS_CASE(without_middle, NULL),
	KINDS_CASE(without_last, NULL),
	KINDS_CASE(moved, NULL),
	{},
};
