// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions to which compilers give other arguments or another return value than the source. The
 * return value of each depends on all arguments, so a register that isn't preserved shows.
 */
#include "kinds.h"

/* clang's DWARF says that a bool is one bit of a register. Compilers remove the first parameter. */
static noinline long last_bool(long unused, int n, bool flag)
{
	WRITE_ONCE(kinds_sink, n);
	return flag ? n * 3L : n - 5L;
}

KINDS_CALL(last_bool, hidden(9), v[0], v[1])

/* Likewise, with one in the first register. */
static noinline long bools(bool first, long unused, int n, bool second)
{
	WRITE_ONCE(kinds_sink, n);
	return (first ? n * 3L : n - 5L) + (second ? 1000 : 0);
}

KINDS_CALL(bools, v[0], hidden(9), v[1], v[2])

/* Compilers remove the parameter, but its address is taken, so it has a place in the frame. */
static noinline long homed(struct kinds_pair gone, int n)
{
	struct kinds_pair *home = &gone;

	gone.first = n * 2L;
	gone.second = n * 5L;
	asm volatile("" : "+r"(home) : : "memory");
	return home->first - home->second + n;
}

static long call_homed(const long *v)
{
	struct kinds_pair pair = { hidden(v[0]), hidden(v[1]) };

	return homed(pair, v[2]);
}

/* No caller uses the return value, so compilers leave another value in the register. */
static noinline long dropped_return(long unused, const struct kinds_pair *pair, int n)
{
	long i;

	for (i = 0; i < n; i++)
		WRITE_ONCE(kinds_sink, pair->second + i);
	return 0x5eed;
}

static long call_dropped_return(const long *v)
{
	struct kinds_pair pair = { hidden(1), v[0] };

	dropped_return(hidden(9), &pair, v[1]);
	return READ_ONCE(kinds_sink);
}

/* The same, but the caller uses the return value. */
static noinline long kept_return(long unused, const struct kinds_pair *pair, int n)
{
	long second = pair->second;

	WRITE_ONCE(kinds_sink, n);
	return second * 3 - n;
}

static long call_kept_return(const long *v)
{
	struct kinds_pair pair = { hidden(1), v[0] };

	return kept_return(hidden(9), &pair, v[1]);
}

/* It returns two registers, and the caller uses only the second. */
static noinline struct kinds_pair two_halves(long n, int m)
{
	struct kinds_pair pair = { n * 7, m - n };

	WRITE_ONCE(kinds_sink, m);
	return pair;
}

static long call_two_halves(const long *v)
{
	return two_halves(v[0], v[1]).second;
}

/* So much code that gcc moves it to a function of its own, ".part.0". */
static __always_inline void spend(long n, long times)
{
	long i;

	for (i = 0; i < times; i++)
		WRITE_ONCE(kinds_sink, n + i);
	for (i = 0; i < times; i++)
		WRITE_ONCE(kinds_sink, n * i);
	for (i = 0; i < times; i++)
		WRITE_ONCE(kinds_sink, n ^ i);
	for (i = 0; i < times; i++)
		WRITE_ONCE(kinds_sink, n | i);
}

/* The function always returns 0, so gcc makes its part return nothing. */
int kinds_parted(const long *v, long times)
{
	if (likely(!v[0]))
		return 0;
	spend(v[1], times);
	return 0;
}

static long call_parted(const long *v)
{
	return kinds_parted(v, v[2]);
}

/* The function returns what its part computes. */
int kinds_parted_kept(const long *v, long times)
{
	if (likely(!v[0]))
		return 0;
	spend(v[1] + 1, times);
	return v[1] * 3;
}

static long call_parted_kept(const long *v)
{
	return kinds_parted_kept(v, v[2]);
}

const struct kinds_case kinds_regs_cases[] = {
	KINDS_CASE(last_bool, NULL),
	KINDS_CASE(bools, NULL),
	KINDS_CASE(homed, NULL),
	KINDS_CASE(dropped_return, NULL),
	KINDS_CASE(kept_return, NULL),
	KINDS_CASE(two_halves, NULL),
	{ "kinds_parted@kinds_regs.c", call_parted, NULL },
	{ "kinds_parted_kept@kinds_regs.c", call_parted_kept, NULL },
	{},
};
