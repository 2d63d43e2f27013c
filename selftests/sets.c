// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's sets of functions: some deny all programs, and some alone allow a certain helper. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "expect.h"

#include "env.h"
#include "progs.h"
#include "sets.skel.h"

#define LOG_SIZE      65536
#define NEVER_RETURNS "make_task_dead"
#define MAY_HAVE_PATH "filp_close"

static char log[LOG_SIZE]; /* the verifier's */

FIXTURE(sets) {
	struct btf *btf;
};

FIXTURE_SETUP(sets)
{
	libbpf_set_print(NULL); /* the log is what we look at */
	self->btf = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	ASSERT_NE(NULL, self->btf);
}

FIXTURE_TEARDOWN(sets)
{
	btf__free(self->btf);
}

/* Load a program for a function that doesn't return. Expect a refusal at exit, none at entry. */
TEST_F(sets, denied)
{
	char expected[128] = "to __noreturn functions is rejected";
	struct prog_target target = {
		.type = BPF_PROG_TYPE_TRACING,
		.attach_type = BPF_TRACE_FEXIT,
		.log = log,
		.log_size = LOG_SIZE,
	};
	int fd, id;

	id = btf__find_by_name_kind(self->btf, NEVER_RETURNS, BTF_KIND_FUNC);
	ASSERT_LT(0, id);
	target.btf_id = id;
	if (kconfig__base() >= 7)
		snprintf(expected, sizeof(expected), "to __noreturn function '%s' is rejected",
			 NEVER_RETURNS);
	EXPECT_EQ(-EINVAL, progs__load_empty(&target));
	EXPECT_LOG(log, expected);
	target.attach_type = BPF_TRACE_FENTRY;
	fd = progs__load_empty(&target);
	EXPECT_LE(0, fd) TH_LOG("log: %s", log);
	close(fd);
}

/* Returns 0 or a negative errno. */
static int load_for(const char *name)
{
	struct sets_bpf *skel = sets_bpf__open();
	int err;

	if (!skel)
		return -errno;
	bpf_program__set_autoload(skel->progs.print_path, true);
	bpf_program__set_log_buf(skel->progs.print_path, log, LOG_SIZE);
	err = bpf_program__set_attach_target(skel->progs.print_path, 0, name);
	if (!err)
		err = sets_bpf__load(skel);
	sets_bpf__destroy(skel);
	return err;
}

/* Load a program for a function that allows it, and for another. Expect a refusal of the latter. */
TEST_F(sets, allowed)
{
	const char *expected = "helper call is not allowed in probe";

	EXPECT_OK(load_for(MAY_HAVE_PATH), "log: %s", log);
	EXPECT_EQ(-EINVAL, load_for("vfs_llseek"));
	EXPECT_LOG(log, expected);
}

TEST_HARNESS_MAIN
