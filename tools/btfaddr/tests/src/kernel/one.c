// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names that net/two.c has too.
 *
 * EXPECT all kernel/one.c: int same(int a);
 * EXPECT all kernel/one.c: long differs(struct layout *l, int n);
 * EXPECT all kernel/one.c: int in_header(int x);
 * EXPECT all kernel/one.c: int also_init(int a);
 * EXPECT all: int only_here(struct layout *l);
 * EXPECT all: int held_here(struct holder *h);
 * INIT all: init_only
 */
#include "../header.h"

volatile long sink;

struct layout {
	int in_one;
	struct layout *next;
};

/* Looks the same in both units, and isn't. */
struct holder {
	struct layout *l;
	long n;
};

noinline int held_here(struct holder *h)
{
	return h->l->in_one + h->n;
}

static noinline int same(int a)
{
	sink += a;
	return a + sink;
}

static noinline long differs(struct layout *l, int n)
{
	sink += l->in_one;
	return sink * n;
}

static noinline int also_init(int a)
{
	sink += a * 3;
	return a * sink;
}

noinline int only_here(struct layout *l)
{
	return l->next->in_one;
}

noinline init_text int init_only(int a)
{
	return a + sink;
}

typedef int (*fn_t)(int);
long use_one(struct layout *l, int a)
{
	static volatile fn_t p = in_header;

	return same(a) + differs(l, a) + p(a) + also_init(a) + init_only(a);
}

/* By address, so that no compiler may change them. */
void *volatile one_table[] = { same, differs, also_init };
