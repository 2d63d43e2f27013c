// SPDX-License-Identifier: GPL-2.0-only
#include "names.h"

static noinline __noipa void cookie(int n)
{
	names_count(COOKIE_A);
}

static noinline __noipa void hidden(int n)
{
	names_count(HIDDEN_A);
}

struct names_wide {
	long first, second, third, fourth;
};

/* Only some members are used: gcc passes these, and makes an .isra. */
static noinline void mixed(const struct names_wide *wide, int n)
{
	long first = wide->first, fourth = wide->fourth;

	names_count(MIXED_A);
	WRITE_ONCE(names_sink, first + fourth + n);
}

static noinline __noipa void included(int n)
{
	names_count(INCLUDED_A);
}

/* So much code that gcc moves it to a function of its own, and inlines the rest. */
int parted(int n, int times)
{
	int i;

	if (likely(n <= 0))
		return 0;
	names_count(PARTED);
	for (i = 0; i < times; i++)
		WRITE_ONCE(names_sink, n + i);
	for (i = 0; i < times; i++)
		WRITE_ONCE(names_sink, n * i);
	for (i = 0; i < times; i++)
		WRITE_ONCE(names_sink, n ^ i);
	for (i = 0; i < times; i++)
		WRITE_ONCE(names_sink, n | i);
	return 0;
}

noinline void names_call_a(int n)
{
	struct names_wide wide = { .first = n, .fourth = 2 };
	int i;

	for (i = 0; i < 6; i++)
		cookie(n);
	for (i = 0; i < 7; i++)
		hidden(n);
	OPTIMIZER_HIDE_VAR(wide.first);
	for (i = 0; i < 3; i++)
		mixed(&wide, n);
	for (i = 0; i < 2; i++)
		shared(n, NAMES_SHARED_A);
	for (i = 0; i < 4; i++)
		included(n);
	parted(n, n);
	parted(n + 1, n + 2);
	parted(n + 2, n);
}
