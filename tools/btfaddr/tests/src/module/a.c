// SPDX-License-Identifier: GPL-2.0
/*
 * What a module has besides: sections of its own, and functions of others.
 *
 * EXPECT all module/a.c: int twin(struct own *o);
 * EXPECT all module/a.c: int in_header(int x);
 * EXPECT all -: int calls_out(struct own *o, int n);
 * EXPECT all -: int unlikely_text(int a);
 * EXPECT all -: int noinstr_text(int a);
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

noinline int calls_out(struct own *o, int n)
{
	static int (*volatile p)(int) = in_header;

	return elsewhere(n) + p(n) + twin(o->next);
}

__attribute__((section(".text.unlikely"))) int unlikely_text(int a)
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
