// SPDX-License-Identifier: GPL-2.0-only
/*
 * One program on many functions at once, as libfentry attaches it: by a tracing_multi link for each
 * BTF object on kernels that have such links, and by a link for each function on others. Both ways,
 * the program sees the same, and the same text is patched.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

#include "hits.h"
#include "iters.h"
#include "kbtf.h"
#include "kmod.h"
#include "libfentry.h"
#include "many.h"
#include "many.skel.h"
#include "reads.h"
#include "text.h"
#include "vmsyms.h"

#define NAME	     "bpf_iter_detach_map"
#define MANY	     200
#define LEFT_OUT_MAX 5
#define PARAMS_MAX   8

FIXTURE(many) {
	struct fentry_index *idx;
	struct many_bpf *skel;
	struct fentry_multi *multi;
	const struct fentry_target **targets; /* the functions to attach to */
	size_t cnt;
};

typedef FIXTURE_DATA(many) many_t;

FIXTURE_VARIANT(many) {
	bool exit;
};

typedef FIXTURE_VARIANT(many) many_variant_t;

/* clang-format off */
FIXTURE_VARIANT_ADD(many, entry) { };

FIXTURE_VARIANT_ADD(many, exit) {
	.exit = true,
};
/* clang-format on */

FIXTURE_SETUP(many)
{
	struct fentry_error error = {};

	ASSERT_OK(fentry_register(&error), "%s", error.msg);
	ASSERT_OK(fentry_index__open(NULL, &self->idx, &error), "%s", error.msg);
	self->targets = calloc(MANY_MAX_FUNCS, sizeof(*self->targets));
	ASSERT_NE(NULL, self->targets);
}

FIXTURE_TEARDOWN(many)
{
	fentry_multi__free(self->multi);
	many_bpf__destroy(self->skel);
	free(self->targets);
	fentry_index__free(self->idx);
}

static struct bpf_program *prog_of(many_t *self, const many_variant_t *variant)
{
	return variant->exit ? self->skel->progs.at_exit : self->skel->progs.at_entry;
}

/* Add all functions that match a specification to the targets. */
static int select_all(many_t *self, const char *text)
{
	const struct fentry_target **found;
	struct fentry_spec spec;
	size_t cnt;
	int err;

	err = fentry_spec__parse(text, &spec, NULL);
	if (err)
		return err;
	err = fentry_index__find(self->idx, &spec, &found, &cnt, NULL);
	fentry_spec__clear(&spec);
	if (err)
		return err;
	if (self->cnt + cnt > MANY_MAX_FUNCS)
		cnt = MANY_MAX_FUNCS - self->cnt;
	memcpy(self->targets + self->cnt, found, cnt * sizeof(*found));
	self->cnt += cnt;
	free(found);
	return 0;
}

/* Load the program for the first function that can have it, and attach it to all. */
static int attach(many_t *self, const many_variant_t *variant, struct fentry_error *error)
{
	struct fentry_binding binding = {};
	size_t i = 0;

	self->skel = many_bpf__open();
	if (!self->skel)
		return -ENOMEM;
	self->skel->bss->only_tgid = getpid();
	while (i + 1 < self->cnt &&
	       (!self->targets[i]->addr || fentry_target__unfit(self->targets[i], variant->exit)))
		i++;
	binding.prog = prog_of(self, variant);
	binding.target = self->targets[i];
	bpf_program__set_autoload(prog_of(self, variant), true);
	return fentry_skeleton__load(self->skel->skeleton, self->idx, &binding, 1, error) ?:
		       fentry_multi__attach(prog_of(self, variant), self->targets, self->cnt, NULL,
					    &self->multi, error);
}

/* Newer kernels may jump to a trampoline with programs at exit: see text.h. */
static bool is_patched(__u64 addr, bool exit)
{
	int state = text__state(addr);

	return exit ? state >= 0 && state != TEXT_NOP : state == TEXT_CALL;
}

/* Number of functions that have the program and aren't patched. */
static size_t unpatched(many_t *self, const many_variant_t *variant)
{
	size_t i, n = 0;

	for (i = 0; i < self->cnt; i++) {
		const struct fentry_target *t = self->targets[i];

		if (fentry_multi__why(self->multi, i) || !t->addr ||
		    is_patched(t->addr, variant->exit))
			continue;
		printf("# %s isn't patched\n", t->name);
		n++;
	}
	return n;
}

/* Detach; number of functions that had the program and are still patched. */
static size_t detach(many_t *self)
{
	struct fentry_multi *multi = self->multi;
	bool had[MANY_MAX_FUNCS] = {};
	size_t i, n = 0;

	for (i = 0; i < self->cnt; i++)
		had[i] = !fentry_multi__why(multi, i);
	self->multi = NULL;
	fentry_multi__free(multi);
	for (i = 0; i < self->cnt; i++) {
		const struct fentry_target *t = self->targets[i];

		if (!had[i] || !t->addr || text__state(t->addr) == TEXT_NOP)
			continue;
		printf("# %s is still patched\n", t->name);
		n++;
	}
	return n;
}

static const struct many_seen *seen(many_t *self, size_t i)
{
	return &self->skel->bss->seen[i];
}

static size_t links_wanted(many_t *self, size_t objects)
{
	return fentry_has_multi() ? objects : fentry_multi__attached(self->multi);
}

/* Position of the target whose unit's path ends with @unit; -1 if there is none. */
static int find_unit(many_t *self, const char *unit)
{
	size_t i;

	for (i = 0; i < self->cnt; i++)
		if (self->targets[i]->unit && path__ends(self->targets[i]->unit, unit))
			return i;
	return -1;
}

/* Calls of functions of the module, with the arguments by the parameters' names. */
static const struct call {
	const char *text; /* function@unit, and values */
	const char *params[PARAMS_MAX];
	long want[PARAMS_MAX];
	long ret;
} calls[] = {
	{ "equal@kinds_a.c -7 600000000000", { "n", "m" }, { -7, 600000000000 }, 1295421433 },
	{ "equal@kinds_b.c -8 600000000000", { "n", "m" }, { -8, 600000000000 } },
	{ "differs@kinds_a.c 123456789012 200",
	  { "n", "m" },
	  { 123456789012, 200 },
	  24691357802400 },
	{ "differs@kinds_b.c -5 -300 77", { "n" }, { 77 }, -300 },
	{ "in_header@kinds_b.c 5", { "n" }, { 5 }, 6 },
	{ "in_two@kinds_b.c -1 987654321098 65535", { "n" }, { 65535 }, 64725925933157430 },
	{ "on_stack@kinds_b.c 1 -2 3 -4 5 -6 7 -8",
	  { "a", "b", "c", "d", "e", "f", "g", "h" },
	  { 1, -2, 3, -4, 5, -6, 7, -8 } },
	{ "modified@kinds_main.c -51", { "n" }, { -51 }, -51 },
};

/* What BTF says of a parameter: the slot that it begins in, and its size. */
static int find_param(const struct btf *btf, __u32 func_id, const char *name, size_t *size)
{
	const struct btf_type *t = btf_func__proto(btf, func_id);
	const struct btf_param *p = btf_params(t);
	int i, slot = 0;

	for (i = 0; i < btf_vlen(t); i++, p++) {
		*size = btf__resolve_size(btf, p->type);
		if (!strcmp(btf__name_by_offset(btf, p->name_off), name))
			return slot;
		slot += (*size + 7) / 8;
	}
	return -1;
}

static bool same_value(unsigned long long value, long want, size_t size)
{
	return !memcmp(&value, &want, size < sizeof(value) ? size : sizeof(value));
}

static size_t position(many_t *self, const struct fentry_target *target)
{
	size_t i;

	for (i = 0; i < self->cnt && self->targets[i] != target; i++)
		;
	return i;
}

static void check_call(struct __test_metadata *_metadata, many_t *self,
		       const many_variant_t *variant, const struct call *call)
{
	const struct fentry_target *t = kinds_mod__find(self->idx, call->text);
	size_t i, size, nr = t ? position(self, t) : self->cnt;
	int slot;

	ASSERT_LT(nr, self->cnt) TH_LOG("no %s", call->text);
	EXPECT_EQ(NULL, fentry_multi__why(self->multi, nr));
	EXPECT_OK(seen(self, nr)->calls, "%s", call->text);
	EXPECT_EQ(0, kinds_mod__call(call->text));
	EXPECT_EQ(1, seen(self, nr)->calls) TH_LOG("%s", call->text);
	EXPECT_EQ(t->addr, seen(self, nr)->ip);
	for (i = 0; i < PARAMS_MAX && call->params[i]; i++) {
		slot = find_param(t->btf, t->type_id, call->params[i], &size);
		ASSERT_LE(0, slot) TH_LOG("%s: no %s", call->text, call->params[i]);
		EXPECT_TRUE(same_value(seen(self, nr)->args[slot], call->want[i], size))
		TH_LOG("%s: %s is %#llx", call->text, call->params[i], seen(self, nr)->args[slot]);
	}
	if (!variant->exit || !call->ret)
		return;
	EXPECT_LT(0, reads__return_size(t)) TH_LOG("%s", call->text);
	EXPECT_TRUE(same_value(seen(self, nr)->ret, call->ret, reads__return_size(t)))
	TH_LOG("%s: returned %#llx", call->text, seen(self, nr)->ret);
}

/*
 * Attach to all functions of a module, whose signatures differ, and to two of vmlinux.
 * Call some of them. Expect the values that each was called with.
 */
TEST_F_TIMEOUT(many, arguments, 120)
{
	struct fentry_error error = {};
	size_t i;

	fentry_index__free(self->idx);
	self->idx = NULL;
	ASSERT_OK(kinds_mod__load(&self->idx, &error), "%s", error.msg);
	EXPECT_EQ(0, select_all(self, KINDS_MODULE ":*"));
	EXPECT_EQ(0, select_all(self, NAME));
	EXPECT_OK(attach(self, variant, &error), "%s", error.msg);
	if (self->multi) {
		TH_LOG("%zu of %zu functions, %zu links", fentry_multi__attached(self->multi),
		       self->cnt, fentry_multi__links(self->multi));
		EXPECT_EQ(links_wanted(self, 2), fentry_multi__links(self->multi));
		EXPECT_EQ(0, unpatched(self, variant));
		for (i = 0; i < ARRAY_SIZE(calls); i++)
			check_call(_metadata, self, variant, &calls[i]);
		EXPECT_EQ(0, detach(self));
	}
	many_bpf__destroy(self->skel);
	self->skel = NULL;
	EXPECT_EQ(0, kmod__unload(KINDS_MODULE));
}

static bool can_be_patched(const struct fentry_target *t, bool exit)
{
	return !t->module && t->addr && !fentry_target__unfit(t, exit) &&
	       text__state(t->addr) == TEXT_NOP;
}

/* Attach beside a program of another link. Expect each to come and go without the other. */
TEST_F_TIMEOUT(many, beside_another, 60)
{
	struct fentry_error error = {};
	struct hits *hits;
	struct iters_bpf *it = iters_bpf__open_and_load();
	int nr;

	ASSERT_NE(NULL, it);
	ASSERT_EQ(0, select_all(self, NAME));
	nr = find_unit(self, "map_iter.c");
	ASSERT_LE(0, nr);
	ASSERT_EQ(0, hits__load(self->targets[nr]->type_id, NULL, 0, &hits));
	hits__only_self(hits);
	ASSERT_EQ(0, hits__attach(hits));
	ASSERT_OK(attach(self, variant, &error), "%s", error.msg);
	EXPECT_EQ(2, fentry_multi__attached(self->multi));
	EXPECT_EQ(0, iters__trigger(it, ITER_MAP_ELEM, 3));
	EXPECT_EQ(3, seen(self, nr)->calls);
	EXPECT_EQ(0, seen(self, !nr)->calls);
	EXPECT_EQ(3, hits__count(hits));
	fentry_multi__free(self->multi);
	self->multi = NULL;
	EXPECT_EQ(TEXT_CALL, text__state(self->targets[nr]->addr));
	EXPECT_EQ(TEXT_NOP, text__state(self->targets[!nr]->addr));
	EXPECT_EQ(0, iters__trigger(it, ITER_MAP_ELEM, 2));
	EXPECT_EQ(3, seen(self, nr)->calls);
	EXPECT_EQ(5, hits__count(hits));
	hits__free(hits);
	iters_bpf__destroy(it);
}

/* Select functions to which no program can attach, because of their place or arguments. */
static size_t select_bad(many_t *self, bool exit)
{
	size_t i, unfit = 0, notrace = 0, denied = 0;
	const struct fentry_target *t;

	for (i = 0; (t = fentry_index__target(self->idx, i)); i++) {
		if (t->module || !t->addr)
			continue;
		if (fentry_target__unfit(t, exit)) {
			if (unfit++ < LEFT_OUT_MAX)
				self->targets[self->cnt++] = t;
		} else if (!strcmp(t->name, "__rcu_read_lock") ||
			   (exit && !strcmp(t->name, "do_exit"))) {
			denied++;
			self->targets[self->cnt++] = t;
		} else if (text__state(t->addr) == TEXT_OTHER) {
			if (notrace++ < LEFT_OUT_MAX)
				self->targets[self->cnt++] = t;
		}
	}
	return denied;
}

/*
 * Attach to the functions of select_bad() and to two good ones. Expect a reason and no change of
 * text for each bad one, and both good ones to be attached.
 */
TEST_F_TIMEOUT(many, left_out, 240)
{
	struct fentry_error error = {};
	size_t i, bad, denied;

	denied = select_bad(self, variant->exit);
	bad = self->cnt;
	ASSERT_LT(LEFT_OUT_MAX, bad);
	ASSERT_EQ(0, select_all(self, NAME));
	ASSERT_OK(attach(self, variant, &error), "%s", error.msg);
	for (i = 0; i < bad; i++) {
		const char *why = fentry_multi__why(self->multi, i);

		EXPECT_NE(NULL, why) TH_LOG("%s", self->targets[i]->name);
		TH_LOG("%s", why ?: self->targets[i]->name);
		EXPECT_NE(TEXT_CALL, text__state(self->targets[i]->addr));
	}
	TH_LOG("%zu of them are denied", denied);
	EXPECT_EQ(2, fentry_multi__attached(self->multi));
	EXPECT_EQ(links_wanted(self, 1), fentry_multi__links(self->multi));
	EXPECT_EQ(0, unpatched(self, variant));
	EXPECT_EQ(0, detach(self));
}

/* Attach to hundreds of functions. Expect all to be patched, and to be as before in the end. */
TEST_F_TIMEOUT(many, hundreds, 240)
{
	struct fentry_error error = {};
	const struct fentry_target *t;
	size_t i;

	for (i = 0; (t = fentry_index__target(self->idx, i)) && self->cnt < MANY; i += 7)
		if (can_be_patched(t, variant->exit))
			self->targets[self->cnt++] = t;
	ASSERT_OK(attach(self, variant, &error), "%s", error.msg);
	TH_LOG("%zu of %zu functions, %zu links", fentry_multi__attached(self->multi), self->cnt,
	       fentry_multi__links(self->multi));
	EXPECT_LE(self->cnt * 9 / 10, fentry_multi__attached(self->multi));
	EXPECT_EQ(links_wanted(self, 1), fentry_multi__links(self->multi));
	EXPECT_EQ(0, unpatched(self, variant));
	EXPECT_EQ(0, detach(self));
}

TEST_HARNESS_MAIN
