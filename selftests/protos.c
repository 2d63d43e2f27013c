// SPDX-License-Identifier: GPL-2.0-only
/*
 * In some places the kernel has a function's address and looks for its prototype: for stubs of
 * struct_ops, templates of tracepoints, probe events on tracepoints, and the function tracer. For
 * each of these functions, the module "protos" has another one of the same name with another
 * prototype, whose FUNC comes first in BTF. The module "protos_lone" has no addresses, so the
 * kernel looks up names in its BTF and in vmlinux's.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "expect.h"

#include "env.h"
#include "file.h"
#include "hits.h"
#include "kbtf.h"
#include "kmod.h"
#include "protos.skel.h"

#define TRACEFS "/sys/kernel/tracing/"
#define EVENTS	TRACEFS "dynamic_events"
#define TRACE	TRACEFS "trace"
#define EVENT	"protos_of_btf"
#define ENABLE	TRACEFS "events/tracepoints/" EVENT "/enable"

FIXTURE(protos) {
	struct kbtf_module mod;
};

FIXTURE_SETUP(protos)
{
	ASSERT_EQ(0, kbtf__load_module(&self->mod, "protos", ""));
}

FIXTURE_TEARDOWN(protos)
{
	EXPECT_EQ(0, kbtf__unload_module(&self->mod));
}

/* The number of parameters that the first FUNC of a name has. *@nr is the number of such FUNCs. */
static unsigned int params_of_first(const struct btf *btf, const char *name, unsigned int *nr)
{
	__u32 id = btf__type_cnt(btf__base_btf(btf)) - 1;
	unsigned int params = 0;

	for (*nr = 0; (id = btf_func__next(btf, id, name)); (*nr)++)
		if (!*nr)
			params = btf_vlen(btf_func__proto(btf, id));
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
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .attach_btf_obj_fd = btf_fd, .attach_btf_id = ops_id,
		    .expected_attach_type = 0, /* the first member */
		    .log_buf = log, .log_size = KBTF_LOG_SIZE, .log_level = 1);

	return bpf_prog_load(BPF_PROG_TYPE_STRUCT_OPS, "op", "GPL", insns,
			     sizeof(insns) / sizeof(insns[0]), &opts);
}

/* Read a task that may be NULL. Expect a refusal, but not if the program checks for NULL. */
static void check_stub(struct __test_metadata *_metadata, const struct kbtf_module *mod)
{
	const char *expected = "trusted_ptr_or_null_";
	int id, fd;

	id = btf__find_by_name_kind(mod->btf, "protos_ops", BTF_KIND_STRUCT);
	ASSERT_LT(0, id);
	EXPECT_EQ(-EACCES, load_op(mod->fd, id, false, mod->log));
	EXPECT_LOG(mod->log, expected);
	fd = load_op(mod->fd, id, true, mod->log);
	EXPECT_LE(0, fd) TH_LOG("log: %s", mod->log);
	close(fd);
}

TEST_F(protos, stub)
{
	check_stub(_metadata, &self->mod);
}

/*
 * Attach to the tracepoint. Expect both of its values. The template is notrace. 7.3 gives it a BTF
 * ID; without one, BTF has only the FUNC of the other function of its name.
 */
TEST_F(protos, template)
{
	struct protos_bpf *skel = protos_bpf__open();
	unsigned int nr;

	EXPECT_EQ(1, params_of_first(self->mod.btf, "__bpf_trace_protos_event", &nr));
	EXPECT_EQ(kconfig__base() >= 7 ? 2 : 1, nr);
	ASSERT_NE(NULL, skel);
	bpf_program__set_log_buf(skel->progs.on_event, self->mod.log, KBTF_LOG_SIZE);
	ASSERT_OK(protos_bpf__load(skel), "log: %s", self->mod.log);
	ASSERT_EQ(0, protos_bpf__attach(skel));
	EXPECT_EQ(0, kmod__write_param(self->mod.name, "call", "21"));
	EXPECT_EQ(21, skel->bss->n);
	EXPECT_EQ(42, skel->bss->m);
	protos_bpf__destroy(skel);
}

/* Put a probe event on the tracepoint. Expect its arguments by name, with their values. */
TEST_F(protos, probe_event)
{
	unsigned int nr;

	EXPECT_EQ(1, params_of_first(self->mod.btf, "__probestub_protos_event", &nr));
	EXPECT_EQ(2, nr);
	if (!kconfig__has("CONFIG_FPROBE_EVENTS"))
		SKIP(return, "this kernel has no probe events of tracepoints");
	ASSERT_OK(file__write(EVENTS, O_APPEND, "t:" EVENT " protos_event n m"), "%s",
		  file__text(TRACEFS "error_log"));
	EXPECT_EQ(0, file__write(TRACE, O_TRUNC, ""));
	EXPECT_EQ(0, file__write(ENABLE, 0, "1"));
	EXPECT_EQ(0, kmod__write_param(self->mod.name, "call", "-21"));
	EXPECT_EQ(0, file__write(ENABLE, 0, "0"));
	EXPECT_NE(NULL, strstr(file__text(TRACE), "n=-21 m=-42")) TH_LOG("%s", file__text(TRACE));
	EXPECT_EQ(0, file__write(EVENTS, O_APPEND, "-:" EVENT));
}

/* Let the function tracer print a function's arguments. Returns the trace of call(21), or NULL. */
static const char *trace_function(struct __test_metadata *_metadata, const char *module,
				  const char *function)
{
	const char *const tracer = TRACEFS "current_tracer";
	const char *const filter = TRACEFS "set_ftrace_filter";
	const char *const option = TRACEFS "options/func-args";
	const char *text;

	if (access(option, F_OK))
		return NULL;
	EXPECT_EQ(0, file__write(filter, O_TRUNC, function));
	EXPECT_EQ(0, file__write(tracer, 0, "function"));
	EXPECT_EQ(0, file__write(option, 0, "1"));
	EXPECT_EQ(0, file__write(TRACE, O_TRUNC, ""));
	EXPECT_EQ(0, kmod__write_param(module, "call", "21"));
	text = file__text(TRACE);
	EXPECT_EQ(0, file__write(option, 0, "0"));
	EXPECT_EQ(0, file__write(tracer, 0, "nop"));
	EXPECT_EQ(0, file__write(filter, O_TRUNC, ""));
	return text;
}

/*
 * Trace the stub, which the tracepoint calls if there is a probe event. Two functions have that
 * name. Expect the arguments of each.
 */
TEST_F(protos, function_tracer)
{
	const char *text;

	if (!kconfig__has("CONFIG_FPROBE_EVENTS"))
		SKIP(return, "this kernel has no probe events of tracepoints");
	ASSERT_EQ(0, file__write(EVENTS, O_APPEND, "t:" EVENT " protos_event"));
	EXPECT_EQ(0, file__write(ENABLE, 0, "1"));
	text = trace_function(_metadata, self->mod.name, "__probestub_protos_event");
	EXPECT_EQ(0, file__write(ENABLE, 0, "0"));
	EXPECT_EQ(0, file__write(EVENTS, O_APPEND, "-:" EVENT));
	if (!text)
		SKIP(return, "this kernel's function tracer has no option func-args");
	EXPECT_NE(NULL, strstr(text, "__probestub_protos_event(__data=0x")) TH_LOG("%s", text);
	EXPECT_NE(NULL, strstr(text, ", n=21, m=42)")) TH_LOG("%s", text);
	EXPECT_NE(NULL, strstr(text, "__probestub_protos_event(data=0x")) TH_LOG("%s", text);
}

/*
 * Load a program for a function of the module, by the id that vmlinux has for its name. Two files
 * of the module have such a function. Expect that none of them is taken.
 */
static void check_own_two(struct __test_metadata *_metadata, struct kbtf_module *mod, int err)
{
	struct hits *hits = NULL;
	int id = btf__find_by_name_kind(mod->base, "bpf_fentry_test3", BTF_KIND_FUNC);

	ASSERT_LT(0, id);
	EXPECT_EQ(err, hits__load_for(mod->fd, id, mod->log, KBTF_LOG_SIZE, &hits));
	hits__free(hits);
}

TEST_F(protos, own_two)
{
	unsigned int nr;

	params_of_first(self->mod.btf, "bpf_fentry_test3", &nr);
	EXPECT_EQ(2, nr);
	check_own_two(_metadata, &self->mod, -ENOENT);
}

/* The module "protos_lone" has no addresses, and one function of each name but bpf_fentry_test3. */
FIXTURE(lone) {
	struct kbtf_module mod;
};

FIXTURE_SETUP(lone)
{
	ASSERT_EQ(0, kbtf__load_module(&self->mod, "protos_lone", ""));
}

FIXTURE_TEARDOWN(lone)
{
	EXPECT_EQ(0, kbtf__unload_module(&self->mod));
}

TEST_F(lone, stub)
{
	check_stub(_metadata, &self->mod);
}

/*
 * Load a program for a function of the module, by each id that vmlinux has for its name. Expect a
 * refusal, because their prototypes may differ. Expect none for vmlinux's function.
 */
TEST_F(lone, one_of_several_prototypes)
{
	const char *name = "type_show";
	const char *expected = "vmlinux has several functions named type_show";
	struct hits *hits;
	unsigned int nr;
	__u32 i = 0;

	params_of_first(self->mod.btf, name, &nr);
	if (nr)
		SKIP(return, "vmlinux has no type_show(dev, attr, buf) to merge the module's with");
	while ((i = btf_func__next(self->mod.base, i, name))) {
		hits = NULL;
		EXPECT_EQ(-EADDRNOTAVAIL,
			  hits__load_for(self->mod.fd, i, self->mod.log, KBTF_LOG_SIZE, &hits));
		EXPECT_LOG(self->mod.log, expected);
		hits__free(hits);
		hits = NULL;
		EXPECT_EQ(0, hits__load(i, self->mod.log, KBTF_LOG_SIZE, &hits));
		hits__free(hits);
		nr++;
	}
	EXPECT_LT(1, nr);
}

/* Attach by the id that vmlinux has for a name. Expect one hit, of the module's function. */
static void check_base_id(struct __test_metadata *_metadata, struct kbtf_module *mod,
			  const char *name)
{
	struct hits *hits = NULL;
	int id;

	id = btf__find_by_name_kind(mod->base, name, BTF_KIND_FUNC);
	ASSERT_LT(0, id);
	ASSERT_OK(hits__load_for(mod->fd, id, mod->log, KBTF_LOG_SIZE, &hits), "log: %s", mod->log);
	EXPECT_EQ(0, hits__attach(hits));
	EXPECT_EQ(0, kmod__write_param(mod->name, "call", "21"));
	EXPECT_EQ(1, hits__count(hits));
	hits__free(hits);
}

TEST_F(lone, own_two)
{
	check_own_two(_metadata, &self->mod, -EADDRNOTAVAIL);
	EXPECT_LOG(self->mod.log, "2 functions have the name bpf_fentry_test3");
}

/* vmlinux has a single prototype for the name, which the module's function shares. */
TEST_F(lone, one_prototype)
{
	check_base_id(_metadata, &self->mod, "bpf_fentry_test1");
}

/* The module's function has another prototype, and a FUNC of its own. */
TEST_F(lone, other_prototype)
{
	unsigned int nr;

	ASSERT_EQ(1, params_of_first(self->mod.btf, "bpf_fentry_test2", &nr));
	EXPECT_EQ(1, nr);
	check_base_id(_metadata, &self->mod, "bpf_fentry_test2");
}

TEST_F(lone, function_tracer)
{
	const char *text = trace_function(_metadata, self->mod.name, "bpf_fentry_test1");
	unsigned int nr;

	if (!text)
		SKIP(return, "this kernel's function tracer has no option func-args");
	params_of_first(self->mod.btf, "bpf_fentry_test1", &nr);
	EXPECT_EQ(0, nr);
	EXPECT_NE(NULL, strstr(text, "bpf_fentry_test1(a=21)")) TH_LOG("%s", text);
}

/* Put a kprobe event on a name that modules have, too. Expect arguments of vmlinux's function. */
TEST_F(lone, kprobe_event)
{
	if (file__write(EVENTS, O_APPEND, "p:" EVENT " bpf_fentry_test1"))
		SKIP(return, "this kernel refuses kprobe events on names that a module has, too");
	EXPECT_EQ(0, file__write(EVENTS, O_APPEND, "-:" EVENT));
	ASSERT_OK(file__write(EVENTS, O_APPEND, "p:" EVENT " bpf_fentry_test1 a"), "%s",
		  file__text(TRACEFS "error_log"));
	EXPECT_EQ(0, file__write(EVENTS, O_APPEND, "-:" EVENT));
}

TEST_HARNESS_MAIN
