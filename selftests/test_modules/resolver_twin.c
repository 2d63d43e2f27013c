// SPDX-License-Identifier: GPL-2.0-only
#include <linux/compiler.h>

#include "resolver.h"

/* __noipa and noinline: a compiler that changes twin() for its callers renames it. */
static noinline __noipa int twin(const char *text, int n)
{
	return text[READ_ONCE(n) & 1];
}

noinline int call_other_twin(int n)
{
	return twin("ab", n);
}
