// SPDX-License-Identifier: GPL-2.0-only
/*
 * tracing_multi, new in Linux 7.3, has one program and one link for many BTF ids. The kernel
 * resolves them like those of other programs. The test "many" checks calls and cookies.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>

#include <bpf/bpf.h>

#include "expect.h"

#include "ksyms.h"
#include "text.h"

#define NAME  "bpf_iter_detach_map"
#define NR    2
#define NO_ID 0xffffe /* no type has it */

/* From the kernel's <linux/bpf.h>. The distribution's headers lack these. */
#define TRACE_FENTRY_MULTI 59
struct link_create {
	__u32 prog_fd, target_fd, attach_type, flags;
	__u64 ids, cookies;
	__u32 cnt;
};

/* bpf_link_info of these links */
struct link_info {
	__u32 type, id, prog_id, pad, attach_type, cnt, btf_obj_id, reserved;
	__u64 ids, addrs, cookies;
};

static int attach(int prog_fd, const __u32 *ids, __u32 cnt)
{
	struct link_create attr = {
		.prog_fd = prog_fd,
		.attach_type = TRACE_FENTRY_MULTI,
		.ids = (unsigned long)ids,
		.cnt = cnt,
	};
	int fd = syscall(__NR_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : fd;
}

FIXTURE(tracing_multi) {
	__u64 addrs[NR];
	__u32 ids[NR];
	int prog_fd, link_fd;
};

/* The test "sweep" compares these addresses and ids with vmlinux's symbol table. */
FIXTURE_SETUP(tracing_multi)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K }, /* r0 = 0 */
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = (enum bpf_attach_type)TRACE_FENTRY_MULTI);
	struct ksyms btf_syms;
	const struct ksym *sym;
	size_t i, cnt;

	self->link_fd = -1;
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms_btf", &btf_syms));
	sym = ksyms__find(&btf_syms, NAME, &cnt);
	ASSERT_EQ(NR, cnt);
	for (i = 0; i < NR; i++) {
		self->addrs[i] = sym[i].addr;
		self->ids[i] = sym[i].type_id;
	}
	ksyms__free(&btf_syms);
	self->prog_fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "multi", "GPL", insns, 2, &opts);
	ASSERT_LE(0, self->prog_fd) TH_LOG("%s", strerror(errno));
}

FIXTURE_TEARDOWN(tracing_multi)
{
	close(self->link_fd);
	close(self->prog_fd);
}

/* Attach to the second function alone. Expect no change in the text of the first. */
TEST_F_TIMEOUT(tracing_multi, one_of_two, 120)
{
	self->link_fd = attach(self->prog_fd, &self->ids[1], 1);
	ASSERT_LE(0, self->link_fd) TH_LOG("%s", strerror(-self->link_fd));
	EXPECT_EQ(TEXT_NOP, text__state(self->addrs[0]));
	EXPECT_EQ(TEXT_CALL, text__state(self->addrs[1]));
}

/* Expect the kernel's own account of the link to have the id, and the function's address. */
TEST_F_TIMEOUT(tracing_multi, info, 120)
{
	__u32 id = 0, len = sizeof(struct link_info);
	__u64 addr = 0;
	struct link_info info = { .ids = (unsigned long)&id,
				  .addrs = (unsigned long)&addr,
				  .cnt = 1 };

	self->link_fd = attach(self->prog_fd, &self->ids[1], 1);
	ASSERT_LE(0, self->link_fd) TH_LOG("%s", strerror(-self->link_fd));
	ASSERT_EQ(0, bpf_obj_get_info_by_fd(self->link_fd, &info, &len))
	TH_LOG("%s", strerror(errno));
	EXPECT_EQ(1, info.cnt);
	EXPECT_EQ(self->ids[1], id);
	/* where the call is, which an endbr64 may precede */
	EXPECT_LE(self->addrs[1], addr);
	EXPECT_GE(self->addrs[1] + 4, addr);
}

/* Attach to a function and to an id that no type has. Expect nothing to be attached. */
TEST_F(tracing_multi, all_or_nothing)
{
	__u32 ids[NR] = { self->ids[0], NO_ID };

	self->link_fd = attach(self->prog_fd, ids, NR);
	EXPECT_GT(0, self->link_fd);
	EXPECT_EQ(TEXT_NOP, text__state(self->addrs[0]));
}

TEST_HARNESS_MAIN
