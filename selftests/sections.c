// SPDX-License-Identifier: GPL-2.0-only
/* libbpf loads and attaches programs with libfentry's section names: SEC("fentry/name@unit"). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

#include "iters.h"
#include "libfentry.h"
#include "sections.skel.h"

#define TIMES	 3
#define LOG_SIZE 65536

/* The warnings of libbpf, and those that libfentry prints through libbpf. */
static char said[LOG_SIZE];

static int hear(enum libbpf_print_level level, const char *fmt, va_list args)
{
	size_t len = strlen(said);

	if (level == LIBBPF_WARN)
		vsnprintf(said + len, sizeof(said) - len, fmt, args);
	return 0;
}

FIXTURE(sections) {
	struct sections_bpf *skel;
	struct bpf_link *link;
	struct iters_bpf *iters;
	struct bpf_program *prog;
	int err; /* expected when it is loaded */
	const char *message;
};

FIXTURE_VARIANT(sections) {
	const char *prog;
	bool ambiguous;		    /* is the target, if BTF has no addresses? */
	int err;		    /* expected when it is loaded */
	const char *message;	    /* expected with it */
	unsigned int map_elem_hits; /* expected, of TIMES */
	unsigned int sk_storage_hits;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(sections, entry_with_unit) {
	.prog = "entry_with_unit",
	.ambiguous = true,
	.map_elem_hits = TIMES,
};

FIXTURE_VARIANT_ADD(sections, exit_with_unit) {
	.prog = "exit_with_unit",
	.ambiguous = true,
	.sk_storage_hits = TIMES,
};

FIXTURE_VARIANT_ADD(sections, unique_name) {
	.prog = "unique_name",
};

FIXTURE_VARIANT_ADD(sections, sleepable) {
	.prog = "sleepable",
};

FIXTURE_VARIANT_ADD(sections, ambiguous) {
	.prog = "ambiguous",
	.err = -ENOTUNIQ,
	.message = "'bpf_iter_detach_map' matches 2 functions; choose one",
};

FIXTURE_VARIANT_ADD(sections, several) {
	.prog = "several",
	.err = -ENOTUNIQ,
	.message = "but a program has one target",
};

FIXTURE_VARIANT_ADD(sections, missing) {
	.prog = "missing",
	.err = -ENOENT,
	.message = "no function matches 'bpf_iter_detach_map@nowhere.c'",
};

FIXTURE_VARIANT_ADD(sections, malformed) {
	.prog = "malformed",
	.err = -EINVAL,
	.message = "bad target 'bpf_iter_detach_map@'",
};

FIXTURE_VARIANT_ADD(sections, unbound) {
	.prog = "unbound",
	.err = -EINVAL,
	.message = "program 'unbound' has no target",
};
/* clang-format on */

FIXTURE_SETUP(sections)
{
	libbpf_set_print(NULL);
	self->err = variant->err;
	self->message = variant->message;
	/* the functions file tells them apart, but no trampoline does */
	if (variant->ambiguous && access("/proc/kallsyms_btf", F_OK)) {
		self->err = -EOPNOTSUPP;
		self->message = "BTF has no FUNC that is this function's alone";
	}
	self->iters = iters_bpf__open_and_load();
	ASSERT_NE(NULL, self->iters);
	ASSERT_EQ(0, fentry_register(NULL));
	self->skel = sections_bpf__open();
	ASSERT_NE(NULL, self->skel);
	self->prog = bpf_object__find_program_by_name(self->skel->obj, variant->prog);
	ASSERT_NE(NULL, self->prog);
	ASSERT_EQ(0, bpf_program__set_autoload(self->prog, true));
}

FIXTURE_TEARDOWN(sections)
{
	bpf_link__destroy(self->link);
	sections_bpf__destroy(self->skel);
	iters_bpf__destroy(self->iters);
}

/* Load with libfentry's loader. Expect its error, or the right function's calls. */
TEST_F_TIMEOUT(sections, load, 120)
{
	struct fentry_error error = { .msg = "" };

	EXPECT_EQ(self->err, fentry_object__load(self->skel->obj, NULL, NULL, 0, &error))
	{
		TH_LOG("%s", error.msg);
	}
	if (self->err) {
		EXPECT_NE(NULL, strstr(error.msg, self->message)) TH_LOG("%s", error.msg);
		EXPECT_EQ(self->prog, error.prog);
	}
}

/* Load with libbpf's own loader, as a skeleton. Expect the same, and the reason among its messages. */
TEST_F_TIMEOUT(sections, load_by_libbpf, 120)
{
	said[0] = '\0';
	libbpf_set_print(hear);
	ASSERT_EQ(self->err, sections_bpf__load(self->skel));
	libbpf_set_print(NULL);
	if (self->err) {
		EXPECT_NE(NULL, strstr(said, self->message)) TH_LOG("%s", said);
		return;
	}
	self->link = bpf_program__attach(self->prog);
	ASSERT_NE(NULL, self->link);
	ASSERT_EQ(0, iters__trigger(self->iters, ITER_MAP_ELEM, TIMES));
	EXPECT_EQ(variant->map_elem_hits, self->skel->bss->hits);
	ASSERT_EQ(0, iters__trigger(self->iters, ITER_SK_STORAGE, TIMES));
	EXPECT_EQ(variant->map_elem_hits + variant->sk_storage_hits, self->skel->bss->hits);
}

/* Attach the same program twice. Expect the second time to be refused, with the reason. */
TEST_F_TIMEOUT(sections, attach_twice, 120)
{
	struct fentry_error error = { .msg = "" };
	struct fentry_index *idx;
	int link_fd;

	if (self->err)
		return;
	ASSERT_EQ(0, sections_bpf__load(self->skel));
	self->link = bpf_program__attach(self->prog);
	ASSERT_NE(NULL, self->link);
	ASSERT_EQ(0, fentry_index__open(NULL, &idx, NULL));
	EXPECT_EQ(-EBUSY, fentry_prog__attach(idx, bpf_program__fd(self->prog),
					      bpf_program__expected_attach_type(self->prog), 0,
					      &link_fd, &error));
	EXPECT_EQ(-EBUSY, error.err);
	EXPECT_NE(NULL, strstr(error.msg, "the program is attached to it already"))
	{
		TH_LOG("%s", error.msg);
	}
	fentry_index__free(idx);
}

/* Load a loaded program once more, for the same function. Expect the program not to change. */
TEST_F_TIMEOUT(sections, clone, 120)
{
	struct fentry_error error = { .msg = "" };
	const struct fentry_target *target;
	struct fentry_index *idx;
	int fd = -1;

	if (self->err)
		return;
	ASSERT_EQ(0, sections_bpf__load(self->skel));
	ASSERT_EQ(0, fentry_index__open(NULL, &idx, NULL));
	EXPECT_EQ(0,
		  fentry_index__lookup(idx, strchr(bpf_program__section_name(self->prog), '/') + 1,
				       &target, NULL));
	EXPECT_OK(fentry_prog__clone(self->prog, target, &fd, &error), "%s", error.msg);
	close(fd);
	fentry_index__free(idx);
}

/* Look up a module by id and by name that was removed after the index had been opened. */
TEST(module_has_gone)
{
	struct fentry_target gone = {
		.name = "f",
		.module = "gone",
		.obj_id = 0x7fffffff,
	};
	int fd;

	EXPECT_EQ(-ESTALE, fentry_target__btf_fd(&gone, &fd, NULL));
	gone.obj_id = 0;
	EXPECT_EQ(-ESTALE, fentry_target__btf_fd(&gone, &fd, NULL));
}

/* A program that the verifier refuses, behind one that it takes. */
FIXTURE(refused) {
	struct sections_bpf *skel;
	struct bpf_program *prog;
	struct fentry_error error;
	char *log; /* of the program's own */
};

FIXTURE_VARIANT(refused) {
	const char *prog, *message;
	bool own_log;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(refused, with_target) {
	.prog = "refused",
	.message = "can't load program 'refused' for bpf_iter_map_fill_link_info: ",
};

FIXTURE_VARIANT_ADD(refused, with_log_of_its_own) {
	.prog = "refused",
	.message = "can't load program 'refused' for bpf_iter_map_fill_link_info: ",
	.own_log = true,
};

FIXTURE_VARIANT_ADD(refused, without_target) {
	.prog = "refused_other",
	.message = "can't load program 'refused_other': ",
};
/* clang-format on */

FIXTURE_SETUP(refused)
{
	ASSERT_EQ(0, fentry_register(NULL));
	self->skel = sections_bpf__open();
	ASSERT_NE(NULL, self->skel);
	self->prog = bpf_object__find_program_by_name(self->skel->obj, variant->prog);
	bpf_program__set_autoload(self->skel->progs.unique_name, true);
	bpf_program__set_autoload(self->prog, true);
	if (variant->own_log) {
		self->log = malloc(LOG_SIZE);
		ASSERT_NE(NULL, self->log);
		memset(self->log, 'x', LOG_SIZE);
		bpf_program__set_log_buf(self->prog, self->log, LOG_SIZE);
	}
}

FIXTURE_TEARDOWN(refused)
{
	sections_bpf__destroy(self->skel);
	free(self->log);
}

/*
 * Expect the program's name and the last line of the verifier's log in the message. Expect the
 * whole log from fentry_load_log(), and in the program's own buffer or else in libbpf's messages.
 */
TEST_F_TIMEOUT(refused, message, 120)
{
	size_t size;

	said[0] = '\0';
	libbpf_set_print(hear);
	EXPECT_GT(0, fentry_object__load(self->skel->obj, NULL, NULL, 0, &self->error));
	EXPECT_EQ((libbpf_print_fn_t)hear, libbpf_set_print(NULL));
	EXPECT_OK(strncmp(self->error.msg, variant->message, strlen(variant->message)), "%s",
		  self->error.msg);
	EXPECT_NE(NULL, strstr(self->error.msg, "sleep"));
	EXPECT_NE(NULL, strstr(fentry_load_log(), "processed ")) TH_LOG("%s", fentry_load_log());
	EXPECT_EQ(self->log, bpf_program__log_buf(self->prog, &size));
	EXPECT_NE(NULL, strstr(self->log ?: said, fentry_load_log()));
	EXPECT_EQ(NULL, self->error.prog);
}

TEST_HARNESS_MAIN
