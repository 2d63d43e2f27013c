// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's resolver, on a module with two functions for each way in which programs refer to
 * functions: one whose address in BTF is right, and one whose address is wrong, and with functions
 * that have no address there. Then the same while that module is going away.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "expect.h"

#include "env.h"
#include "hits.h"
#include "kbtf.h"
#include "kmod.h"
#include "ksyms.h"
#include "progs.h"
#include "resolver.skel.h"
#include "test_modules/resolver.h"
#include "text.h"

#define MODULE "resolver"
#define CALLS  4

#define PAGE_SIZE 4096

/* The log's message about a function that isn't at its address in the module's BTF. */
static const char *other_build(const struct kbtf_module *m, const char *name)
{
	static char text[256];

	snprintf(text, sizeof(text),
		 "%s (BTF id %d) is not where BTF has it: BTF is of another build", name,
		 kbtf__func(m, name));
	return text;
}

/* Load a program that does nothing, for an id. Returns its fd or an errno. */
static int load_for(struct kbtf_module *m, enum bpf_prog_type type,
		    enum bpf_attach_type attach_type, int id)
{
	struct prog_target target = {
		.type = type,
		.attach_type = attach_type,
		.btf_fd = m->fd,
		.btf_id = id,
		.log = m->log,
		.log_size = KBTF_LOG_SIZE,
	};

	return progs__load_empty(&target);
}

/* The verifier's answer to a program that calls a function of the module. */
static int load_caller(struct kbtf_module *m, bool wrong)
{
	struct resolver_bpf *skel = resolver_bpf__open();
	struct bpf_program *prog;
	int err;

	if (!skel)
		return -errno;
	prog = wrong ? skel->progs.call_wrong : skel->progs.call_right;
	bpf_program__set_autoload(prog, true);
	bpf_program__set_log_buf(prog, m->log, KBTF_LOG_SIZE);
	err = resolver_bpf__load(skel);
	if (!err) {
		LIBBPF_OPTS(bpf_test_run_opts, opts);

		err = bpf_prog_test_run_opts(bpf_program__fd(prog), &opts) ?: (int)opts.retval;
	}
	resolver_bpf__destroy(skel);
	return err;
}

FIXTURE(resolver) {
	struct kbtf_module mod;
};

FIXTURE_SETUP(resolver)
{
	int err = kbtf__load_module(&self->mod, MODULE, "");

	ASSERT_OK(err, MODULE ".ko: %s", strerror(-err));
}

FIXTURE_TEARDOWN(resolver)
{
	EXPECT_EQ(0, kbtf__unload_module(&self->mod));
}

/* Expect the list of functions to have the one with the right address, and not the other. */
TEST_F_TIMEOUT(resolver, listed, 60)
{
	static const char *const names[] = { "right", "wrong" };
	struct ksyms syms, btf_syms;
	size_t i, cnt;

	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &syms));
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms_btf", &btf_syms));
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		const struct ksym *sym = ksyms__find(&syms, names[i], &cnt);

		ASSERT_EQ(1, cnt);
		ASSERT_STREQ(MODULE, sym->module);
	}
	EXPECT_EQ(NULL, ksyms__find(&btf_syms, "wrong", &cnt));
	ASSERT_NE(NULL, ksyms__find(&btf_syms, "right", &cnt));
	EXPECT_EQ(1, cnt);
	EXPECT_EQ(kbtf__func(&self->mod, "right"), ksyms__find(&btf_syms, "right", &cnt)->type_id);
	ksyms__free(&syms);
	ksyms__free(&btf_syms);
}

/* Attach to the right one. Expect its calls, its address, and its text patched. */
TEST_F_TIMEOUT(resolver, right_fires, 60)
{
	__u64 right, wrong;
	struct ksyms syms;
	struct hits *hits;
	int i;

	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &syms));
	right = ksyms__addr(&syms, "right");
	wrong = ksyms__addr(&syms, "wrong");
	ASSERT_TRUE(right && wrong);
	ASSERT_OK(hits__load_for(self->mod.fd, kbtf__func(&self->mod, "right"), self->mod.log,
				 KBTF_LOG_SIZE, &hits),
		  "log: %s", self->mod.log);
	ASSERT_EQ(0, hits__attach(hits));
	EXPECT_EQ(TEXT_CALL, text__state(right));
	EXPECT_EQ(TEXT_NOP, text__state(wrong));
	for (i = 0; i < CALLS; i++)
		ASSERT_EQ(0, kmod__write_param(MODULE, "call", "1\n"));
	EXPECT_EQ(CALLS, hits__count(hits));
	EXPECT_EQ(right, hits__func_ip(hits));
	hits__detach(hits);
	EXPECT_EQ(TEXT_NOP, text__state(right));
	hits__free(hits);
	ksyms__free(&syms);
}

/* Load a program for a function. Expect the module to stay until it is closed. */
TEST_F_TIMEOUT(resolver, program_keeps_the_module, 60)
{
	int fd = load_for(&self->mod, BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY,
			  kbtf__func(&self->mod, "right"));

	ASSERT_LE(0, fd) TH_LOG("log: %s", self->mod.log);
	EXPECT_EQ(-EAGAIN, kmod__try_unload(MODULE));
	close(fd);
}

/* Call a function of the module. Expect the right one, or a refusal. */
TEST_F_TIMEOUT(resolver, call, 60)
{
	EXPECT_EQ(42, load_caller(&self->mod, false)) TH_LOG("log: %s", self->mod.log);
	EXPECT_EQ(-EINVAL, load_caller(&self->mod, true));
	EXPECT_LOG(self->mod.log, other_build(&self->mod, "kfunc_wrong"));
	/* that line says it all */
	EXPECT_EQ(NULL, strstr(self->mod.log, "cannot find address"))
	{
		TH_LOG("log: %s", self->mod.log);
	}
}

/* Let a map refer to objects with a destructor. There is no log for maps. */
TEST_F_TIMEOUT(resolver, destructor, 60)
{
	int right = progs__kptr_map("resolver_right");
	int wrong = progs__kptr_map("resolver_wrong");

	EXPECT_LE(0, right) TH_LOG("%s", strerror(-right));
	EXPECT_EQ(-EINVAL, wrong);
	close(right);
	close(wrong);
}

/* Load for a FUNC without an address. Expect a refusal, not another FUNC with its name. */
TEST_F_TIMEOUT(resolver, name_of_another_function, 60)
{
	int first = btf__type_cnt(self->mod.base);
	int id = kbtf__func(&self->mod, "right") - FUNC_RIGHT + FUNC_NOWHERE;
	const struct btf_type *t = btf__type_by_id(self->mod.btf, id);
	int fd;

	ASSERT_LE(first, id);
	ASSERT_NE(NULL, t);
	ASSERT_STREQ("release_right", btf__name_by_offset(self->mod.btf, t->name_off));
	fd = load_for(&self->mod, BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, id);
	close(fd);
	EXPECT_EQ(-EADDRNOTAVAIL, fd);
	EXPECT_LOG(self->mod.log, "The function named release_right has BTF id");
}

/* Load for a FUNC without an address, whose name one function has. Expect its calls. */
TEST_F_TIMEOUT(resolver, unique_name, 60)
{
	struct hits *hits = NULL;
	int i;

	ASSERT_OK(hits__load_for(self->mod.fd, kbtf__func(&self->mod, "only"), self->mod.log,
				 KBTF_LOG_SIZE, &hits),
		  "log: %s", self->mod.log);
	ASSERT_EQ(0, hits__attach(hits));
	for (i = 0; i < CALLS; i++)
		ASSERT_EQ(0, kmod__write_param(MODULE, "call", "1\n"));
	EXPECT_EQ(CALLS, hits__count(hits));
	hits__free(hits);
}

/* The same for a name that two functions have. Expect that the kernel chooses none of them. */
TEST_F_TIMEOUT(resolver, ambiguous_name, 60)
{
	int fd = load_for(&self->mod, BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY,
			  kbtf__func(&self->mod, "twin"));

	close(fd);
	EXPECT_EQ(-EADDRNOTAVAIL, fd);
	EXPECT_LOG(self->mod.log, "2 functions have the name twin");
}

/*
 * Load a program for an id of vmlinux with the BTF of the module, which has a symbol of that name,
 * and no FUNC. As the module has addresses, deduplication merged no FUNC. Expect neither function.
 */
TEST_F_TIMEOUT(resolver, function_of_the_base, 60)
{
	int id = btf__find_by_name_kind(self->mod.base, "shmem_mkdir", BTF_KIND_FUNC);
	struct hits *hits = NULL;

	ASSERT_LT(0, id);
	EXPECT_EQ(-ENOENT, hits__load_for(self->mod.fd, id, self->mod.log, KBTF_LOG_SIZE, &hits));
	EXPECT_LOG(self->mod.log, "The address of function shmem_mkdir cannot be found");
	hits__free(hits);
	EXPECT_EQ(0, hits__load(id, self->mod.log, KBTF_LOG_SIZE, &hits));
	hits__free(hits);
}

/* Load a program for each. Expect the wrong address to be reported before any other error. */
TEST_F_TIMEOUT(resolver, wrong_address_comes_first, 60)
{
	static const struct {
		enum bpf_prog_type type;
		enum bpf_attach_type attach_type;
		/* what the log says of the right function; NULL if a program loads for it */
		const char *right_log;
	} kinds[] = {
		{ BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, NULL },
		{ BPF_PROG_TYPE_TRACING, BPF_TRACE_FEXIT, NULL },
		{ BPF_PROG_TYPE_TRACING, BPF_MODIFY_RETURN, "right() is not modifiable" },
		{ BPF_PROG_TYPE_LSM, BPF_LSM_MAC, "points to wrong type name right" },
	};
	int right = kbtf__func(&self->mod, "right"), wrong = kbtf__func(&self->mod, "wrong"), fd;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		fd = load_for(&self->mod, kinds[i].type, kinds[i].attach_type, wrong);
		close(fd);
		EXPECT_EQ(-EINVAL, fd);
		EXPECT_LOG(self->mod.log, other_build(&self->mod, "wrong"));

		fd = load_for(&self->mod, kinds[i].type, kinds[i].attach_type, right);
		if (kinds[i].right_log) {
			EXPECT_EQ(-EINVAL, fd);
			EXPECT_LOG(self->mod.log, kinds[i].right_log);
		} else {
			EXPECT_LE(0, fd) TH_LOG("log: %s", self->mod.log);
		}
		close(fd);
	}
}

FIXTURE(leaving) {
	struct kbtf_module mod;
	pid_t unloader;
};

/* A process waits in the middle of unloading the module. */
FIXTURE_SETUP(leaving)
{
	int err = kbtf__load_module(&self->mod, MODULE, "hold=1");

	ASSERT_OK(err, MODULE ".ko: %s", strerror(-err));
	self->unloader = fork();
	if (!self->unloader)
		_exit(-kmod__try_unload(MODULE));
	EXPECT_LT(0, self->unloader);
	EXPECT_EQ(0, kmod__wait_for(MODULE, "going"));
}

/* Let the process go on; returns the status of the unloading. */
static int let_go(pid_t *unloader)
{
	int status = -1;

	if (*unloader <= 0)
		return -1;
	kmod__write_param(MODULE, "leave", "1\n");
	waitpid(*unloader, &status, 0);
	*unloader = 0;
	return status;
}

FIXTURE_TEARDOWN(leaving)
{
	let_go(&self->unloader);
	kbtf__close_module(&self->mod);
}

/* Since 7.3 the kernel drops a leaving module's prototypes first, without a line in the log. */
static bool prototypes_leave_first(void)
{
	return kconfig__base() >= 7;
}

/* Refer to the module's functions in all ways. Expect them to be gone already. */
TEST_F_TIMEOUT(leaving, nothing_is_resolved, 60)
{
	bool newer = prototypes_leave_first();
	const char *gone = newer ? "" : "The address of function right cannot be found";
	int want = newer ? -EINVAL : -ENOENT;
	struct ksyms btf_syms;
	size_t cnt;

	EXPECT_EQ(want, load_for(&self->mod, BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY,
				 kbtf__func(&self->mod, "right")));
	EXPECT_LOG(self->mod.log, gone);
	EXPECT_EQ(-ENXIO, load_caller(&self->mod, false));
	EXPECT_LOG(self->mod.log, "failed to find BTF for kernel function");
	EXPECT_EQ(-ENXIO, progs__kptr_map("resolver_right"));
	EXPECT_EQ(0, ksyms__read("/proc/kallsyms_btf", &btf_syms));

	EXPECT_EQ(0, let_go(&self->unloader));
	EXPECT_EQ(want, load_for(&self->mod, BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY,
				 kbtf__func(&self->mod, "right")));
	EXPECT_LOG(self->mod.log, gone);
	ksyms__free(&btf_syms);
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms_btf", &btf_syms));
	EXPECT_EQ(NULL, ksyms__find(&btf_syms, "right", &cnt));
	ksyms__free(&btf_syms);
}

TEST_HARNESS_MAIN
