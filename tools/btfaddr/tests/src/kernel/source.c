// SPDX-License-Identifier: GPL-2.0-only
/*
 * Declarations that are not easy to write down, of functions that lose their first parameter.
 *
 * EXPECT gcc12: long calls.constprop.0(int (*call)(void *, int, ...), void (*const *table)(void), long n);
 * EXPECT gcc14: long calls.isra.0(int (*call)(void *, int, ...), void (*const *table)(void), long n);
 * EXPECT clang19: long calls(int (*call)(void *, int, ...), void (*const *table)(void), long n);
 * EXPECT gcc: int logs.constprop.0(int level, const char *fmt, ...);
 * EXPECT gcc: void counts.isra.0(void);
 * EXPECT clang19_x86: void counts(void);
 */
#include "../header.h"

typedef unsigned long size_type;

union several {
	long l;
	void *p;
};

enum suit { CLUBS, HEARTS };

static noinline long calls(int dead, int (*call)(void *, int, ...), void (*const *table)(void),
			   long n)
{
	(*table)();
	sink += n;
	return call((void *)table, n) * n;
}

static noinline long (*chosen(int dead, long (*const *from)(long), long n))(long)
{
	sink += n;
	return from[n];
}

static noinline long rows(int dead, long (*row)[4], const short (*grid)[2][3], long list[8])
{
	sink += (*row)[1];
	return grid[1][1][2] * list[sink];
}

static noinline long qualified(int dead, const char *const text, volatile long *restrict p,
			       const struct pair *const *volatile *q, const size_type n)
{
	*p += n;
	return (**q)->first * text[n];
}

static noinline long base_types(int dead, unsigned long long *a, short *b, unsigned short *c,
				signed char *d, unsigned __int128 *e, long long f)
{
	sink += f;
	return *a + *b * *c * *d + (long)*e;
}

static noinline long tagged_types(int dead, union several *u, enum suit suit, const void *p)
{
	sink += suit;
	return u->l + *(const char *)p;
}

static noinline long no_name(int, long n)
{
	sink += n;
	return n * sink;
}

static noinline long no_tag(int dead, struct { long a; unsigned int b : 3; union { int c; char *d; }; } *s, long n)
{
	sink += s->a * n;
	return s->b + s->c;
}

static noinline int logs(int level, const char *fmt, ...)
{
	__builtin_va_list args;

	__builtin_va_start(args, fmt);
	sink += level + *fmt + __builtin_va_arg(args, int);
	__builtin_va_end(args);
	return sink;
}

/* Nobody uses what it returns. */
static noinline int counts(void)
{
	sink += sink & 3;
	return sink * 5;
}

struct all {
	int (*call)(void *, int, ...);
	void (**table)(void);
	long (**from)(long);
	long (*row)[4];
	const short (*grid)[2][3];
	const struct pair *const *volatile *pairs;
	char *text;
	void *p;
};

long use_source(struct all *a, long n)
{
	long sum = calls(1, a->call, a->table, n) + calls(2, a->call, a->table + 1, n + 1);

	sum += chosen(1, a->from, n)(n) + chosen(2, a->from + 1, n + 1)(n);
	sum += rows(1, a->row, a->grid, a->p) + rows(2, a->row + 1, a->grid + 1, a->p + 8);
	sum += qualified(1, a->text, a->p, a->pairs, n) +
	       qualified(2, a->text + 1, a->p, a->pairs + 1, n + 1);
	sum += base_types(1, a->p, a->p, a->p, a->p, a->p, n) +
	       base_types(2, a->p + 16, a->p, a->p + 4, a->p, a->p, sum);
	sum += tagged_types(1, a->p, HEARTS, a->p) + tagged_types(2, a->p + 8, n, a->text);
	sum += no_name(1, n) + no_name(2, n + 1);
	sum += no_tag(1, a->p, n) + no_tag(2, a->p + 8, n + 1);
	sum += logs(3, a->text, 1) + logs(3, a->text + 1, 2);
	counts();
	sum += n;
	counts();
	return sum;
}
