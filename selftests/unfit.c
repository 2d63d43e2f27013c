// SPDX-License-Identifier: GPL-2.0-only
/*
 * libfentry's fentry_target__unfit() says, without asking the kernel, which functions have
 * arguments that a program can't be given. This test loads an empty program for each of these
 * functions and for some others, and compares the kernel's answers.
 */
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "expect.h"

#include "libfentry.h"
#include "progs.h"

#define LOG_SIZE  4096
#define SAMPLE	  40 /* try one of this many other functions */
#define SHOWN_MAX 5

FIXTURE(unfit) {
	struct fentry_index *idx;
	char log[LOG_SIZE];
};

FIXTURE_VARIANT(unfit) {
	enum bpf_attach_type type;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(unfit, entry) { .type = BPF_TRACE_FENTRY };
FIXTURE_VARIANT_ADD(unfit, exit) { .type = BPF_TRACE_FEXIT };

/* clang-format on */
FIXTURE_SETUP(unfit)
{
	struct fentry_error error = {};

	ASSERT_OK(fentry_index__open(NULL, &self->idx, &error), "%s", error.msg);
}

FIXTURE_TEARDOWN(unfit)
{
	fentry_index__free(self->idx);
}

static int load_empty(FIXTURE_DATA(unfit) *self, const FIXTURE_VARIANT(unfit) * variant,
		      const struct fentry_target *t)
{
	const struct prog_target target = {
		.type = BPF_PROG_TYPE_TRACING,
		.attach_type = variant->type,
		.btf_id = t->type_id,
		.log = self->log,
		.log_size = LOG_SIZE,
	};

	return progs__load_empty(&target);
}

/* The kernel refuses too many registers when it makes the trampoline, not before. */
static bool is_refused(FIXTURE_DATA(unfit) *self, const FIXTURE_VARIANT(unfit) * variant,
		       const struct fentry_target *t)
{
	int link, prog = load_empty(self, variant, t);

	if (prog < 0)
		return true;
	link = bpf_link_create(prog, 0, variant->type, NULL);
	if (link >= 0)
		close(link);
	close(prog);
	return link < 0;
}

/* libfentry's reason against a function, or NULL. *@asked: should the test ask the kernel, too? */
static const char *judge(const FIXTURE_VARIANT(unfit) * variant, const struct fentry_target *t,
			 bool *asked)
{
	*asked = t->addr && !t->module;
	return fentry_target__unfit(t, variant->type == BPF_TRACE_FEXIT);
}

/* Load a program for each function that is said to be unfit. Expect a refusal. */
TEST_F_TIMEOUT(unfit, the_kernel_refuses_them, 240)
{
	const struct fentry_target *t;
	size_t i, cnt = 0, taken = 0;
	const char *why;
	bool asked;

	for (i = 0; (t = fentry_index__target(self->idx, i)); i++) {
		why = judge(variant, t, &asked);
		if (!asked || !why)
			continue;
		cnt++;
		if (is_refused(self, variant, t))
			continue;
		taken++;
		TH_LOG("%s: %s, but the kernel accepts it", t->name, why);
	}
	TH_LOG("%zu functions", cnt);
	EXPECT_LT(50, cnt);
	EXPECT_EQ(0, taken);
}

/* Does the log say that the prototype is wrong, as btf_distill_func_proto() does? */
static bool is_of_prototype(const char *log)
{
	return strstr(log, "arg") || strstr(log, "return type") || strstr(log, "malformed");
}

/* Load a program for some others. Expect few refusals, and none because of the prototype. */
TEST_F_TIMEOUT(unfit, the_kernel_takes_others, 240)
{
	const struct fentry_target *t;
	size_t i, cnt = 0, refused = 0, others = 0;
	bool asked;
	int fd;

	for (i = 0; (t = fentry_index__target(self->idx, i)); i += SAMPLE) {
		if (judge(variant, t, &asked) || !asked)
			continue;
		cnt++;
		fd = load_empty(self, variant, t);
		if (fd >= 0) {
			close(fd);
			continue;
		}
		refused += is_of_prototype(self->log);
		others++;
		if (others < SHOWN_MAX)
			TH_LOG("%s: %d, %s", t->name, fd, self->log);
	}
	TH_LOG("%zu functions, %zu refused for another reason", cnt, others - refused);
	EXPECT_LT(200, cnt);
	EXPECT_EQ(0, refused);
	EXPECT_GT(SHOWN_MAX, others);
}

TEST_HARNESS_MAIN
