// SPDX-License-Identifier: GPL-2.0-only
/*
 * A dump has layout___2 for the second struct of that name; likewise holder___2.
 *
 * EXPECT all net/two.c: int same(int a);
 * EXPECT all net/two.c: void differs(const char *name, struct layout___2 *l);
 * EXPECT all net/two.c: int in_header(int x);
 * EXPECT all: long held_there(struct holder___2 *h);
 * EXPECT all: long only_there(struct layout___2 *l);
 */
#include "../header.h"

struct layout {
	const char *in_two;
	struct layout *next;
	union {
		int u_int;
		void *u_ptr;
	};
	unsigned bits : 3, more : 7;
};

struct holder {
	struct layout *l;
	long n;
};

noinline long held_there(struct holder *h)
{
	return *h->l->in_two + h->n;
}

static noinline int same(int a)
{
	sink -= a;
	return a - sink;
}

static noinline void differs(const char *name, struct layout *l)
{
	sink += *name + l->u_int;
}

static noinline init_text int also_init(int a)
{
	return a * sink;
}

noinline long only_there(struct layout *l)
{
	return l->next->bits + l->more;
}

typedef int (*fn_t)(int);
long use_two(struct layout *l, int a)
{
	static volatile fn_t p = in_header;

	differs("x", l);
	return same(a) + p(a) + also_init(a);
}

void *volatile two_table[] = { same, differs, also_init };
