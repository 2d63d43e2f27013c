// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a program makes a module's function return, and the functions' addresses after the module
 * was loaded at another place. The module itself says where its functions are, without BTF. The
 * tests "regs" and "many" look at the calls and the addresses of functions of each kind.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "expect.h"

#include "hits.h"
#include "kbtf.h"
#include "kinds.skel.h"
#include "kmod.h"
#include "reads.h"
#include "text.h"

#define MODULE	 KINDS_MODULE
#define MAX_TEXT 256

/*
 * The test loads these in order, in the module's former place, until the module gets another one.
 */
static const char *const other_modules[] = { "resolver", "protos", "protos_lone" };

/* Two of its functions, each function@unit. */
static const char *const functions[] = { "equal@kinds_a.c", "equal@kinds_b.c" };

FIXTURE(kinds) {
	struct fentry_index *idx;
};

FIXTURE_SETUP(kinds)
{
	struct fentry_error error = {};

	ASSERT_OK(kinds_mod__load(&self->idx, &error), "%s", error.msg);
}

FIXTURE_TEARDOWN(kinds)
{
	EXPECT_EQ(0, kinds_mod__unload(self->idx));
}

/* The address of a function as the module states it; 0 if it doesn't. */
static __u64 true_addr(const char *name)
{
	char line[MAX_TEXT], seen[MAX_TEXT];
	unsigned long long addr, ret = 0;
	FILE *f = fopen("/sys/module/" MODULE "/parameters/addrs", "re");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%255s %llx", seen, &addr) == 2 &&
		    !strncmp(seen, name, strlen(seen)) && strchr(" ", name[strlen(seen)]))
			ret = addr;
	if (f)
		fclose(f);
	return ret;
}

/* The program decides what the function returns. */
TEST_F(kinds, fmod_ret)
{
	__u64 addr = true_addr("modified@kinds_main.c");
	struct kinds_bpf *skel = kinds_bpf__open();
	struct fentry_error error = {};
	struct bpf_link *link;

	ASSERT_NE(NULL, skel);
	ASSERT_OK(fentry_skeleton__load(skel->skeleton, self->idx, NULL, 0, &error), "%s",
		  error.msg);
	skel->bss->only_tgid = getpid();
	skel->bss->new_value = 99;
	link = bpf_program__attach_trace(skel->progs.modify);
	ASSERT_NE(NULL, link);
	EXPECT_EQ(TEXT_CALL, text__state(addr));
	EXPECT_EQ(0, kinds_mod__call("modified@kinds_main.c 7"));
	EXPECT_EQ(99, kinds_mod__result());
	bpf_link__destroy(link);
	EXPECT_EQ(TEXT_NOP, text__state(addr));
	EXPECT_EQ(0, kinds_mod__call("modified@kinds_main.c 7"));
	EXPECT_EQ(7, kinds_mod__result());
	kinds_bpf__destroy(skel);
}

/* An init function isn't offered once the module is loaded, and attaching to it fails. */
TEST_F(kinds, init_text)
{
	const struct fentry_target *target = kinds_mod__find(self->idx, "in_init");
	struct kbtf_module mod;
	struct hits *hits = NULL;
	int id;

	/* pahole describes it if the compiler kept its name */
	if (target)
		EXPECT_EQ(0, target->addr);
	ASSERT_EQ(0, kbtf__open_module(&mod, MODULE));
	id = kbtf__func(&mod, "in_init");
	if (id > 0) {
		EXPECT_GT(0, hits__load_for(mod.fd, id, mod.log, KBTF_LOG_SIZE, &hits));
		TH_LOG("%s", mod.log);
	}
	hits__free(hits);
	kbtf__close_module(&mod);
}

/* The test "regs" looks at the arguments of all functions. */
static void check_arguments(struct __test_metadata *_metadata, struct fentry_index *idx,
			    const char *function)
{
	static const struct reads_want want = { { -7, 600000000000 } };
	char call[MAX_TEXT];
	struct reads r = {};

	ASSERT_OK(reads__attach(&r, idx, kinds_mod__find(idx, function), "n_m", false), "%s",
		  r.why);
	reads__begin(&r);
	snprintf(call, sizeof(call), "%s -7 600000000000", function);
	EXPECT_EQ(0, kinds_mod__call(call));
	EXPECT_EQ(1, reads__calls(&r));
	EXPECT_EQ(1, reads__right(&r, &want)) TH_LOG("%s: %s", call, r.why);
	reads__close(&r);
}

/*
 * Load the module again, while another module has its place. The functions then have other
 * addresses and another BTF object. Expect both in a new index.
 */
TEST_F_TIMEOUT(kinds, reloaded, 120)
{
	const struct fentry_target *before, *after;
	struct fentry_error error = {};
	struct fentry_index *idx = NULL;
	size_t loaded = 0;

	before = kinds_mod__find(self->idx, functions[0]);
	ASSERT_NE(NULL, before);
	do { /* the first one may not get the place that became free */
		ASSERT_GT(ARRAY_SIZE(other_modules), loaded);
		fentry_index__free(idx);
		ASSERT_EQ(0, kmod__unload(MODULE));
		ASSERT_EQ(0, kmod__load(other_modules[loaded++], ""));
		ASSERT_OK(kinds_mod__load(&idx, &error), "%s", error.msg);
		after = kinds_mod__find(idx, functions[0]);
		ASSERT_NE(NULL, after);
		EXPECT_NE(before->obj_id, after->obj_id);
	} while (before->addr == after->addr);
	EXPECT_EQ(true_addr(functions[0]), after->addr);
	check_arguments(_metadata, idx, functions[0]);
	check_arguments(_metadata, idx, functions[1]);
	fentry_index__free(idx);
	while (loaded)
		EXPECT_EQ(0, kmod__unload(other_modules[--loaded]));
}

TEST_HARNESS_MAIN
