// SPDX-License-Identifier: GPL-2.0-only
/*
 * BTF says that a function takes the registers that its code reads, and states a return value only
 * if there is one. The functions are those of the module "kinds" to which compilers give other
 * arguments than the source has. The kernel preserves the registers that BTF lists, so a function
 * must return the same while it is traced as when it isn't.
 */
#include <string.h>

#include "expect.h"

#include "kconfig.h"
#include "kinds_mod.h"
#include "kmod.h"
#include "recorder.h"

FIXTURE(regs) {
	struct fentry_index *idx;
	struct recorder rec;
};

/*
 * In an expression "a|b", b is for compilers that pass something else than the source says: "#1" is
 * the first register then, whatever BTF calls it. BTF need not state a "?return", but must be right
 * if it does.
 */
FIXTURE_VARIANT(regs) {
	const char *call; /* function@unit, and values */
	long result;	  /* of the call */
	const char *exprs[ARGS_MAX_WATCHES];
	long want[ARGS_MAX_WATCHES];
	const char *part;	/* the function to trace instead, which only gcc makes */
	bool left_out_by_clang; /* what clang makes can't be told, so BTF hasn't it */
};

/* clang has a bool in the lowest bit of a register. */
/* clang-format off */
FIXTURE_VARIANT_ADD(regs, last_bool) {
	.call = "last_bool@kinds_regs.c 70 0", .result = 65,
	.exprs = { "n", "flag", "return" }, .want = { 70, false, 65 },
};

FIXTURE_VARIANT_ADD(regs, last_bool_set) {
	.call = "last_bool@kinds_regs.c 70 1", .result = 210,
	.exprs = { "n", "flag", "return" }, .want = { 70, true, 210 },
};

FIXTURE_VARIANT_ADD(regs, bools) {
	.call = "bools@kinds_regs.c 0 70 0", .result = 65,
	.exprs = { "first", "n", "second", "return" }, .want = { false, 70, false, 65 },
};

FIXTURE_VARIANT_ADD(regs, bools_first) {
	.call = "bools@kinds_regs.c 1 70 0", .result = 210,
	.exprs = { "first", "n", "second", "return" }, .want = { true, 70, false, 210 },
};

FIXTURE_VARIANT_ADD(regs, bools_second) {
	.call = "bools@kinds_regs.c 0 70 1", .result = 1065,
	.exprs = { "first", "n", "second", "return" }, .want = { false, 70, true, 1065 },
};

/* At -O3, clang changes arguments and DWARF doesn't say so. */
FIXTURE_VARIANT_ADD(regs, by_value) {
	.call = "by_value@kinds_o3.c 600000000000 7", .result = 1800000000007,
	.exprs = { "*p|#1", "n|#2", "return" }, .want = { 600000000000, 7, 1800000000007 },
};

FIXTURE_VARIANT_ADD(regs, unmarked) {
	.call = "unmarked@kinds_o3.c 70 0", .result = 65,
	.exprs = { "n|#1", "flag|#2", "return" }, .want = { 70, false, 65 },
};

/* The parameter is removed, but has a place in memory. */
FIXTURE_VARIANT_ADD(regs, homed) {
	.call = "homed@kinds_regs.c 11 12 30", .result = -60,
	.exprs = { "n|#1", "return" }, .want = { 30, -60 },
};

/* No caller wants these return values. */
FIXTURE_VARIANT_ADD(regs, dropped_return) {
	.call = "dropped_return@kinds_regs.c 600000000000 3", .result = 600000000002,
	.exprs = { "pair->second|#1", "n", "?return" },
	.want = { 600000000000, 3, 0x5eed },
};

/* clang returns the half that is wanted in rax, be it the first or the second. */
FIXTURE_VARIANT_ADD(regs, two_halves) {
	.call = "two_halves@kinds_regs.c 600000000000 7", .result = -599999999993,
	.left_out_by_clang = true,
};

FIXTURE_VARIANT_ADD(regs, parted) {
	.call = "kinds_parted@kinds_regs.c 1 22 3", .result = 0,
	.exprs = { "times", "?return" }, .want = { 3, 0 },
	.part = "kinds_parted.part.0",
};

/* A caller wants these return values. */
FIXTURE_VARIANT_ADD(regs, kept_return) {
	.call = "kept_return@kinds_regs.c 600000000000 7", .result = 1799999999993,
	.exprs = { "pair->second|#1", "n", "return" },
	.want = { 600000000000, 7, 1799999999993 },
};

FIXTURE_VARIANT_ADD(regs, parted_kept) {
	.call = "kinds_parted_kept@kinds_regs.c 1 22 3", .result = 66,
	.exprs = { "times", "return" }, .want = { 3, 66 },
	.part = "kinds_parted_kept.part.0",
};
/* clang-format on */

FIXTURE_SETUP(regs)
{
	struct fentry_error error = {};

	ASSERT_OK(fentry_register(&error), "%s", error.msg);
	ASSERT_EQ(0, kinds_mod__load(&self->idx, &error))
	{
		TH_LOG("%s", error.msg);
		kmod__unload(KINDS_MODULE);
	}
	ASSERT_EQ(0, recorder__open(&self->rec));
}

FIXTURE_TEARDOWN(regs)
{
	recorder__close(&self->rec);
	fentry_index__free(self->idx);
	EXPECT_EQ(0, kmod__unload(KINDS_MODULE));
}

/* The kernel has no programs for functions that return a structure. */
static bool returns_struct(const struct btf *btf, __u32 func_id)
{
	const struct btf_type *t = btf__type_by_id(btf, func_id);
	int ret;

	t = btf__type_by_id(btf, t->type);
	ret = btf__resolve_type(btf, t->type);
	return ret > 0 && btf_is_composite(btf__type_by_id(btf, ret));
}

static void expect_call(struct __test_metadata *_metadata, const FIXTURE_VARIANT(regs) * variant,
			const char *when)
{
	EXPECT_EQ(0, kinds_mod__call(variant->call));
	EXPECT_EQ(variant->result, kinds_mod__result()) TH_LOG("%s %s", variant->call, when);
}

static void run(struct __test_metadata *_metadata, FIXTURE_DATA(regs) *self,
		const FIXTURE_VARIANT(regs) * variant, enum recorder_prog prog)
{
	struct want want[ARGS_MAX_WATCHES] = {};
	const struct fentry_target *target;
	struct recorder *r = &self->rec;
	const struct btf *btf;
	unsigned int i;

	expect_call(_metadata, variant, "before it is traced");
	if (variant->part && !kconfig__has("CONFIG_CC_IS_GCC")) {
		TH_LOG("only gcc makes a %s", variant->part);
		return;
	}
	if (variant->left_out_by_clang && !kconfig__has("CONFIG_CC_IS_GCC")) {
		EXPECT_EQ(NULL, kinds_mod__find(self->idx, variant->call));
		return;
	}
	target = kinds_mod__find(self->idx, variant->part ?: variant->call);
	ASSERT_NE(NULL, target) TH_LOG("%s isn't in BTF", variant->part ?: variant->call);
	btf = target->btf;
	if (returns_struct(btf, target->type_id)) {
		libbpf_set_print(NULL);
		EXPECT_NE(0, recorder__attach(r, self->idx, target, prog));
		TH_LOG("%s returns a structure: %s", target->name, r->why);
		return;
	}
	ASSERT_OK(recorder__attach(r, self->idx, target, prog), "%s", r->why);
	expect_call(_metadata, variant, "while it is traced");
	EXPECT_OK(recorder__watch(r, btf, target->type_id, variant->exprs, prog), "%s: %s",
		  target->name, r->why);
	for (i = 0; i < ARGS_MAX_WATCHES; i++)
		want[i].number = variant->want[i];
	recorder__begin(r);
	expect_call(_metadata, variant, "while it is recorded");
	recorder__end(r);
	EXPECT_EQ(1, recorder__calls(r));
	EXPECT_EQ(1, recorder__right(r, want)) TH_LOG("%s: %s", target->name, r->why);
	TH_LOG("%s (#%u): %u values", target->name, target->type_id, recorder__values(r));
	recorder__detach(r);
	expect_call(_metadata, variant, "when it is no longer traced");
}

TEST_F_TIMEOUT(regs, at_entry, 60)
{
	run(_metadata, self, variant, RECORD_ENTRY);
}

TEST_F_TIMEOUT(regs, at_exit, 60)
{
	run(_metadata, self, variant, RECORD_EXIT);
}

TEST_HARNESS_MAIN
