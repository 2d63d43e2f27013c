// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shows what happens if BTF lacks an argument. The kernel preserves the registers that BTF lists
 * and no others, so an attached program destroys the argument, although it has no fault. The module
 * "dropped" has a function with such BTF, and the same function with all of its arguments in BTF.
 *
 * This proves that the other tests would see such damage.
 */
#include <stdio.h>
#include <string.h>

#include "expect.h"

#include "kmod.h"
#include "reads.h"

#define MODULE "dropped"

/* Values that no kernel leaves in a register by chance. */
#define A 0x5a5a000100010001
#define B 0x5a5a000200020002
#define C 0x5a5a000300030003

struct arguments {
	long a, b, c;
};

FIXTURE(dropped) {
	struct fentry_index *idx;
	struct reads reads;
};

FIXTURE_SETUP(dropped)
{
	struct fentry_error error = {};
	int err;

	ASSERT_OK(fentry_register(&error), "%s", error.msg);
	err = kmod__load(MODULE, "");
	ASSERT_OK(err, MODULE ".ko: %s", strerror(-err));
	ASSERT_EQ(0, fentry_index__open(NULL, &self->idx, &error))
	{
		TH_LOG("%s", error.msg);
		kmod__unload(MODULE);
	}
}

FIXTURE_TEARDOWN(dropped)
{
	reads__close(&self->reads);
	fentry_index__free(self->idx);
	EXPECT_EQ(0, kmod__unload(MODULE));
}

/* Call a function of the module with A, B and C. *@ret is what it received. */
static int call(const char *name, struct arguments *ret)
{
	char text[128];
	FILE *f;
	int err;

	snprintf(text, sizeof(text), "%s %ld %ld %ld", name, A, B, C);
	err = kmod__write_param(MODULE, "call", text);
	if (err)
		return err;
	f = fopen("/sys/module/" MODULE "/parameters/call", "re");
	if (!f)
		return -1;
	err = fscanf(f, "%ld %ld %ld", &ret->a, &ret->b, &ret->c) == 3 ? 0 : -1;
	fclose(f);
	return err;
}

static void expect_whole(struct __test_metadata *_metadata, const char *name)
{
	struct arguments got;

	ASSERT_EQ(0, call(name, &got));
	EXPECT_EQ(A, got.a);
	EXPECT_EQ(B, got.b);
	EXPECT_EQ(C, got.c);
}

/*
 * Call a function while a program records it. The program must see A and B, and C if the BTF of the
 * function has it. The function must receive A and B; the caller checks what else it received.
 */
static void trace(struct __test_metadata *_metadata, FIXTURE_DATA(dropped) *self, bool at_exit,
		  const char *name, bool has_c, struct arguments *got)
{
	const struct reads_want want = { { A, B, has_c ? C : READS_NONE }, .any_ret = true };
	const struct fentry_target *target;
	struct fentry_error error = {};
	struct reads *r = &self->reads;
	char text[64];

	snprintf(text, sizeof(text), MODULE ":%s", name);
	ASSERT_OK(fentry_index__lookup(self->idx, text, &target, &error), "%s", error.msg);
	ASSERT_OK(reads__attach(r, self->idx, target, "a_b_c", at_exit), "%s", r->why);
	reads__begin(r);
	ASSERT_EQ(0, call(name, got));
	reads__end(r);
	reads__detach(r);
	EXPECT_EQ(1, reads__calls(r));
	EXPECT_EQ(1, reads__right(r, &want)) TH_LOG("%s", r->why);
	EXPECT_EQ(A, got->a);
	EXPECT_EQ(B, got->b);
}

static void check_listed(struct __test_metadata *_metadata, FIXTURE_DATA(dropped) *self,
			 bool at_exit)
{
	struct arguments got;

	expect_whole(_metadata, "with_all");
	trace(_metadata, self, at_exit, "with_all", true, &got);
	EXPECT_EQ(C, got.c);
	expect_whole(_metadata, "with_all");
}

/* All three arguments are in BTF. Expect each to arrive. */
TEST_F_TIMEOUT(dropped, listed_at_entry, 60)
{
	check_listed(_metadata, self, false);
}

TEST_F_TIMEOUT(dropped, listed_at_exit, 60)
{
	check_listed(_metadata, self, true);
}

/*
 * The third argument isn't in BTF. Expect it to be destroyed while a program is attached at entry.
 * A program at exit alone might leave it: little code runs before the function.
 */
TEST_F_TIMEOUT(dropped, not_listed, 60)
{
	struct arguments got;

	expect_whole(_metadata, "without_last");
	trace(_metadata, self, false, "without_last", false, &got);
	EXPECT_NE(C, got.c);
	TH_LOG("the third argument is 0x%lx, not 0x%lx", got.c, C);
	expect_whole(_metadata, "without_last");
}

TEST_HARNESS_MAIN
