// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that compilers change because they see all callers.
 *
 * EXPECT gcc -: int gone.constprop.0(int used, long kept);
 * EXPECT clang -: int gone(int used, long kept);
 * EXPECT gcc -: long half.isra.0(long p__second, int z);
 * EXPECT clang -: long half(long p__second, int z);
 * EXPECT gcc -: void unwanted.isra.0(int a);
 * EXPECT clang19 -: void unwanted(int a);
 * EXPECT gcc -: void cold_part(int a, int *p);
 * LEFT_OUT gcc: deref.isra.0
 * LEFT_OUT gcc: deref_last.isra.0
 * ABSENT gcc: cold_part.cold
 */
#include "../header.h"

static noinline int gone(int used, int const_arg, long kept)
{
	for (int i = 0; i < const_arg; i++)
		sink += used * kept;
	return used + kept;
}

int use_gone(int a)
{
	return gone(a, 3, 6 + a) + gone(a + 1, 3, 8 * a);
}

/* Nobody wants what it returns. */
static noinline int unwanted(int a)
{
	sink += a;
	return a * 7;
}

void use_unwanted(int a)
{
	unwanted(a);
	unwanted(a + 1);
}

/* Of the struct, only the second member is passed. */
static noinline long half(struct pair p, int z)
{
	sink += p.second * z;
	return p.second;
}

long use_half(long x, int y)
{
	return half((struct pair){ x, x * 2 }, y) + half((struct pair){ 1, y }, 4);
}

/* What GCC passes is it->val, of which DWARF says nothing. */
static noinline long deref(struct pair *it, int n)
{
	sink += it->second * n;
	return it->second + n;
}

static noinline long deref_last(int n, struct pair *it)
{
	sink += it->second * n;
	return it->second + n;
}

long use_deref(struct pair *x, int n)
{
	return deref(x, n) + deref(x + 1, n + 1) + deref_last(n, x) + deref_last(n + 1, x + 2);
}

void __attribute__((cold, noreturn)) die(int *p);

/* Its DIE has DW_AT_ranges. */
noinline void cold_part(int a, int *p)
{
	if (__builtin_expect(a == 42, 0)) {
		sink++;
		die(p);
	}
	sink += a;
}

void die(int *p)
{
	for (;;)
		sink += *p;
}
