// SPDX-License-Identifier: GPL-2.0-only
/*
 * EXPECT all module/b.c: long twin(const struct other *o, long n);
 * EXPECT all: long other_twin(const struct other *o);
 */
#include "../header.h"

struct other {
	long length;
	const char *name;
};

static noinline long twin(const struct other *o, long n)
{
	sink -= o->length * n - (long)o;
	return sink + *o->name;
}

long other_twin(const struct other *o)
{
	return twin(o, sink) + 1;
}
