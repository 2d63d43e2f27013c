// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaches to every ambiguous and every renamed function that ftrace can trace, one after another,
 * and to each $STEP-th (200) listed function. Reads the kernel's text before, meanwhile and
 * afterwards: the call must be at the function that vmlinux's symbol table and DWARF have for this
 * name and compilation unit, at no other function of this name, and gone in the end.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/types.h>

#include "expect.h"

#include "env.h"
#include "kbtf.h"
#include "ksyms.h"
#include "look.h"
#include "vmsyms.h"

#define STEP	      200  /* try one of this many functions */
#define MIN_DESCRIBED 0.99 /* of all that ftrace can trace */

enum naming {
	NAME_OTHER,
	NAME_AMBIGUOUS, /* several functions have this name */
	NAME_RENAMED,	/* the compiler has made the name unique */
	NAME_ANY,
};

FIXTURE(sweep) {
	struct vmlinux *vmlinux;
	struct vmunits *vmunits;
	struct ksyms syms, btf_syms;
	struct sites sites;
	struct btf *btf;
	struct look *look;
	const char **units; /* by type id */
	__u64 text;
};

typedef FIXTURE_DATA(sweep) sweep_t;

FIXTURE_SETUP(sweep)
{
	const char *why = "";

	ASSERT_OK(vmlinux__open(&self->vmlinux, &why), "%s", why);
	ASSERT_EQ(0, vmunits__open(self->vmlinux, &self->vmunits));
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &self->syms));
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms_btf", &self->btf_syms));
	ASSERT_EQ(0, sites__read(&self->syms, &self->sites));
	self->btf = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	ASSERT_NE(NULL, self->btf);
	self->units = btf_units__read(self->btf);
	ASSERT_NE(NULL, self->units);
	self->text = ksyms__addr(&self->syms, "_text");
	ASSERT_NE(0, self->text);
}

FIXTURE_TEARDOWN(sweep)
{
	look__free(self->look);
	free(self->units);
	btf__free(self->btf);
	sites__free(&self->sites);
	ksyms__free(&self->syms);
	ksyms__free(&self->btf_syms);
	vmunits__close(self->vmunits);
	vmlinux__close(self->vmlinux);
}

/* .isra.0, .constprop.1.isra.0, .part.0, .llvm.1234 */
static bool has_suffix(const char *name)
{
	static const char *const suffixes[] = {
		".isra.",
		".constprop.",
		".part.",
		".llvm.",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (strstr(name, suffixes[i]))
			return true;
	return false;
}

/* The number of places in vmlinux's text that have this name. */
static size_t count_places(const struct ksyms *syms, const char *name)
{
	const struct ksym *sym;
	size_t cnt, n = 0;
	__u64 last = 0;

	for (sym = ksyms__find(syms, name, &cnt); cnt; sym++, cnt--) {
		if (sym->module || !ksym__is_text(sym) || sym->addr == last)
			continue;
		last = sym->addr;
		n++;
	}
	return n;
}

static enum naming naming_of(const struct ksyms *syms, const char *name)
{
	if (count_places(syms, name) > 1)
		return NAME_AMBIGUOUS;
	return has_suffix(name) ? NAME_RENAMED : NAME_OTHER;
}

/*
 * The functions of a name in vmlinux. Returns their number, which may exceed LOOK_PLACES. If the
 * symbol table doesn't agree with DWARF's unit, the unit isn't known.
 */
static size_t find_funcs(const sweep_t *self, const char *name, struct look_func *funcs)
{
	const struct vmsym *sym;
	size_t i, cnt;

	sym = vmlinux__named(self->vmlinux, name, &cnt);
	for (i = 0; i < cnt && i < LOOK_PLACES; i++) {
		const char *unit = vmunits__at(self->vmunits, sym[i].offset);

		if (unit && sym[i].file && !path__ends(unit, sym[i].file))
			unit = NULL;
		funcs[i] = (struct look_func){ self->text + sym[i].offset, name, unit };
	}
	return cnt;
}

/* Log the outcome for a function, unless all is well. */
static void log_outcome(struct __test_metadata *_metadata, sweep_t *self, const struct ksym *s,
			enum look_outcome outcome)
{
	const char *unit = self->units[s->type_id];

	if (outcome == LOOK_ATTACHED)
		return;
	TH_LOG("%s: %s%s%s (#%u): %s", outcome == LOOK_MISSED ? "MISS" : "not attachable", s->name,
	       unit ? "@" : "", unit ?: "", s->type_id, look__why(self->look));
}

/* Try one of every @step functions with names of this sort. */
static void sweep(struct __test_metadata *_metadata, sweep_t *self, enum naming naming, size_t step)
{
	size_t i, nr = 0, results[LOOK_MISSED + 1] = {}, untraceable = 0;

	for (i = 0; i < self->btf_syms.cnt; i++) {
		const struct ksym *s = &self->btf_syms.syms[i];
		struct look_func funcs[LOOK_PLACES];
		enum look_outcome outcome;

		if (s->module ||
		    (naming != NAME_ANY && naming_of(&self->syms, s->name) != naming) ||
		    nr++ % step)
			continue;
		if (!sites__has(&self->sites, s->addr)) {
			untraceable++;
			continue;
		}
		outcome = look__at(self->look, s, self->units[s->type_id], funcs,
				   find_funcs(self, s->name, funcs));
		results[outcome]++;
		log_outcome(_metadata, self, s, outcome);
	}
	TH_LOG("%zu attached, %zu not attachable, %zu missed, %zu not traceable",
	       results[LOOK_ATTACHED], results[LOOK_REFUSED], results[LOOK_MISSED], untraceable);
	EXPECT_LT(0, results[LOOK_ATTACHED]);
	EXPECT_EQ(0, results[LOOK_MISSED]);
}

TEST_F_TIMEOUT(sweep, ambiguous_functions, 1200)
{
	ASSERT_EQ(0, look__new(&self->btf_syms, &self->look));
	sweep(_metadata, self, NAME_AMBIGUOUS, 1);
}

TEST_F_TIMEOUT(sweep, renamed_functions, 1200)
{
	ASSERT_EQ(0, look__new(&self->btf_syms, &self->look));
	sweep(_metadata, self, NAME_RENAMED, 1);
}

TEST_F_TIMEOUT(sweep, listed_functions, 3 * 3600)
{
	const char *step = getenv("STEP");

	ASSERT_LT(0, step ? atoi(step) : STEP);
	ASSERT_EQ(0, look__new(&self->btf_syms, &self->look));
	sweep(_metadata, self, NAME_ANY, step ? atoi(step) : STEP);
}

/* A function of vmlinux that begins at @addr, or NULL. */
static const struct ksym *find_at(const struct ksyms *syms, __u64 addr)
{
	size_t i;

	for (i = 0; i < syms->cnt; i++)
		if (syms->syms[i].addr == addr && !syms->syms[i].module &&
		    ksym__is_text(&syms->syms[i]))
			return &syms->syms[i];
	return NULL;
}

/* The addresses of all functions that BTF describes, sorted. */
static __u64 *described_addrs(const struct ksyms *btf_syms)
{
	__u64 *addrs = calloc(btf_syms->cnt + 1, sizeof(*addrs));
	size_t i;

	for (i = 0; addrs && i < btf_syms->cnt; i++)
		addrs[i] = btf_syms->syms[i].addr;
	if (addrs)
		qsort(addrs, btf_syms->cnt, sizeof(*addrs), sorted__cmp_addrs);
	return addrs;
}

/*
 * Why btfaddr left a function out of BTF; NULL if it doesn't say. When the selftests were built,
 * "btfaddr --left-out" wrote $LEFT_OUT: lines "0x<offset from _text>\tname\treason".
 */
static char *why_left_out(const char *name, __u64 offset)
{
	FILE *f = fopen(env__need("LEFT_OUT"), "re");
	char *line = NULL, *reason = NULL;
	char key[1024];
	size_t size = 0, len;

	len = snprintf(key, sizeof(key), "0x%llx\t%s\t", (unsigned long long)offset, name);
	while (f && !reason && getline(&line, &size, f) >= 0)
		if (!strncmp(line, key, len))
			reason = strndup(line + len, strcspn(line + len, "\n"));
	free(line);
	if (f)
		fclose(f);
	return reason;
}

/*
 * Expect BTF to describe nearly every function that ftrace can trace, and every ambiguous one
 * unless btfaddr has said why not.
 */
TEST_F_TIMEOUT(sweep, described_functions, 120)
{
	size_t i, undescribed = 0, unexplained = 0;
	const struct sites *sites = &self->sites;
	__u64 *described = described_addrs(&self->btf_syms);
	double share;

	ASSERT_NE(NULL, described);
	for (i = 0; i < sites->cnt; i++) {
		const struct ksym *s;
		char *reason;

		if (sorted__has_addr(described, self->btf_syms.cnt, sites->addrs[i]))
			continue;
		undescribed++;
		s = find_at(&self->syms, sites->addrs[i]);
		if (!s)
			continue;
		reason = why_left_out(s->name, s->addr - self->text);
		TH_LOG("not described: %s: %s", s->name, reason ?: "btfaddr gives no reason");
		if (!reason && count_places(&self->syms, s->name) > 1)
			unexplained++;
		free(reason);
	}
	free(described);
	ASSERT_LT(0, sites->cnt);
	share = 1 - (double)undescribed / sites->cnt;
	TH_LOG("%zu of %zu traceable functions described: %.2f %%", sites->cnt - undescribed,
	       sites->cnt, share * 100);
	EXPECT_EQ(0, sites->unnamed);
	EXPECT_EQ(0, unexplained);
	EXPECT_LE(MIN_DESCRIBED, share);
}

TEST_HARNESS_MAIN
