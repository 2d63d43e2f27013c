// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares /proc/kallsyms_btf with /proc/kallsyms, the symbol table of vmlinux, BTF, and the ksym
 * iterator. A function with several names has one FUNC, whose id is shown for each name.
 */
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "expect.h"

#include "addresses.skel.h"
#include "kbtf.h"
#include "kmod.h"
#include "ksyms.h"
#include "vmsyms.h"

#define MODULE	     "resolver" /* its functions have addresses, too */
#define MAX_REPORTED 10		/* failures of one sort that are shown */

FIXTURE(addresses) {
	struct vmlinux *vmlinux;
	struct ksyms syms, btf_syms;
	struct btf *btf;
	__u64 text;
};

FIXTURE_SETUP(addresses)
{
	const char *why = "";

	ASSERT_OK(vmlinux__open(&self->vmlinux, &why), "%s", why);
	ASSERT_EQ(0, kmod__load(MODULE, ""));
	EXPECT_EQ(0, ksyms__read("/proc/kallsyms", &self->syms));
	EXPECT_EQ(0, ksyms__read("/proc/kallsyms_btf", &self->btf_syms));
	self->btf = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	EXPECT_NE(NULL, self->btf);
	self->text = ksyms__addr(&self->syms, "_text");
	EXPECT_NE(0, self->text);
	EXPECT_NE(0, self->btf_syms.cnt);
}

FIXTURE_TEARDOWN(addresses)
{
	btf__free(self->btf);
	ksyms__free(&self->syms);
	ksyms__free(&self->btf_syms);
	EXPECT_EQ(0, kmod__unload(MODULE));
	vmlinux__close(self->vmlinux);
}

/* Expect each line to be one of /proc/kallsyms, its type included. */
TEST_F_TIMEOUT(addresses, are_those_of_kallsyms, 120)
{
	size_t i, bad = 0;

	for (i = 0; i < self->btf_syms.cnt; i++) {
		const struct ksym *s = &self->btf_syms.syms[i], *known;

		if (s->module)
			continue;
		known = ksyms__at(&self->syms, s->name, s->addr);
		if (known && known->type == s->type && ksym__is_text(s))
			continue;
		if (bad++ < MAX_REPORTED)
			TH_LOG("%016llx %c %s: not in /proc/kallsyms", (unsigned long long)s->addr,
			       s->type, s->name);
	}
	EXPECT_EQ(0, bad);
	TH_LOG("%zu functions", self->btf_syms.cnt);
}

static const char *func_name(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	return t && btf_is_func(t) ? btf__name_by_offset(btf, t->name_off) : "";
}

/*
 * Expect each function at the same offset from _text as in the vmlinux file. Aliases are left out,
 * as the linker script may have made them. kaslr.sh reads the log line.
 */
TEST_F_TIMEOUT(addresses, are_offsets_from_text, 120)
{
	size_t i, bad = 0;

	for (i = 0; i < self->btf_syms.cnt; i++) {
		const struct ksym *s = &self->btf_syms.syms[i];

		if (s->module || strcmp(func_name(self->btf, s->type_id), s->name) ||
		    vmlinux__at(self->vmlinux, s->name, s->addr - self->text))
			continue;
		if (bad++ < MAX_REPORTED)
			TH_LOG("%s: not at _text+0x%llx in vmlinux", s->name,
			       (unsigned long long)(s->addr - self->text));
	}
	EXPECT_EQ(0, bad);
	TH_LOG("_text is at %016llx", (unsigned long long)self->text);
}

/*
 * Expect each id to be that of a FUNC. A line must have the FUNC's name, this address and this id,
 * and no other line may have this name and id.
 */
TEST_F_TIMEOUT(addresses, ids_are_those_of_btf, 120)
{
	__u32 type_cnt = btf__type_cnt(self->btf);
	bool *seen = calloc(type_cnt, sizeof(*seen));
	size_t i, bad = 0, others = 0;

	ASSERT_NE(NULL, seen);
	for (i = 0; i < self->btf_syms.cnt; i++) {
		const struct ksym *s = &self->btf_syms.syms[i], *own;
		const char *name = func_name(self->btf, s->type_id);

		if (s->module)
			continue;
		own = ksyms__at(&self->btf_syms, name, s->addr);
		if (own && own->type_id == s->type_id && (own != s || !seen[s->type_id])) {
			seen[s->type_id] |= own == s;
			others += own != s;
			continue;
		}
		if (bad++ < MAX_REPORTED)
			TH_LOG("%s: type id %u", s->name, s->type_id);
	}
	EXPECT_EQ(0, bad);
	TH_LOG("%zu other names", others);
	free(seen);
}

/* Does the symbol table's source file agree with the unit's path? */
static bool same_file(const struct vmsym *vmsym, const char *unit)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s", unit);
	return !strcmp(vmsym->file, basename(path));
}

/*
 * Expect each listed function with an ambiguous name to have a tag with its compilation unit. The
 * unit must be the source file of the function's symbol.
 */
TEST_F_TIMEOUT(addresses, units_are_those_of_vmlinux, 120)
{
	size_t i, cnt, untagged = 0, wrong = 0, checked = 0;
	const char **units = btf_units__read(self->btf);

	ASSERT_NE(NULL, units);
	for (i = 0; i < self->btf_syms.cnt; i++) {
		const struct ksym *s = &self->btf_syms.syms[i];
		const char *unit = units[s->type_id];
		const struct vmsym *vmsym;

		ksyms__find(&self->btf_syms, s->name, &cnt);
		if (cnt > 1 && !unit && untagged++ < MAX_REPORTED)
			TH_LOG("%s (#%u) has no unit", s->name, s->type_id);
		if (!unit)
			continue;
		vmsym = vmlinux__at(self->vmlinux, s->name, s->addr - self->text);
		if (!vmsym || !vmsym->file) /* globals: no file is known */
			continue;
		checked++;
		if (!same_file(vmsym, unit) && wrong++ < MAX_REPORTED)
			TH_LOG("%s is of %s, not %s", s->name, vmsym->file, unit);
	}
	EXPECT_EQ(0, untagged);
	EXPECT_EQ(0, wrong);
	EXPECT_LE(2, checked);
	TH_LOG("%zu units compared", checked);
	free(units);
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
TEST_F(addresses, one_id_for_an_address)
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
TEST_F(addresses, all_names)
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

/* The iterator has ids for the same symbols, and for no others. */
TEST_F_TIMEOUT(addresses, are_those_of_the_iterator, 120)
{
	struct addresses_bpf *skel = addresses_bpf__open_and_load();
	struct ksyms *proc = &self->btf_syms, iter;
	size_t i, modules = 0;
	struct bpf_link *link;
	int fd;

	ASSERT_NE(NULL, skel);
	link = bpf_program__attach_iter(skel->progs.print_functions, NULL);
	ASSERT_NE(NULL, link);
	fd = bpf_iter_create(bpf_link__fd(link));
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ksyms__read_fd(fd, true, &iter));
	close(fd);
	bpf_link__destroy(link);
	addresses_bpf__destroy(skel);
	ASSERT_EQ(proc->cnt, iter.cnt);
	for (i = 0; i < proc->cnt; i++) {
		const struct ksym *want = &proc->syms[i], *got = &iter.syms[i];

		ASSERT_STREQ(want->name, got->name);
		ASSERT_STREQ(want->module ?: "", got->module ?: "");
		ASSERT_EQ(want->addr, got->addr);
		ASSERT_EQ(want->type, got->type);
		ASSERT_EQ(want->obj_id, got->obj_id);
		ASSERT_EQ(want->type_id, got->type_id);
		modules += ksym__is_of(want, MODULE);
	}
	EXPECT_LT(0, modules);
	TH_LOG("%zu functions, %zu of a module", iter.cnt, modules);
	ksyms__free(&iter);
}

TEST_HARNESS_MAIN
