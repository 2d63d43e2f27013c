// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions that compilers change because they see all callers.
 *
 * EXPECT gcc: int gone.constprop.0(int used, long kept);
 * EXPECT clang: int gone(int used, long kept);
 * EXPECT gcc_x86: long half.isra.0(long p__second, int z);
 * EXPECT gcc_arm64: long half.isra.0(p__isra0, int z);
 * EXPECT clang_x86: void half(long p__second, int z);
 * EXPECT clang_arm64: long half(__isra0, __isra1, int z);
 * EXPECT gcc: void unwanted.isra.0(int a);
 * EXPECT clang19: void unwanted(int a);
 * EXPECT gcc: void cold_part(int a, int *p);
 * EXPECT gcc12: int dead_pointer.constprop.0(int n);
 * EXPECT gcc14: int dead_pointer.isra.0(int n);
 * EXPECT clang19: void dead_pointer(int n);
 * EXPECT gcc: long deref.isra.0(it__isra0, int n);
 * EXPECT gcc: long deref_last.isra.0(int n, it__isra0);
 * EXPECT gcc: long deref_two.isra.0(__isra0, __isra1, int n);
 * EXPECT gcc: int deref_byte.isra.0(int n, b__isra0);
 * LEFT_OUT gcc: deref_call.isra.0
 * ABSENT gcc: cold_part.cold
 */
#include "../header.h"

#ifdef __clang__
#define tag(name) __attribute__((btf_decl_tag(name)))
#else
#define tag(name)
#endif

/* Tags go with their parameters, and to the function if these go. */
static noinline int gone(int used, int const_arg tag("on_const"), long kept tag("on_kept"))
{
	for (int i = 0; i < const_arg; i++)
		sink += used * kept;
	return used + kept;
}

int use_gone(int a)
{
	return gone(a, 3, 6 + a) + gone(a + 1, 3, 8 * a);
}

/* Nobody uses what it returns. */
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

/* Only the second member of the struct is passed. */
static noinline long half(struct pair p, int z)
{
	sink += p.second * z;
	return p.second;
}

long use_half(long x, int y)
{
	return half((struct pair){ x, x * 2 }, y) + half((struct pair){ 1, y }, 4);
}

/* GCC passes it->second, and DWARF doesn't say where. */
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

/* Members of both, in two registers, of which only the order is known. */
static noinline long deref_two(struct pair *it, struct pair *of, int n)
{
	sink += it->second * of->first + n;
	return n;
}

long use_deref_two(struct pair *x, int n)
{
	return deref_two(x, x + 1, n) + deref_two(x + 1, x + 2, n + 1);
}

struct bytes {
	char a, b, c;
};

/* Read as a byte, and in one branch only. */
static noinline int deref_byte(int n, struct bytes *b)
{
	char c = b->c;

	sink += n;
	if (n & 1)
		sink += c;
	return sink;
}

int use_deref_byte(struct bytes *b, int n)
{
	return deref_byte(n, b) + deref_byte(n + 1, b + 1);
}

/* A call through a pointer may or may not hand on what came in: not described. */
static noinline long deref_call(int n, struct pair *it)
{
	((void (*)(long))it->first)(n);
	return n;
}

long use_deref_call(struct pair *x, int n)
{
	return deref_call(n, x) + deref_call(n + 1, x + 2);
}

noinline int other(int x)
{
	sink += x;
	return x;
}

/* A pointer at the end of the parameters is not passed: only the code tells. */
static noinline int dead_pointer(int n, struct pair *unused)
{
	for (int i = 0; i < n; i++)
		sink += other(i);
	return n;
}

int use_dead_pointer(int a, struct pair *p)
{
	return dead_pointer(a, p) + dead_pointer(a + 1, p + 1);
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
