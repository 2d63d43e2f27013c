// SPDX-License-Identifier: GPL-2.0-only
/* Compares /proc/kallsyms_btf with /proc/kallsyms, the symbol table of vmlinux, and BTF. */
#include <libgen.h>
#include <limits.h>

#include <bpf/btf.h>

#include "expect.h"

#include "kbtf.h"
#include "ksyms.h"
#include "vmsyms.h"

#define MAX_REPORTED 10 /* failures of one sort that are shown */

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
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &self->syms));
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms_btf", &self->btf_syms));
	self->btf = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	ASSERT_NE(NULL, self->btf);
	self->text = ksyms__addr(&self->syms, "_text");
	ASSERT_NE(0, self->text);
	ASSERT_NE(0, self->btf_syms.cnt);
}

FIXTURE_TEARDOWN(addresses)
{
	btf__free(self->btf);
	ksyms__free(&self->syms);
	ksyms__free(&self->btf_syms);
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

TEST_HARNESS_MAIN
