// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of the kernel do the same while they are traced as when they aren't. If BTF lacks an
 * argument that the code reads, the kernel doesn't preserve it; that is how clang's bools were
 * found to be missing. The test "dropped" does it on purpose.
 */
#include <errno.h>
#include <string.h>

#include "expect.h"

#include "hits.h"
#include "ksyms.h"
#include "recorder.h"
#include "targets.h"
#include "workloads.h"

#define TIMES	 20
#define LOG_SIZE 65536

FIXTURE(undisturbed) {
	struct fentry_index *idx;
	struct ksyms syms;
	struct recorder rec;
	const struct fentry_target *target;
	const char *expr; /* NULL: not an argument of the target */
	void *ctx;
};

FIXTURE_VARIANT(undisturbed) {
	const struct workload *work;
	const char *functions[2]; /* the function, and its caller if it was inlined */
	const char *expr;	  /* the argument of the function that decides */
	__u64 want;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(undisturbed, aio_pread) {
	.work = &aio_pread,
	.functions = { "aio_read", "io_submit_one" },
	.expr = "vectored", .want = false,
};

FIXTURE_VARIANT_ADD(undisturbed, aio_preadv) {
	.work = &aio_preadv,
	.functions = { "aio_read", "io_submit_one" },
	.expr = "vectored", .want = true,
};

FIXTURE_VARIANT_ADD(undisturbed, aio_pwrite) {
	.work = &aio_pwrite,
	.functions = { "aio_write", "io_submit_one" },
	.expr = "vectored", .want = false,
};

FIXTURE_VARIANT_ADD(undisturbed, aio_pwritev) {
	.work = &aio_pwritev,
	.functions = { "aio_write", "io_submit_one" },
	.expr = "vectored", .want = true,
};

FIXTURE_VARIANT_ADD(undisturbed, cgroup1_thread) {
	.work = &cgroup1_thread,
	.functions = { "__cgroup1_procs_write", "cgroup1_tasks_write" },
	.expr = "threadgroup", .want = false,
};

FIXTURE_VARIANT_ADD(undisturbed, cgroup1_process) {
	.work = &cgroup1_process,
	.functions = { "__cgroup1_procs_write", "cgroup1_procs_write" },
	.expr = "threadgroup", .want = true,
};
/* clang-format on */

FIXTURE_SETUP(undisturbed)
{
	const char *name = variant->functions[0];
	struct fentry_error error = {};

	ASSERT_OK(fentry_register(&error), "%s", error.msg);
	ASSERT_OK(fentry_index__open(NULL, &self->idx, &error), "%s", error.msg);
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &self->syms));
	if (targets__in_kernel(&self->syms, name)) {
		self->expr = variant->expr;
	} else {
		TH_LOG("%s was inlined; its caller %s is traced instead", name,
		       variant->functions[1]);
		name = variant->functions[1];
	}
	self->target = targets__find(self->idx, &self->syms, NULL, name, NULL);
	ASSERT_NE(NULL, self->target) TH_LOG("no single %s in BTF", name);
	self->ctx = variant->work->open();
	ASSERT_NE(NULL, self->ctx) TH_LOG("%s", strerror(errno));
}

FIXTURE_TEARDOWN(undisturbed)
{
	variant->work->close(self->ctx);
	recorder__close(&self->rec);
	ksyms__free(&self->syms);
	fentry_index__free(self->idx);
}

static void expect_right(struct __test_metadata *_metadata, const struct workload *work, void *ctx,
			 const char *when)
{
	int i, err, last = 0, right = 0;

	for (i = 0; i < TIMES; i++) {
		err = work->step(ctx);
		right += !err;
		last = err ?: last;
	}
	EXPECT_EQ(TIMES, right)
	TH_LOG("%s: %s", when, last == -EILSEQ ? "done wrong" : strerror(-last));
}

/* Attach a program that counts. Expect it to see each call, and all calls to be as before. */
TEST_F_TIMEOUT(undisturbed, counted, 60)
{
	static char log[LOG_SIZE];
	struct hits *hits;

	expect_right(_metadata, variant->work, self->ctx, "untraced");
	ASSERT_OK(hits__load(self->target->type_id, log, LOG_SIZE, &hits), "%s: %s",
		  self->target->name, log);
	hits__only_self(hits);
	ASSERT_EQ(0, hits__attach(hits));
	expect_right(_metadata, variant->work, self->ctx, "traced");
	EXPECT_EQ(TIMES, hits__count(hits));
	TH_LOG("%s (#%u): %llu calls", self->target->name, self->target->type_id,
	       (unsigned long long)hits__count(hits));
	hits__detach(hits);
	expect_right(_metadata, variant->work, self->ctx, "no longer traced");
	EXPECT_EQ(TIMES, hits__count(hits));
	hits__free(hits);
}

static void record(struct __test_metadata *_metadata, FIXTURE_DATA(undisturbed) *self,
		   const FIXTURE_VARIANT(undisturbed) * variant, enum recorder_prog prog)
{
	const char *const exprs[] = { self->expr, NULL };
	const struct fentry_target *target = self->target;
	const struct want want = { .number = variant->want };
	struct recorder *r = &self->rec;

	ASSERT_EQ(0, recorder__open(r));
	ASSERT_OK(recorder__attach(r, self->idx, target, prog), "%s", r->why);
	EXPECT_OK(recorder__watch(r, target->btf, target->type_id, exprs, prog), "%s: %s",
		  target->name, r->why);
	recorder__begin(r);
	expect_right(_metadata, variant->work, self->ctx, "recorded");
	recorder__end(r);
	EXPECT_EQ(TIMES, recorder__calls(r));
	EXPECT_EQ(TIMES, recorder__right(r, &want)) TH_LOG("%s", r->why);
	TH_LOG("%s (#%u): %u values", target->name, target->type_id, recorder__values(r));
}

/* Attach a program that reads the argument. Expect it to see what was asked for. */
TEST_F_TIMEOUT(undisturbed, at_entry, 60)
{
	record(_metadata, self, variant, RECORD_ENTRY);
}

TEST_F_TIMEOUT(undisturbed, at_exit, 60)
{
	record(_metadata, self, variant, RECORD_EXIT);
}

TEST_HARNESS_MAIN
