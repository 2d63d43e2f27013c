// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of the module "kinds", one of each kind that compilers make. User space calls them with
 * values of its choice. An attached program must see these values, although compilers leave out,
 * split and move parameters. BTF says that a function takes the registers that its code reads, and
 * states a return value only if there is one. The kernel preserves only the registers that BTF
 * lists. So each function must return the same value with and without a program.
 */
#include <string.h>

#include "expect.h"

#include "env.h"
#include "kbtf.h"
#include "kmod.h"
#include "reads.h"

FIXTURE(regs) {
	struct fentry_index *idx;
};

/* A call, and what a program sees of it. */
struct call {
	const char *prog, *text; /* of reads_progs.h; function@unit, and values */
	long result;		 /* of the call */
	struct reads_want want;
	const char *part;	/* the function to trace instead, which only gcc makes */
	bool again;		/* its caller calls it once more, with other values */
	bool named_parts;	/* BTF names the parts that are passed, unless KASAN hides them */
	bool left_out_by_clang; /* btfaddr can't tell what clang returns, so BTF lacks it */
};

#define VALUES(each...) .want.values = { each }

/* clang-format off */
static const struct call calls[] = {
	{ "n_m", "equal@kinds_a.c -7 600000000000", 1295421433,
	  VALUES(-7, 600000000000), .want.ret = 1295421433 },
	{ "n_m", "equal@kinds_b.c -7 600000000000", -1295421447,
	  VALUES(-7, 600000000000), .want.ret = -1295421447 },
	{ "differs_a", "differs@kinds_a.c 123456789012 200", 24691357802400,
	  VALUES(123456789012, 200), .want.ret = 24691357802400 },
	{ "differs_b", "differs@kinds_b.c -5 -300 77", -300,
	  VALUES(-5, -300, 77), .want.ret = -300 },
	{ "in_header", "in_header@kinds_a.c 4000000000", 4000000001,
	  VALUES(4000000000), .want.ret = 4000000001 },
	{ "in_header", "in_header@kinds_b.c 5", 6, VALUES(5), .want.ret = 6 },
	{ "scaled", "scaled@kinds_a.c 11 -13", 1,
	  VALUES(11, -13, 3), .want.ret = -2, .want.may = 1 << 2, .again = true },
	{ "members", "members@kinds_a.c 81 82 83", 246,
	  VALUES(83, 81, 82), .want.ret = 246, .want.may = 1 << 2, .again = true },
	{ "half", "half@kinds_a.c 91 92 93", 8556, VALUES(93, 92), .want.ret = 8556,
	  .again = true, .named_parts = true },
	{ "n_m", "unwanted@kinds_a.c 21 22", 0, VALUES(21, 22), .want.ret = 43,
	  .want.may_lack_ret = true, .again = true },
	{ "in_two", "in_two@kinds_b.c -1 987654321098 65535", 64725925933157430,
	  VALUES(-1, 987654321098, 65535), .want.ret = 64725925933157430 },
	{ "on_stack", "on_stack@kinds_b.c 1 -2 3 -4 5 -6 7 -8", -2,
	  VALUES(1, -2, 3, -4, 5, -6, 7, -8), .want.ret = -2 },
	{ "of_vmlinux", "of_vmlinux@kinds_b.c 61 -62 63", -1,
	  VALUES(61, -62, 63), .want.ret = -1 },
	{ "n_m", "promoted@kinds_b.c 31 32", 992, VALUES(31, 32), .want.ret = 992 },
	{ "kinds_kfunc", "kinds_kfunc@kinds_main.c 41 42", 83, VALUES(41, 42), .want.ret = 83 },
	{ "n", "modified@kinds_main.c -51", -51, VALUES(-51), .want.ret = -51 },

	/* Compilers leave out a parameter, or pass parts of one. */
	{ "without_first", "without_first@kinds_args.c -7 600000000000", -600000000007,
	  VALUES(-7, 600000000000), .want.ret = -600000000007 },
	{ "without_middle", "without_middle@kinds_args.c -7 600000000000", -600000000007,
	  VALUES(-7, 600000000000), .want.ret = -600000000007 },
	{ "n_m", "without_last@kinds_args.c -7 600000000000", -600000000007,
	  VALUES(-7, 600000000000), .want.ret = -600000000007 },
	{ "moved", "moved@kinds_args.c 11 13 600000000000 -17", 143 - 17 * 600000000000,
	  VALUES(11, -17, 600000000000), .want.ret = 143 - 17 * 600000000000 },

	/* clang passes a bool in the lowest bit of a register. */
	{ "n_flag", "last_bool@kinds_regs.c 70 0", 65, VALUES(70, false), .want.ret = 65 },
	{ "n_flag", "last_bool@kinds_regs.c 70 1", 210, VALUES(70, true), .want.ret = 210 },
	{ "bools", "bools@kinds_regs.c 0 70 0", 65, VALUES(false, 70, false), .want.ret = 65 },
	{ "bools", "bools@kinds_regs.c 1 70 0", 210, VALUES(true, 70, false), .want.ret = 210 },
	{ "bools", "bools@kinds_regs.c 0 70 1", 1065, VALUES(false, 70, true), .want.ret = 1065 },

	/* At -O3, clang changes arguments and DWARF doesn't say so. */
	{ "by_value", "by_value@kinds_o3.c 600000000000 7", 1800000000007,
	  VALUES(600000000000, 7), .want.ret = 1800000000007 },
	{ "n_flag", "unmarked@kinds_o3.c 70 0", 65, VALUES(70, false), .want.ret = 65 },

	/* The compiler removes the parameter, but keeps a place in memory for it. */
	{ "homed", "homed@kinds_regs.c 11 12 30", -60, VALUES(30), .want.ret = -60 },

	/* No caller wants these return values. */
	{ "pair_n", "dropped_return@kinds_regs.c 600000000000 3", 600000000002,
	  VALUES(600000000000, 3), .want.ret = 0x5eed,
	  .want.may_lack_ret = true },
	{ "times", "kinds_parted@kinds_regs.c 1 22 3", 0, VALUES(3), .want.ret = 0,
	  .want.may_lack_ret = true, .part = "kinds_parted.part.0" },

	/* clang returns the half that is wanted in rax, be it the first or the second. */
	{ "calls_only", "two_halves@kinds_regs.c 600000000000 7", -599999999993,
	  .left_out_by_clang = true },

	/* A caller wants these return values. */
	{ "pair_n", "kept_return@kinds_regs.c 600000000000 7", 1799999999993,
	  VALUES(600000000000, 7), .want.ret = 1799999999993 },
	{ "times", "kinds_parted_kept@kinds_regs.c 1 22 3", 66, VALUES(3), .want.ret = 66,
	  .part = "kinds_parted_kept.part.0" },
};
/* clang-format on */

FIXTURE_SETUP(regs)
{
	struct fentry_error error = {};

	ASSERT_OK(kinds_mod__load(&self->idx, &error), "%s", error.msg);
}

FIXTURE_TEARDOWN(regs)
{
	EXPECT_EQ(0, kinds_mod__unload(self->idx));
}

/* The kernel refuses programs for functions that return a structure. */
static bool returns_struct(const struct fentry_target *target)
{
	const struct btf_type *t = btf_func__proto(target->btf, target->type_id);
	int ret = btf__resolve_type(target->btf, t->type);

	return ret > 0 && btf_is_composite(btf__type_by_id(target->btf, ret));
}

static bool has_nameless(const struct fentry_target *target)
{
	const struct btf_type *t = btf_func__proto(target->btf, target->type_id);
	const struct btf_param *p = btf_params(t);
	int i;

	for (i = 0; i < btf_vlen(t); i++)
		if (strstr(btf__name_by_offset(target->btf, p[i].name_off), "__isra"))
			return true;
	return false;
}

static void expect_call(struct __test_metadata *_metadata, const struct call *call,
			const char *when)
{
	EXPECT_EQ(0, kinds_mod__call(call->text));
	EXPECT_EQ(call->result, kinds_mod__result()) TH_LOG("%s %s", call->text, when);
}

static void record(struct __test_metadata *_metadata, struct reads *r, const struct call *call)
{
	expect_call(_metadata, call, "while it is traced");
	reads__begin(r);
	expect_call(_metadata, call, "while it is recorded");
	reads__end(r);
	EXPECT_EQ(1, reads__right(r, &call->want)) TH_LOG("%s: %s", call->text, r->why);
	EXPECT_EQ(1 + call->again, reads__calls(r)) TH_LOG("%s", call->text);
	reads__detach(r);
	expect_call(_metadata, call, "when it is no longer traced");
}

static void trace(struct __test_metadata *_metadata, struct fentry_index *idx,
		  const struct call *call, bool at_exit)
{
	bool gcc = kconfig__has("CONFIG_CC_IS_GCC");
	const struct fentry_target *target;
	struct reads r = {};
	int err;

	expect_call(_metadata, call, "before it is traced");
	target = kinds_mod__find(idx, call->part ?: call->text);
	if (!gcc && (call->part || call->left_out_by_clang)) {
		EXPECT_EQ(NULL, target);
		return;
	}
	EXPECT_NE(NULL, target) TH_LOG("%s isn't in BTF", call->part ?: call->text);
	if (!target)
		return;
	if (call->named_parts && !kconfig__has("CONFIG_KASAN"))
		EXPECT_FALSE(has_nameless(target)) TH_LOG("%s", target->name);
	err = reads__attach(&r, idx, target, call->prog, at_exit);
	TH_LOG("%s (#%u) by %s", target->name, target->type_id, call->prog);
	if (returns_struct(target)) {
		EXPECT_NE(0, err);
	} else {
		EXPECT_OK(err, "%s: %s", target->name, r.why);
	}
	if (!err)
		record(_metadata, &r, call);
	reads__close(&r);
}

TEST_F_TIMEOUT(regs, at_entry, 300)
{
	size_t i;

	libbpf_set_print(NULL);
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		trace(_metadata, self->idx, &calls[i], false);
}

TEST_F_TIMEOUT(regs, at_exit, 300)
{
	size_t i;

	libbpf_set_print(NULL);
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		trace(_metadata, self->idx, &calls[i], true);
}

TEST_HARNESS_MAIN
