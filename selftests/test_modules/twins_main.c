// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two functions twin() with different signatures, and one only(). Writing to "call" calls them all.
 */
#include <linux/module.h>

#include "call.h"
#include "twins.h"

/* Room for BTF, which the test fills in before it loads the module. */
static const char btf_room[4096] __used __section(".BTF");

static noinline int twin(int n)
{
	return READ_ONCE(n) + 1;
}

static noinline int only(int n)
{
	return READ_ONCE(n) + 2;
}

static int call_functions(int n)
{
	return twin(n) + only(n) + twins_other(n);
}

MODULE_DESCRIPTION("BTF tests: two functions of one name in a module");
MODULE_LICENSE("GPL");
