// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs and BTF that the kernel must not accept. Its sets of functions deny some programs, and
 * allow a certain helper to some others alone.
 */
#include <linux/btf.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "expect.h"

#include "env.h"
#include "hits.h"
#include "kbtf.h"
#include "ksyms.h"
#include "progs.h"
#include "refusals.skel.h"

#define LOG_SIZE      65536
#define NEVER_RETURNS "make_task_dead"
#define MAY_HAVE_PATH "filp_close"

static char log[LOG_SIZE]; /* the verifier's */

/* How many functions of this name are in resident text. The text of init functions is gone. */
static size_t count_resident(const struct ksyms *syms, const char *name)
{
	__u64 start = ksyms__addr(syms, "_stext"), end = ksyms__addr(syms, "_etext");
	const struct ksym *sym;
	size_t cnt, n = 0;

	for (sym = ksyms__find(syms, name, &cnt); sym && cnt; sym++, cnt--)
		n += ksym__is_text(sym) && !sym->module && sym->addr >= start && sym->addr < end;
	return n;
}

/*
 * The id of a FUNC whose name has symbols, but none in resident text and so none in
 * /proc/kallsyms_btf; 0 if there is none.
 */
static __u32 find_init(const struct btf *btf, const struct ksyms *syms,
		       const struct ksyms *btf_syms, const char **name)
{
	__u32 id = 0;
	size_t listed, known;

	while ((id = btf_func__next(btf, id, NULL))) {
		*name = btf__name_by_offset(btf, btf__type_by_id(btf, id)->name_off);
		ksyms__find(syms, *name, &known);
		ksyms__find(btf_syms, *name, &listed);
		if (known && !listed && !count_resident(syms, *name))
			return id;
	}
	return 0;
}

FIXTURE(target) {
	struct ksyms syms, btf_syms;
	struct btf *btf;
	struct hits *hits;
};

FIXTURE_SETUP(target)
{
	libbpf_set_print(NULL); /* the log is what we look at */
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &self->syms));
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms_btf", &self->btf_syms));
	self->btf = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	ASSERT_NE(NULL, self->btf);
}

FIXTURE_TEARDOWN(target)
{
	hits__free(self->hits);
	btf__free(self->btf);
	ksyms__free(&self->syms);
	ksyms__free(&self->btf_syms);
}

/* Load a program for a function of init text. Expect a refusal, as the function is gone. */
TEST_F_TIMEOUT(target, text_is_gone, 120)
{
	const char *name;
	__u32 id;

	id = find_init(self->btf, &self->syms, &self->btf_syms, &name);
	ASSERT_NE(0, id);
	EXPECT_EQ(-ENOENT, hits__load(id, log, LOG_SIZE, &self->hits));
	TH_LOG("%s", name);
	EXPECT_LOG(log, "cannot be found");
}

/*
 * Expect BTF to have no FUNC without an address that could be any of several resident functions:
 * such a FUNC gets an address, or is left out.
 */
TEST_F_TIMEOUT(target, none_is_a_guess, 120)
{
	size_t listed, guesses = 0;
	const char *name;
	__u32 id = 0;

	while ((id = btf_func__next(self->btf, id, NULL))) {
		name = btf__name_by_offset(self->btf, btf__type_by_id(self->btf, id)->name_off);
		ksyms__find(&self->btf_syms, name, &listed);
		if (listed || count_resident(&self->syms, name) < 2)
			continue;
		guesses++;
		TH_LOG("%s (#%u)", name, id);
	}
	EXPECT_EQ(0, guesses);
}

/* Load a program for a type that isn't a FUNC. Expect the refusal that other kernels have. */
TEST_F_TIMEOUT(target, not_a_function, 120)
{
	__s32 id = btf__find_by_name_kind(self->btf, "task_struct", BTF_KIND_STRUCT);

	ASSERT_LT(0, id);
	EXPECT_EQ(-EINVAL, hits__load(id, log, LOG_SIZE, &self->hits));
	EXPECT_LOG(log, "is not a function");
}

/* Load a program for a function that doesn't return. Expect a refusal at exit, none at entry. */
TEST_F(target, denied_by_a_set)
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
	struct refusals_bpf *skel = refusals_bpf__open();
	int err;

	if (!skel)
		return -errno;
	bpf_program__set_autoload(skel->progs.print_path, true);
	bpf_program__set_log_buf(skel->progs.print_path, log, LOG_SIZE);
	err = bpf_program__set_attach_target(skel->progs.print_path, 0, name);
	if (!err)
		err = refusals_bpf__load(skel);
	refusals_bpf__destroy(skel);
	return err;
}

/* Load a program for a function that allows it, and for another. Expect a refusal of the latter. */
TEST_F(target, allowed_by_a_set)
{
	const char *expected = "helper call is not allowed in probe";

	EXPECT_OK(load_for(MAY_HAVE_PATH), "log: %s", log);
	EXPECT_EQ(-EINVAL, load_for("vfs_llseek"));
	EXPECT_LOG(log, expected);
}

/* void f(void): a FUNC_PROTO and its FUNC, as asked for. */
static size_t build_btf(char *buf, bool kflag, bool addr)
{
	size_t types_len = 2 * sizeof(struct btf_type) + (addr ? 8 : 0);
	struct btf_header hdr = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(hdr),
		.type_len = types_len,
		.str_off = types_len,
		.str_len = sizeof("\0f"),
	};
	struct btf_type types[2] = {
		{ .info = BTF_KIND_FUNC_PROTO << 24 },
		{
			.name_off = 1,
			.info = (__u32)kflag << 31 | BTF_KIND_FUNC << 24 | BTF_FUNC_STATIC,
			.type = 1,
		},
	};
	__u64 where = 0x1000;
	char *p = buf;

	p = mempcpy(p, &hdr, sizeof(hdr));
	p = mempcpy(p, types, sizeof(types));
	if (addr)
		p = mempcpy(p, &where, sizeof(where));
	p = mempcpy(p, "\0f", sizeof("\0f"));
	return p - buf;
}

/* Load BTF as a user. Expect kind_flag and an address to be refused, and BTF with neither not. */
TEST(user_btf)
{
	static const struct {
		bool kflag, addr;    /* in the FUNC's info; 8 bytes behind it */
		const char *message; /* expected in the log; NULL: none */
	} cases[] = {
		{ false, false, NULL },
		{ true, true, "Invalid btf_info kind_flag" },
		{ true, false, "Invalid btf_info kind_flag" },
		{ false, true, "meta_left:8" },
	};
	char buf[128];
	LIBBPF_OPTS(bpf_btf_load_opts, opts, .log_buf = log, .log_size = sizeof(log),
		    .log_level = 1);
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		*log = '\0';
		fd = bpf_btf_load(buf, build_btf(buf, cases[i].kflag, cases[i].addr), &opts);
		close(fd);
		if (cases[i].message) {
			EXPECT_EQ(-EINVAL, fd);
			EXPECT_LOG(log, cases[i].message);
		} else {
			EXPECT_LE(0, fd) TH_LOG("log: %s", log);
		}
	}
}

TEST_HARNESS_MAIN
