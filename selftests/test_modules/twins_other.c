// SPDX-License-Identifier: GPL-2.0-only
#include <linux/compiler.h>

#include "twins.h"

/* The compiler may change neither function for its callers, as that would rename twin(). */
static noinline __noipa int twin(const char *text, int n)
{
	return text[READ_ONCE(n) & 1];
}

noinline int twins_other(int n)
{
	return twin("ab", n);
}
