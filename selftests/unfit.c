// SPDX-License-Identifier: GPL-2.0-only
/*
 * libfentry's fentry_target__unfit() says without the kernel of which functions a
 * program can't be given the arguments. Here the kernel is asked: an empty program for
 * each of these, and for some of the others, by BTF id.
 */
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "kselftest_harness.h"

#include "libfentry.h"
#include "progs.h"

#define LOG_SIZE 4096
#define SAMPLE 40			/* one of so many functions that are accepted */
#define SHOWN_MAX 5

FIXTURE(unfit) {
	struct fentry_index *idx;
	const struct fentry_target *all;
	size_t cnt;
	char log[LOG_SIZE];
};

FIXTURE_VARIANT(unfit) {
	enum bpf_attach_type type;
};

FIXTURE_VARIANT_ADD(unfit, entry) { .type = BPF_TRACE_FENTRY };
FIXTURE_VARIANT_ADD(unfit, exit) { .type = BPF_TRACE_FEXIT };

FIXTURE_SETUP(unfit)
{
	struct fentry_error error = {};

	ASSERT_EQ(0, fentry_index__open(NULL, &self->idx, &error))
		TH_LOG("%s", error.msg);
	self->all = fentry_index__targets(self->idx, &self->cnt);
}

FIXTURE_TEARDOWN(unfit)
{
	fentry_index__free(self->idx);
}

static int load(FIXTURE_DATA(unfit) *self, const FIXTURE_VARIANT(unfit) *variant,
		const struct fentry_target *t)
{
	const struct prog_target target = {
		.type = BPF_PROG_TYPE_TRACING, .attach_type = variant->type,
		.btf_id = t->type_id, .log = self->log, .log_size = LOG_SIZE,
	};

	return progs__load_empty(&target);
}

/* Too many registers are refused when the trampoline is made, not before. */
static bool is_refused(FIXTURE_DATA(unfit) *self,
		       const FIXTURE_VARIANT(unfit) *variant,
		       const struct fentry_target *t)
{
	int link, prog = load(self, variant, t);

	if (prog < 0)
		return true;
	link = bpf_link_create(prog, 0, variant->type, NULL);
	if (link >= 0)
		close(link);
	close(prog);
	return link < 0;
}

/* A function that exists, of vmlinux. */
static const char *judge(FIXTURE_DATA(unfit) *self,
			 const FIXTURE_VARIANT(unfit) *variant, size_t i, bool *asked)
{
	const struct fentry_target *t = &self->all[i];

	*asked = t->addr && !t->module;
	return fentry_target__unfit(self->idx, t,
				    variant->type == BPF_TRACE_FEXIT);
}

/* Load a program for each function that is said to be unfit. Expect: refused. */
TEST_F_TIMEOUT(unfit, the_kernel_refuses_them, 240)
{
	size_t i, cnt = 0, taken = 0;
	const char *why;
	bool asked;

	for (i = 0; i < self->cnt; i++) {
		why = judge(self, variant, i, &asked);
		if (!asked || !why)
			continue;
		cnt++;
		if (is_refused(self, variant, &self->all[i]))
			continue;
		taken++;
		TH_LOG("%s: %s, but it is traced", self->all[i].name, why);
	}
	TH_LOG("%zu functions", cnt);
	EXPECT_LT(50, cnt);
	EXPECT_EQ(0, taken);
}

/* What the kernel says of a prototype (btf_distill_func_proto()). */
static bool is_of_prototype(const char *log)
{
	return strstr(log, "arg") || strstr(log, "return type") ||
	       strstr(log, "malformed");
}

/*
 * Load one for some of the others. Expect: taken, but for the few that the kernel
 * refuses for what they are, not for their arguments.
 */
TEST_F_TIMEOUT(unfit, the_kernel_takes_others, 240)
{
	size_t i, cnt = 0, refused = 0, others = 0;
	bool asked;
	int fd;

	for (i = 0; i < self->cnt; i += SAMPLE) {
		if (judge(self, variant, i, &asked) || !asked)
			continue;
		cnt++;
		fd = load(self, variant, &self->all[i]);
		if (fd >= 0) {
			close(fd);
			continue;
		}
		refused += is_of_prototype(self->log);
		others++;
		if (others < SHOWN_MAX)
			TH_LOG("%s: %d, %s", self->all[i].name, fd, self->log);
	}
	TH_LOG("%zu functions, %zu refused for another reason", cnt,
	       others - refused);
	EXPECT_LT(200, cnt);
	EXPECT_EQ(0, refused);
	EXPECT_GT(SHOWN_MAX, others);
}

TEST_HARNESS_MAIN
