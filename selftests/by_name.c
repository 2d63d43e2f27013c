// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs that read arguments by name: one object file for every kernel and compiler. User space
 * calls functions of the module "kinds" with values of its choice. gcc and clang have left out
 * different parameters of these, and split others. The test "regs" has such programs for each kind.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

#include "by_name.h"
#include "by_name.skel.h"
#include "kbtf.h"
#include "kmod.h"
#include "libfentry.h"
#include "progs.h"

#define LOG_SIZE  65536
#define MAX_INSNS 512

FIXTURE(by_name) {
	struct fentry_index *idx;
	struct by_name_bpf *skel;
	struct fentry_error error;
};

FIXTURE_SETUP(by_name)
{
	ASSERT_OK(kinds_mod__load(&self->idx, &self->error), "%s", self->error.msg);
	libbpf_set_print(NULL);
}

FIXTURE_TEARDOWN(by_name)
{
	by_name_bpf__destroy(self->skel);
	EXPECT_EQ(0, kinds_mod__unload(self->idx));
}

/* Open the object again and load one of its programs, for @call's function unless it is NULL. */
static struct bpf_program *load_named(FIXTURE_DATA(by_name) *self, const char *prog,
				      const char *call)
{
	struct fentry_binding binding = {};

	memset(&self->error, 0, sizeof(self->error));
	by_name_bpf__destroy(self->skel);
	self->skel = by_name_bpf__open();
	if (!self->skel)
		return NULL;
	binding.prog = bpf_object__find_program_by_name(self->skel->obj, prog);
	if (!binding.prog)
		return NULL;
	bpf_program__set_autoload((struct bpf_program *)binding.prog, true);
	if (call) {
		binding.target = kinds_mod__find(self->idx, call);
		if (!binding.target)
			return NULL;
	}
	if (fentry_skeleton__load(self->skel->skeleton, self->idx, &binding, !!call, &self->error))
		return NULL;
	self->skel->bss->only_tgid = getpid();
	return (struct bpf_program *)binding.prog;
}

/* What dropped_return() returns, and where its program records it; compilers may leave it out. */
#define DROPPED_RETURN 0x5eed
#define DROPPED_NR     3

/* A program, the call that it must see, and the argument of that call that it records. */
static const struct read_case {
	const char *prog, *call;
	int nr;
	long value;
	bool may_return;
} cases[] = {
	{ "either", "bools@kinds_regs.c 0 70 1", 2, 1 },
	{ "either", "bools@kinds_regs.c 1 70 1", 2, 70 },
	{ "dropped_return", "dropped_return@kinds_regs.c 600000000000 3", 2, 3, true },
	{ "chosen", "differs@kinds_b.c -5 -300 77", 1, 77 },
};

/* Load, attach, call. Expect the argument and its value, and no others. */
static void check_values(struct __test_metadata *_metadata, FIXTURE_DATA(by_name) *self,
			 const struct read_case *c)
{
	const struct by_name_seen *seen;
	struct bpf_program *prog;
	struct bpf_link *link;
	int i;

	/* "chosen" has a target in its section's name */
	prog = load_named(self, c->prog, strcmp(c->prog, "chosen") ? c->call : NULL);
	ASSERT_NE(NULL, prog) TH_LOG("%s: %s", c->prog, self->error.msg);
	link = bpf_program__attach_trace(prog);
	ASSERT_NE(NULL, link);
	EXPECT_EQ(0, kinds_mod__call(c->call));
	bpf_link__destroy(link);
	seen = &self->skel->bss->seen;
	EXPECT_LT(0, seen->calls) TH_LOG("%s isn't called", c->call);
	EXPECT_TRUE(seen->of[c->nr].there) TH_LOG("%s", c->prog);
	EXPECT_EQ(c->value, seen->of[c->nr].value) TH_LOG("%s", c->prog);
	for (i = 0; i < BY_NAME_MAX_VALUES; i++) {
		if (i == c->nr || !seen->of[i].there)
			continue;
		EXPECT_TRUE(c->may_return && i == DROPPED_NR)
		TH_LOG("%s: parameter %d", c->prog, i);
		EXPECT_EQ(DROPPED_RETURN, seen->of[i].value)
		TH_LOG("%s: parameter %d", c->prog, i);
	}
}

TEST_F_TIMEOUT(by_name, values, 120)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check_values(_metadata, self, &cases[i]);
}

/* A program that uses no argument gets the function that has only parameters that it declares. */
TEST_F(by_name, chosen_unused)
{
	const struct fentry_target *target;
	struct bpf_program *prog;
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	prog = load_named(self, "chosen_unused", NULL);
	ASSERT_NE(NULL, prog) TH_LOG("%s", self->error.msg);
	target = kinds_mod__find(self->idx, "differs@kinds_a.c");
	ASSERT_EQ(0, bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len));
	EXPECT_EQ(target->type_id, info.attach_btf_id);
}

/* Expect the same instructions as in @by_hand, which reads arguments by position. */
static void expect_same(struct __test_metadata *_metadata, FIXTURE_DATA(by_name) *self,
			const char *prog, const char *by_hand, const char *call)
{
	static struct bpf_insn a[MAX_INSNS], b[MAX_INSNS];
	int a_cnt = 0, b_cnt = 0, i;
	struct bpf_program *p;

	p = load_named(self, prog, call);
	ASSERT_NE(NULL, p) TH_LOG("%s: %s", prog, self->error.msg);
	a_cnt = progs__insns(bpf_program__fd(p), a, MAX_INSNS);
	p = load_named(self, by_hand, call);
	ASSERT_NE(NULL, p) TH_LOG("%s: %s", by_hand, self->error.msg);
	b_cnt = progs__insns(bpf_program__fd(p), b, MAX_INSNS);
	ASSERT_LT(0, a_cnt);
	ASSERT_EQ(b_cnt, a_cnt) TH_LOG("%s", prog);
	for (i = 0; i < a_cnt; i++) {
		if (a[i].code == (BPF_LD | BPF_IMM | BPF_DW))
			b[i].imm = a[i].imm; /* the map of another object */
		EXPECT_OK(memcmp(&a[i], &b[i], sizeof(a[i])),
			  "%s: instruction %d: %02x %d %#x, by hand %02x %d %#x", prog, i,
			  a[i].code, a[i].off, a[i].imm, b[i].code, b[i].off, b[i].imm);
	}
	TH_LOG("%s: %d instructions", prog, a_cnt);
}

TEST_F_TIMEOUT(by_name, same_instructions, 60)
{
	expect_same(_metadata, self, "without_first", "without_first_by_hand",
		    "without_first@kinds_args.c");
	expect_same(_metadata, self, "on_stack", "on_stack_by_hand", "on_stack@kinds_b.c");
}

/* Expect the loaded program to have no check and no branch for an argument that doesn't exist. */
TEST_F(by_name, no_branch)
{
	static struct bpf_insn insns[MAX_INSNS];
	const struct fentry_target *target;
	struct bpf_program *prog;
	int cnt, i, branches = 0;

	target = kinds_mod__find(self->idx, "moved@kinds_args.c");
	prog = load_named(self, "moved", "moved@kinds_args.c");
	ASSERT_NE(NULL, prog) TH_LOG("%s", self->error.msg);
	cnt = progs__insns(bpf_program__fd(prog), insns, MAX_INSNS);
	ASSERT_LT(0, cnt);
	for (i = 0; i < cnt; i++)
		branches += BPF_CLASS(insns[i].code) == BPF_JMP &&
			    BPF_OP(insns[i].code) != BPF_CALL && BPF_OP(insns[i].code) != BPF_EXIT;
	TH_LOG("%d of %zu instructions, %d branches", cnt, bpf_program__insn_cnt(prog), branches);
	if (btf_vlen(btf_func__proto(target->btf, target->type_id)) == 3)
		return;		/* this compiler passes the pair itself */
	EXPECT_EQ(2, branches); /* both of is_first() */
	EXPECT_GT((int)bpf_program__insn_cnt(prog), cnt);
}

static bool has_int_n(const struct fentry_target *target)
{
	int n = btf_func__param(target->btf, target->type_id, "n");
	const struct btf_type *t = btf_func__proto(target->btf, target->type_id);

	if (n < 0)
		return false;
	t = btf__type_by_id(target->btf, btf_params(t)[n].type);
	return btf_is_int(t) && t->size == 4 && btf_int_encoding(t) == BTF_INT_SIGNED;
}

static size_t position(const struct fentry_target **targets, size_t cnt,
		       const struct fentry_target *target)
{
	size_t i;

	for (i = 0; i < cnt && targets[i] != target; i++)
		;
	return i;
}

/* Attach one program to all functions of the module that have the argument. Expect its values. */
TEST_F_TIMEOUT(by_name, glob, 300)
{
	static const struct {
		const char *call;
		int n;
	} calls[] = {
		{ "equal@kinds_a.c -7 600000000000", -7 },
		{ "equal@kinds_b.c 8 600000000000", 8 },
		{ "scaled@kinds_a.c 11 -13", 11 },
		{ "members@kinds_a.c 81 82 83", 83 },
		{ "half@kinds_a.c 91 92 93", 93 },
		{ "without_first@kinds_args.c 21 22", 21 },
		{ "moved@kinds_args.c 31 32 33 34", 31 },
		{ "bools@kinds_regs.c 1 41 0", 41 },
	};
	const struct fentry_target **found = NULL;
	char label[FENTRY_LABEL_MAX], want[1024];
	struct fentry_multi *multi = NULL;
	struct fentry_spec spec = {};
	struct bpf_program *prog;
	size_t cnt = 0, i, at, left_out = 0;

	prog = load_named(self, "any_n", calls[0].call);
	ASSERT_NE(NULL, prog) TH_LOG("%s", self->error.msg);
	ASSERT_EQ(0, fentry_spec__parse("kinds:*", &spec, NULL));
	ASSERT_EQ(0, fentry_index__find(self->idx, &spec, &found, &cnt, NULL));
	ASSERT_GT(BY_NAME_MAX_FUNCS, cnt);
	ASSERT_OK(fentry_multi__attach(prog, found, cnt, NULL, &multi, &self->error), "%s",
		  self->error.msg);
	for (i = 0; i < cnt; i++) {
		const char *why = fentry_multi__why(multi, i);

		if (has_int_n(found[i]))
			continue;
		left_out++;
		ASSERT_NE(NULL, why) TH_LOG("%s", found[i]->name);
		fentry_target__label(found[i], label);
		snprintf(want, sizeof(want), "program 'any_n' uses 'n' of %s, but", label);
		if (found[i]->addr && !fentry_target__unfit(found[i], false))
			EXPECT_OK(strncmp(why, want, strlen(want)), "%s: %s", found[i]->name, why);
	}
	TH_LOG("%zu of %zu functions have it", cnt - left_out, cnt);
	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		at = position(found, cnt, kinds_mod__find(self->idx, calls[i].call));
		ASSERT_GT(cnt, at);
		EXPECT_EQ(NULL, fentry_multi__why(multi, at))
		TH_LOG("%s", fentry_multi__why(multi, at));
		EXPECT_EQ(0, kinds_mod__call(calls[i].call));
		EXPECT_LT(0, self->skel->bss->many[at].calls);
		EXPECT_EQ(calls[i].n, self->skel->bss->many[at].of[0].value)
		TH_LOG("%s", calls[i].call);
	}
	fentry_multi__free(multi);
	fentry_spec__clear(&spec);
	free(found);
}

/* Expect a refusal to copy a program for a function that lacks an argument that it uses. */
TEST_F(by_name, clone)
{
	struct bpf_program *prog = load_named(self, "any_n", "equal@kinds_a.c");
	const struct fentry_target *target;
	int fd = -1;

	ASSERT_NE(NULL, prog) TH_LOG("%s", self->error.msg);
	target = kinds_mod__find(self->idx, "half@kinds_a.c");
	ASSERT_OK(fentry_prog__clone(prog, target, &fd, &self->error), "%s", self->error.msg);
	close(fd);
	target = kinds_mod__find(self->idx, "on_stack@kinds_b.c");
	EXPECT_EQ(-ENODATA, fentry_prog__clone(prog, target, &fd, &self->error));
	EXPECT_OK(fnmatch("program 'any_n' uses 'n' of on_stack*, but there is no such argument: *",
			  self->error.msg, 0),
		  "%s", self->error.msg);
}

/* If a program has several bindings, the first target with all arguments that it uses is taken. */
TEST_F(by_name, several_bindings)
{
	struct fentry_binding bindings[3] = {};
	struct by_name_bpf *skel = by_name_bpf__open();
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int i;

	ASSERT_NE(NULL, skel);
	bpf_program__set_autoload(skel->progs.any_n, true);
	for (i = 0; i < 3; i++)
		bindings[i].prog = skel->progs.any_n;
	bindings[0].target = kinds_mod__find(self->idx, "on_stack@kinds_b.c");
	bindings[1].target = kinds_mod__find(self->idx, "moved@kinds_args.c");
	bindings[2].target = kinds_mod__find(self->idx, "equal@kinds_a.c");
	EXPECT_OK(fentry_object__load(skel->obj, self->idx, bindings, 3, &self->error), "%s",
		  self->error.msg);
	EXPECT_EQ(0, bpf_obj_get_info_by_fd(bpf_program__fd(skel->progs.any_n), &info, &len));
	EXPECT_EQ(bindings[1].target->type_id, info.attach_btf_id);
	by_name_bpf__destroy(skel);
}

/* Load a program for a function of vmlinux by libbpf's own loader, with libfentry's handlers. */
TEST_F(by_name, loaded_by_libbpf)
{
	struct by_name_bpf *skel = by_name_bpf__open();

	ASSERT_NE(NULL, skel);
	bpf_program__set_autoload(skel->progs.plain, true);
	EXPECT_EQ(0, by_name_bpf__load(skel));
	EXPECT_LT(0, bpf_program__fd(skel->progs.plain));
	by_name_bpf__destroy(skel);
}

/* Without libfentry, the kernel refuses the program: an instruction isn't valid. */
TEST(plain_libbpf)
{
	static char log[LOG_SIZE];
	struct by_name_bpf *skel = by_name_bpf__open();

	libbpf_set_print(NULL);
	ASSERT_NE(NULL, skel);
	bpf_program__set_autoload(skel->progs.plain, true);
	bpf_program__set_log_buf(skel->progs.plain, log, sizeof(log));
	EXPECT_GT(0, by_name_bpf__load(skel));
	EXPECT_LOG(log, "invalid CO-RE relocation");
	EXPECT_LOG(log, "list_head___fentry.arg[4]");
	by_name_bpf__destroy(skel);
}

TEST_HARNESS_MAIN
