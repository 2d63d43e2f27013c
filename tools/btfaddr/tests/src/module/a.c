// SPDX-License-Identifier: GPL-2.0-only
/*
 * What only a module has: sections of its own, and calls of functions in other files.
 *
 * EXPECT all module/a.c: int twin(struct own *o);
 * EXPECT all module/a.c: int in_header(int x);
 * EXPECT all: int calls_out(struct own *o, int n);
 * EXPECT gcc12_x86: long dropped.constprop.0.isra.0(long p__second);
 * EXPECT gcc12_arm64: long dropped.constprop.0.isra.0(__isra0);
 * EXPECT gcc14_x86: long dropped.isra.0(long p__second);
 * EXPECT gcc14_arm64: long dropped.isra.0(__isra0);
 * EXPECT clang19: long dropped(long p__second);
 * EXPECT all: int unlikely_text(int a);
 * EXPECT all: int noinstr_text(int a);
 *
 * module_start and module_end have none.
 */
#include "../header.h"

struct own {
	struct pair pair;
	struct own *next;
};

int elsewhere(int n);

static noinline int twin(struct own *o)
{
	sink += o->pair.first + (long)o;
	return sink;
}

int unlikely_text(int a);

/*
 * The unused pointer is gone, and nothing is passed instead: to see that, the call
 * of another section must be followed.
 */
static noinline long dropped(struct pair p, struct own *o)
{
	sink += p.second;
	return unlikely_text(p.second) + 1;
}

noinline int calls_out(struct own *o, int n)
{
	static int (*volatile p)(int) = in_header;

	return elsewhere(n) + p(n) + twin(o->next) + dropped(o->pair, o) +
	       dropped(o->next->pair, o->next);
}

__attribute__((section(".text.unlikely"))) noinline int unlikely_text(int a)
{
	return a + sink;
}

__attribute__((section(".noinstr.text"))) int noinstr_text(int a)
{
	return a * sink;
}

init_text int module_start(void)
{
	return elsewhere(1) + sink;
}

__attribute__((section(".exit.text"))) void module_end(void)
{
	elsewhere(0);
}
