// SPDX-License-Identifier: GPL-2.0-only
/*
 * How arguments are passed.
 *
 * EXPECT all: long two_regs(int a, struct pair p, int b);
 * EXPECT all: long on_stack(struct big b, int c);
 * EXPECT all: long seven(int a, int b, int c, int d, int e, int f, long g, struct pair h);
 * EXPECT all: long overtaken(int a, int b, int c, int d, int e, struct pair p, int f);
 * EXPECT all: int small(struct small s, union either u);
 * EXPECT all: int variadic(const char *fmt, ...);
 * EXPECT all: int pointers(int (*call)(void *, int, ...), int (*array)[4], int *row);
 * EXPECT all: struct big returns_big(int a);
 * EXPECT all: int unused(int a, int b, int c);
 * EXPECT all: enum colour enums(enum colour c, const volatile _Bool *flag);
 * EXPECT all: long deep(alias_t a, struct pair *const *p);
 * EXPECT all: void nothing(void);
 * EXPECT gcc: int twin_a(int a, long b);
 * EXPECT gcc: int twin_b(int x, long y);
 */
#include "../header.h"

struct big {
	long a, b, c;
};

struct small {
	int x;
};

union either {
	int i;
	void *p;
};

enum colour { RED, GREEN = 1000000, BLUE = -1 };

typedef struct {
	long anonymous;
} inner_t;
typedef inner_t *alias_t;

noinline long two_regs(int a, struct pair p, int b)
{
	return a + p.first * p.second + b;
}

noinline long on_stack(struct big b, int c)
{
	return b.a + b.b + c;
}

noinline long seven(int a, int b, int c, int d, int e, int f, long g, struct pair h)
{
	return a + b + c + d + e + f + g * h.second;
}

/* The struct needs two registers where one is left; the int takes that one. */
noinline long overtaken(int a, int b, int c, int d, int e, struct pair p, int f)
{
	return a + b + c + d + e + p.first * p.second + f;
}

noinline int small(struct small s, union either u)
{
	return s.x + u.i;
}

noinline int variadic(const char *fmt, ...)
{
	sink++;
	return *fmt;
}

noinline int pointers(int (*call)(void *, int, ...), int (*array)[4], int row[3])
{
	return call(array, row[1]);
}

noinline struct big returns_big(int a)
{
	return (struct big){ a, a, a };
}

noinline int unused(int a, int b, int c)
{
	return b;
}

noinline enum colour enums(enum colour c, const volatile _Bool *flag)
{
	return *flag ? c : BLUE;
}

noinline long deep(alias_t a, struct pair *const *p)
{
	return a->anonymous + (*p)->second;
}

noinline void nothing(void)
{
	sink = 0;
}

/* GCC makes one a jump to the other, and leaves it without a DWARF address. */
noinline int twin_a(int a, long b)
{
	for (int i = 0; i < a; i++)
		sink += b * i;
	return a + sink;
}

noinline int twin_b(int x, long y)
{
	for (int i = 0; i < x; i++)
		sink += y * i;
	return x + sink;
}
