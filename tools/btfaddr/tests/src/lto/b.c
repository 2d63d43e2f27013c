// SPDX-License-Identifier: GPL-2.0-only
/*
 * EXPECT all: long lto_user(struct pair *p, int n);
 * EXPECT all b.c: long both.llvm.HASH(struct pair *p, int n);
 */
#include "../header.h"

long imported(struct pair *p, int n);
long lto_entry(struct pair *p, int n);
long both_a(struct pair *p, int n);
long both_b(struct pair *p, int n);

static noinline long both(struct pair *p, int n)
{
	sink += p->second + n;
	return sink;
}

long both_b(struct pair *p, int n)
{
	return both(p, n) + 3;
}

__attribute__((used)) noinline long lto_user(struct pair *p, int n)
{
	sink += both(p, n) + both_a(p, n);
	return imported(p, n) * imported(p + 1, n) + lto_entry(p, n);
}

void _start(void)
{
	static struct pair pair;

	lto_user(&pair, sink);
}
