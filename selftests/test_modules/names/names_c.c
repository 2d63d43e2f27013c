// SPDX-License-Identifier: GPL-2.0-only
/* The second module, with a function that names_b.c also has. Writing to "call" calls it. */
#include <linux/module.h>

#include "call.h"

static noinline __noipa void alone(int n)
{
	barrier();
}

static int call_functions(int n)
{
	alone(n);
	alone(n);
	return 0;
}

MODULE_DESCRIPTION("BTF tests: a function of another module's name");
MODULE_LICENSE("GPL");
