// SPDX-License-Identifier: GPL-2.0-only
/* What gcc really makes with -O3: a copy beside the function, and two copies without it. */
#include "names.h"

static noinline int both(int n, int times)
{
	int i, sum = 0;

	names_count(BOTH);
	for (i = 0; i < times; i++)
		WRITE_ONCE(names_sink, sum += n * i);
	return sum;
}

static noinline int clones(int n, int times)
{
	int i, sum = 0;

	names_count(CLONES);
	for (i = 0; i < times; i++)
		WRITE_ONCE(names_sink, sum += n * i);
	return sum;
}

noinline void names_call_o3(int n)
{
	int (*volatile ptr)(int n, int times) = both;

	ptr(n, n);
	both(n, 3);
	both(n + 1, 3);
	clones(n, 4);
	clones(n + 1, 4);
	clones(n, 9);
}
