// SPDX-License-Identifier: GPL-2.0-only
/* Compiled twice: names_t1.c and names_t2.c say what their call() and counter are. */
#include "names.h"

static noinline __noipa void twice(int n)
{
	names_count(COUNTER);
}

noinline void CALL(int n)
{
	int i;

	for (i = 0; i < TIMES; i++)
		twice(n);
}
