// SPDX-License-Identifier: GPL-2.0-only
/* A function with several names has one FUNC. /proc/kallsyms_btf shows its id for each name. */
#include <stdlib.h>
#include <string.h>

#include "expect.h"

#include "kmod.h"
#include "ksyms.h"

#define MODULE "resolver"

FIXTURE(aliases) {
	struct ksyms btf_syms, syms;
	bool loaded; /* the module */
};

FIXTURE_SETUP(aliases)
{
	ASSERT_EQ(0, kmod__load(MODULE, ""));
	self->loaded = true;
	EXPECT_EQ(0, ksyms__read("/proc/kallsyms_btf", &self->btf_syms));
	EXPECT_EQ(0, ksyms__read("/proc/kallsyms", &self->syms));
}

FIXTURE_TEARDOWN(aliases)
{
	ksyms__free(&self->btf_syms);
	ksyms__free(&self->syms);
	if (self->loaded)
		EXPECT_EQ(0, kmod__unload(MODULE));
}

static int cmp_addr(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static int cmp_id(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	if (x->obj_id != y->obj_id)
		return x->obj_id < y->obj_id ? -1 : 1;
	return (x->type_id > y->type_id) - (x->type_id < y->type_id);
}

/* Expect that symbols have the same ids if and only if they have the same address. */
TEST_F(aliases, one_id_for_an_address)
{
	struct ksyms *k = &self->btf_syms;
	size_t i, in_vmlinux = 0, in_modules = 0, wrong = 0;

	qsort(k->syms, k->cnt, sizeof(*k->syms), cmp_addr);
	for (i = 1; i < k->cnt; i++) {
		if (cmp_addr(&k->syms[i - 1], &k->syms[i]))
			continue;
		wrong += cmp_id(&k->syms[i - 1], &k->syms[i]) != 0;
		in_vmlinux += !k->syms[i].module;
		in_modules += !!k->syms[i].module;
	}
	EXPECT_EQ(0, wrong);
	EXPECT_LT(0, in_vmlinux);
	EXPECT_LT(0, in_modules);
	qsort(k->syms, k->cnt, sizeof(*k->syms), cmp_id);
	for (i = 1, wrong = 0; i < k->cnt; i++)
		wrong += !cmp_id(&k->syms[i - 1], &k->syms[i]) &&
			 cmp_addr(&k->syms[i - 1], &k->syms[i]);
	EXPECT_EQ(0, wrong);
}

/* Expect that no name of a function is left out. */
TEST_F(aliases, all_names)
{
	struct ksyms *k = &self->btf_syms;
	struct ksym *by_addr = malloc(k->cnt * sizeof(*by_addr));
	size_t i, missing = 0, cnt;

	ASSERT_NE(NULL, by_addr);
	memcpy(by_addr, k->syms, k->cnt * sizeof(*by_addr));
	qsort(by_addr, k->cnt, sizeof(*by_addr), cmp_addr);
	for (i = 0; i < self->syms.cnt; i++) {
		const struct ksym *sym = &self->syms.syms[i], *found, *end;

		if (!ksym__is_text(sym) ||
		    !bsearch(sym, by_addr, k->cnt, sizeof(*by_addr), cmp_addr))
			continue;
		found = ksyms__find(k, sym->name, &cnt);
		for (end = found + cnt; found < end && found->addr != sym->addr; found++)
			;
		missing += found == end;
	}
	EXPECT_EQ(0, missing);
	free(by_addr);
}

TEST_HARNESS_MAIN
