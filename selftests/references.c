// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ways other than fentry in which a program refers to a function of vmlinux by BTF id:
 * modifying what it returns, LSM hooks, calls, its address as a number, and destructors. All of
 * this also holds without CONFIG_DEBUG_INFO_BTF_FUNC_ADDR. The test "resolver" has the refusals.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "expect.h"

#include "hits.h"
#include "references.skel.h"
#include "ksyms.h"
#include "progs.h"

#define LOG_SIZE  65536
#define MAX_INSNS 64

static char log[LOG_SIZE]; /* the verifier's */

FIXTURE(references) {
	struct ksyms syms;
	struct references_bpf *skel;
};

FIXTURE_SETUP(references)
{
	libbpf_set_print(NULL); /* the log is what we look at */
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &self->syms));
	self->skel = references_bpf__open();
	ASSERT_NE(NULL, self->skel);
}

FIXTURE_TEARDOWN(references)
{
	references_bpf__destroy(self->skel);
	ksyms__free(&self->syms);
}

/* Load the skeleton with one of its programs alone. Returns 0 or an errno. */
static int load_alone(struct references_bpf *skel, struct bpf_program *prog)
{
	bpf_program__set_autoload(prog, true);
	bpf_program__set_log_buf(prog, log, LOG_SIZE);
	return references_bpf__load(skel);
}

static int test_run(const struct bpf_program *prog)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err = bpf_prog_test_run_opts(bpf_program__fd(prog), &opts);

	return err ?: (int)opts.retval;
}

/* Call getpgid() while programs may change its result. Returns 0 or a negative errno. */
static int call_getpgid(struct references_bpf *skel)
{
	int ret;

	skel->bss->only_tgid = getpid();
	ret = getpgid(getpid()) < 0 ? -errno : 0;
	skel->bss->only_tgid = 0;
	return ret;
}

/* Attach a program. Expect getpgid() to return @want until the program is detached. */
static void change_getpgid(struct __test_metadata *_metadata, FIXTURE_DATA(references) *self,
			   struct bpf_program *prog, int want)
{
	struct bpf_link *link;

	ASSERT_OK(load_alone(self->skel, prog), "log: %s", log);
	link = bpf_program__attach(prog);
	ASSERT_NE(NULL, link);
	EXPECT_EQ(want, call_getpgid(self->skel));
	bpf_link__destroy(link);
	EXPECT_EQ(0, call_getpgid(self->skel));
}

/* Attach to a system call. Expect it to return the program's value instead of its own. */
TEST_F_TIMEOUT(references, modify_return, 60)
{
	change_getpgid(_metadata, self, self->skel->progs.modify_return, -EXDEV);
}

/* Attach to an LSM hook. Expect it to deny the call that the program denies. */
TEST_F_TIMEOUT(references, lsm, 60)
{
	change_getpgid(_metadata, self, self->skel->progs.deny, -EPERM);
}

/* Is there a call of the function at @addr? Calls are relative to @base. */
static bool calls(const struct bpf_insn *insns, int cnt, __u64 base, __u64 addr)
{
	int i;

	for (i = 0; i < cnt; i++)
		if (insns[i].code == (BPF_JMP | BPF_CALL) &&
		    insns[i].src_reg == BPF_PSEUDO_KFUNC_CALL && base + insns[i].imm == addr)
			return true;
	return false;
}

/* Call functions of the kernel. Expect their results, and calls of their addresses. */
TEST_F_TIMEOUT(references, call, 60)
{
	static const char *const names[] = {
		"bpf_task_from_pid",
		"bpf_task_release",
	};
	struct bpf_program *prog = self->skel->progs.look_up;
	struct bpf_insn insns[MAX_INSNS];
	__u64 base, addr;
	int insn_cnt;
	size_t i;

	ASSERT_OK(load_alone(self->skel, prog), "log: %s", log);
	self->skel->bss->pid = getpid();
	EXPECT_EQ(0, test_run(prog));
	EXPECT_EQ(getpid(), self->skel->bss->found_tgid);

	insn_cnt = progs__insns(bpf_program__fd(prog), insns, MAX_INSNS);
	ASSERT_LT(0, insn_cnt);
	base = ksyms__addr(&self->syms, "__bpf_call_base");
	ASSERT_NE(0, base);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		addr = ksyms__addr(&self->syms, names[i]);
		ASSERT_NE(0, addr);
		EXPECT_TRUE(calls(insns, insn_cnt, base, addr))
		TH_LOG("%s is not called at %016llx", names[i], (unsigned long long)addr);
	}
}

/* The address that a program gets for a FUNC; 0 if the kernel refuses the program. */
static __u64 load_address(__u32 id)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = BPF_REG_1,
		  .src_reg = BPF_PSEUDO_BTF_ID, .imm = id },
		{},
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	}, loaded[MAX_INSNS];
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .log_buf = log, .log_size = LOG_SIZE, .log_level = 1);
	__u64 addr = 0;
	int i, cnt, fd;

	fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL, "GPL", insns,
			   sizeof(insns) / sizeof(*insns), &opts);
	if (fd < 0)
		return 0;
	cnt = progs__insns(fd, loaded, MAX_INSNS);
	for (i = 0; i + 1 < cnt; i++)
		if (loaded[i].code == (BPF_LD | BPF_IMM | BPF_DW))
			addr = (__u64)loaded[i + 1].imm << 32 | (__u32)loaded[i].imm;
	close(fd);
	return addr;
}

/* Load the address of a function. Expect that of its symbol. */
TEST_F_TIMEOUT(references, address, 60)
{
	int id = libbpf_find_vmlinux_btf_id("shmem_mkdir", BPF_TRACE_FENTRY);
	__u64 addr = ksyms__addr(&self->syms, "shmem_mkdir");

	ASSERT_LT(0, id);
	ASSERT_NE(0, addr);
	EXPECT_EQ(addr, load_address(id)) TH_LOG("log: %s", log);
}

/* Load the addresses of both functions of a name. Expect those of their symbols. */
TEST_F_TIMEOUT(references, ambiguous_address, 60)
{
	const struct ksym *sym;
	struct ksyms btf_syms;
	size_t cnt;
	int err;

	err = ksyms__read("/proc/kallsyms_btf", &btf_syms);
	if (err == -ENOENT)
		SKIP(return, "for kernels with CONFIG_DEBUG_INFO_BTF_FUNC_ADDR");
	ASSERT_EQ(0, err);
	sym = ksyms__find(&btf_syms, "bpf_iter_detach_map", &cnt);
	ASSERT_EQ(2, cnt);
	for (; cnt; sym++, cnt--) {
		EXPECT_EQ(sym->addr, load_address(sym->type_id))
		{
			TH_LOG("log: %s", log);
		}
	}
	ksyms__free(&btf_syms);
}

/*
 * Close a map that has a pointer to a task. Expect the destructor to be called after a while.
 * (6.12 also calls it when an element of an array is overwritten, newer kernels don't.)
 */
TEST_F_TIMEOUT(references, destructor, 60)
{
	int map_fd, id, tries;
	struct hits *hits;

	map_fd = progs__kptr_map("task_struct");
	ASSERT_LE(0, map_fd) TH_LOG("%s", strerror(-map_fd));
	ASSERT_EQ(0, bpf_map__reuse_fd(self->skel->maps.tasks, map_fd));
	ASSERT_OK(load_alone(self->skel, self->skel->progs.store), "log: %s", log);
	self->skel->bss->pid = getpid();
	ASSERT_EQ(0, test_run(self->skel->progs.store));

	id = libbpf_find_vmlinux_btf_id("bpf_task_release_dtor", BPF_TRACE_FENTRY);
	ASSERT_LT(0, id);
	ASSERT_EQ(0, hits__load(id, NULL, 0, &hits));
	ASSERT_EQ(0, hits__attach(hits));
	EXPECT_EQ(0, hits__count(hits));
	references_bpf__destroy(self->skel);
	self->skel = NULL;
	close(map_fd);
	for (tries = 0; tries < 100 && !hits__count(hits); tries++)
		usleep(100000);
	EXPECT_EQ(1, hits__count(hits));
	EXPECT_EQ(ksyms__addr(&self->syms, "bpf_task_release_dtor"), hits__func_ip(hits));
	hits__free(hits);
}

TEST_HARNESS_MAIN
