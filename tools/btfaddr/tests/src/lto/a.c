// SPDX-License-Identifier: GPL-2.0-only
/*
 * EXPECT all: long promoted.llvm.HASH(struct pair *p, int n);
 * EXPECT all: long imported(struct pair *p, int n);
 * EXPECT all a.c: long both.llvm.HASH(struct pair *p, int n);
 */
#include "../header.h"

volatile long sink;
long lto_entry(struct pair *p, int n);
long both_a(struct pair *p, int n);
long both_b(struct pair *p, int n);

static noinline long promoted(struct pair *p, int unused, int n)
{
	sink += p->first * n;
	return sink;
}

/* Small enough to be imported into the other unit, with its call of promoted(). */
long imported(struct pair *p, int n)
{
	return promoted(p, 5, n) + 1;
}

/* There is one in the other unit. */
static noinline long both(struct pair *p, int n)
{
	sink += p->first - n;
	return sink;
}

long both_a(struct pair *p, int n)
{
	return both(p, n) + 2;
}

long lto_entry(struct pair *p, int n)
{
	sink += both(p, n) + both_b(p, n);
	return promoted(p, 7, n + 1);
}
