// SPDX-License-Identifier: GPL-2.0-only
/*
 * In some places the kernel has a function's address and looks for its prototype: for the stubs of
 * struct_ops, the template of a tracepoint, the function that a probe event on a tracepoint is put
 * on, and those that the function tracer sees. For each of them, the module "protos" has another
 * function of the same name with another prototype, whose FUNC comes first in BTF.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "kselftest_harness.h"

#include "expect.h"
#include "file.h"
#include "kbtf.h"
#include "kmod.h"
#include "protos.skel.h"

#define MODULE "protos"
#define LONE "protos_lone"
#define TRACEFS "/sys/kernel/tracing/"
#define EVENT "protos_of_btf"
#define LOG_SIZE 65536
#define MAX_TEXT 4096

FIXTURE(protos) {
	struct btf *base, *btf;
	int btf_fd;
	char *log;
};

FIXTURE_SETUP(protos)
{
	libbpf_set_print(NULL);		/* the log is what we look at */
	self->log = calloc(1, LOG_SIZE);
	ASSERT_NE(NULL, self->log);
	ASSERT_EQ(0, kmod__load(MODULE, ""));
	self->base = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	ASSERT_NE(NULL, self->base);
	self->btf = btf__parse_split("/sys/kernel/btf/" MODULE, self->base);
	ASSERT_NE(NULL, self->btf);
	self->btf_fd = kbtf__open(MODULE);
	ASSERT_LE(0, self->btf_fd);
}

FIXTURE_TEARDOWN(protos)
{
	close(self->btf_fd);
	btf__free(self->btf);
	btf__free(self->base);
	free(self->log);
	EXPECT_EQ(0, kmod__unload(MODULE));
}

/* The number of parameters that the first FUNC of a name has. *@nr is the number of such FUNCs. */
static unsigned int params_of_first(const struct btf *btf, const char *name, unsigned int *nr)
{
	const struct btf_type *t;
	unsigned int params = 0;
	__u32 i;

	*nr = 0;
	for (i = btf__type_cnt(btf__base_btf(btf)); i < btf__type_cnt(btf); i++) {
		t = btf__type_by_id(btf, i);
		if (!btf_is_func(t) || strcmp(btf__name_by_offset(btf, t->name_off), name))
			continue;
		if (!(*nr)++)
			params = btf_vlen(btf__type_by_id(btf, t->type));
	}
	return params;
}

/* Load an implementation of op() that reads the task. Returns a descriptor or an errno. */
static int load_op(int btf_fd, __u32 ops_id, bool checks_for_null, char *log)
{
	const struct bpf_insn insns[] = {
		{ BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_1, BPF_REG_1, 0, 0 },
		{ BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_1, 0, checks_for_null ? 1 : 0, 0 },
		{ BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_2, BPF_REG_1, 0, 0 },
		{ BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0 },
		{ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .attach_btf_obj_fd = btf_fd,
		    .attach_btf_id = ops_id,
		    .expected_attach_type = 0,		/* the first member */
		    .log_buf = log,
		    .log_size = LOG_SIZE,
		    .log_level = 1);

	return bpf_prog_load(BPF_PROG_TYPE_STRUCT_OPS, "op", "GPL", insns,
			     sizeof(insns) / sizeof(insns[0]), &opts);
}

/* Read a task that may be NULL. Expect a refusal, but not if the program checks for NULL. */
static void check_stub(struct __test_metadata *_metadata, const struct btf *btf, int btf_fd,
		       char *log)
{
	const char *expected = "trusted_ptr_or_null_";
	int id, fd;

	id = btf__find_by_name_kind(btf, "protos_ops", BTF_KIND_STRUCT);
	ASSERT_LT(0, id);
	EXPECT_EQ(-EACCES, load_op(btf_fd, id, false, log));
	EXPECT_LOG(log, expected);
	fd = load_op(btf_fd, id, true, log);
	EXPECT_LE(0, fd) TH_LOG("log: %s", log);
	close(fd);
}

TEST_F(protos, stub)
{
	check_stub(_metadata, self->btf, self->btf_fd, self->log);
}

/* Attach to the tracepoint. Expect both of its values. */
TEST_F(protos, template)
{
	struct protos_bpf *skel = protos_bpf__open();
	unsigned int nr;

	EXPECT_EQ(1, params_of_first(self->btf, "__bpf_trace_protos_event", &nr));
	EXPECT_EQ(2, nr);
	ASSERT_NE(NULL, skel);
	bpf_program__set_log_buf(skel->progs.on_event, self->log, LOG_SIZE);
	ASSERT_EQ(0, protos_bpf__load(skel)) TH_LOG("log: %s", self->log);
	ASSERT_EQ(0, protos_bpf__attach(skel));
	EXPECT_EQ(0, kmod__write_param(MODULE, "call", "21"));
	EXPECT_EQ(21, skel->bss->n);
	EXPECT_EQ(42, skel->bss->m);
	protos_bpf__destroy(skel);
}

/* The text in a file of one page at most. */
static const char *text_of(const char *path)
{
	static char text[MAX_TEXT];
	FILE *f = fopen(path, "re");

	text[f ? fread(text, 1, sizeof(text) - 1, f) : 0] = '\0';
	if (f)
		fclose(f);
	return text;
}

/* Put a probe event on the tracepoint. Expect its arguments by name, with their values. */
TEST_F(protos, probe_event)
{
	const char *const events = TRACEFS "dynamic_events";
	const char *const trace = TRACEFS "trace";
	const char *const enable = TRACEFS "events/tracepoints/" EVENT "/enable";
	unsigned int nr;

	EXPECT_EQ(1, params_of_first(self->btf, "__probestub_protos_event", &nr));
	EXPECT_EQ(2, nr);
	ASSERT_EQ(0, file__write(events, O_APPEND, "t:" EVENT " protos_event n m")) {
		TH_LOG("%s", text_of(TRACEFS "error_log"));
	}
	EXPECT_EQ(0, file__write(trace, O_TRUNC, ""));
	EXPECT_EQ(0, file__write(enable, 0, "1"));
	EXPECT_EQ(0, kmod__write_param(MODULE, "call", "-21"));
	EXPECT_EQ(0, file__write(enable, 0, "0"));
	EXPECT_NE(NULL, strstr(text_of(trace), "n=-21 m=-42")) TH_LOG("%s", text_of(trace));
	EXPECT_EQ(0, file__write(events, O_APPEND, "-:" EVENT));
}

/*
 * Let the function tracer print arguments; a probe event makes the tracepoint call its stub.
 * Expect of the two functions of that name what each one has.
 */
TEST_F(protos, function_tracer)
{
	const char *const events = TRACEFS "dynamic_events";
	const char *const tracer = TRACEFS "current_tracer";
	const char *const filter = TRACEFS "set_ftrace_filter";
	const char *const option = TRACEFS "options/func-args";
	const char *const trace = TRACEFS "trace";
	const char *const enable = TRACEFS "events/tracepoints/" EVENT "/enable";
	const char *text;

	if (access(option, F_OK))
		SKIP(return, "this kernel's function tracer has no option func-args");
	ASSERT_EQ(0, file__write(events, O_APPEND, "t:" EVENT " protos_event"));
	EXPECT_EQ(0, file__write(enable, 0, "1"));
	EXPECT_EQ(0, file__write(filter, O_TRUNC, "__probestub_protos_event"));
	EXPECT_EQ(0, file__write(tracer, 0, "function"));
	EXPECT_EQ(0, file__write(option, 0, "1"));
	EXPECT_EQ(0, file__write(trace, O_TRUNC, ""));
	EXPECT_EQ(0, kmod__write_param(MODULE, "call", "21"));
	text = text_of(trace);
	EXPECT_NE(NULL, strstr(text, "__probestub_protos_event(__data=0x")) TH_LOG("%s", text);
	EXPECT_NE(NULL, strstr(text, ", n=21, m=42)")) TH_LOG("%s", text);
	EXPECT_NE(NULL, strstr(text, "__probestub_protos_event(data=0x")) TH_LOG("%s", text);
	EXPECT_EQ(0, file__write(option, 0, "0"));
	EXPECT_EQ(0, file__write(tracer, 0, "nop"));
	EXPECT_EQ(0, file__write(filter, O_TRUNC, ""));
	EXPECT_EQ(0, file__write(enable, 0, "0"));
	EXPECT_EQ(0, file__write(events, O_APPEND, "-:" EVENT));
}

/* The module has no addresses and one function of each name: the kernel goes by that. */
TEST(stub_of_module_without_addresses)
{
	struct btf *base, *btf;
	char *log;
	int fd;

	libbpf_set_print(NULL);
	ASSERT_EQ(0, kmod__load(LONE, ""));
	base = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	btf = btf__parse_split("/sys/kernel/btf/" LONE, base);
	EXPECT_NE(NULL, btf);
	fd = kbtf__open(LONE);
	EXPECT_LE(0, fd);
	log = calloc(1, LOG_SIZE);
	if (btf && log)
		check_stub(_metadata, btf, fd, log);
	free(log);
	close(fd);
	btf__free(btf);
	btf__free(base);
	EXPECT_EQ(0, kmod__unload(LONE));
}

TEST_HARNESS_MAIN
