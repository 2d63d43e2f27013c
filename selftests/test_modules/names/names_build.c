// SPDX-License-Identifier: GPL-2.0-only
/* A unit of two files, as kernel/sched/build_policy.c. */
#include "names.h"

#include "names_d.c"
#include "names_e.c"

noinline void names_call_build(int n)
{
	int i;

	for (i = 0; i < 9; i++)
		included(n);
	deeper(n);
}
