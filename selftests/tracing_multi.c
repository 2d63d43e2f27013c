// SPDX-License-Identifier: GPL-2.0-only
/*
 * tracing_multi, new in Linux 7.3, has one program and one link for many BTF ids. The kernel
 * resolves these as it does those of other programs. With a link on both bpf_iter_detach_map(),
 * the cookies tell which of the two has run.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>

#include <bpf/bpf.h>

#include "expect.h"

#include "iters.h"
#include "ksyms.h"
#include "text.h"
#include "vmsyms.h"

#define NAME  "bpf_iter_detach_map"
#define NR    2
#define NO_ID 0xffffe /* no type has it */

/* As in the kernel's <linux/bpf.h>, which headers of the distribution don't have. */
#define TRACE_FENTRY_MULTI 59
struct link_create {
	__u32 prog_fd, target_fd, attach_type, flags;
	__u64 ids, cookies;
	__u32 cnt;
};

static const struct {
	const char *file;
	enum iter_event event;
	unsigned int times;
} instances[NR] = {
	{ "map_iter.c", ITER_MAP_ELEM, 7 },
	{ "bpf_sk_storage.c", ITER_SK_STORAGE, 5 },
};

/* What the program has seen with one cookie. */
struct seen {
	__u64 hits, func_ip;
};

/* seen[cookie].hits++, seen[cookie].func_ip = bpf_get_func_ip() */
static int load_counter(int map_fd)
{
	const struct bpf_insn insns[] = {
		{ .code = 0xbf, .dst_reg = 6, .src_reg = 1 }, /* r6 = ctx */
		{ .code = 0x85, .imm = BPF_FUNC_get_attach_cookie },
		{ .code = 0x63, .dst_reg = 10, .src_reg = 0, .off = -4 }, /* key = cookie */
		{ .code = 0xbf, .dst_reg = 1, .src_reg = 6 },
		{ .code = 0x85, .imm = BPF_FUNC_get_func_ip },
		{ .code = 0xbf, .dst_reg = 7, .src_reg = 0 }, /* r7 = ip */
		{ .code = 0x18, .dst_reg = 1, .src_reg = BPF_PSEUDO_MAP_FD, .imm = map_fd },
		{},
		{ .code = 0xbf, .dst_reg = 2, .src_reg = 10 },
		{ .code = 0x07, .dst_reg = 2, .imm = -4 }, /* r2 = &key */
		{ .code = 0x85, .imm = BPF_FUNC_map_lookup_elem },
		{ .code = 0x15, .dst_reg = 0, .off = 3 },		/* if !r0 */
		{ .code = 0x7b, .dst_reg = 0, .src_reg = 7, .off = 8 }, /* r0->func_ip = r7 */
		{ .code = 0xb7, .dst_reg = 1, .imm = 1 },
		{ .code = 0xdb, .dst_reg = 0, .src_reg = 1 }, /* lock r0->hits += 1 */
		{ .code = 0xb7, .dst_reg = 0 },
		{ .code = 0x95 },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = (enum bpf_attach_type)TRACE_FENTRY_MULTI);

	return bpf_prog_load(BPF_PROG_TYPE_TRACING, "multi", "GPL", insns,
			     sizeof(insns) / sizeof(insns[0]), &opts);
}

static int attach(int prog_fd, const __u32 *ids, const __u64 *cookies, __u32 cnt)
{
	struct link_create attr = {
		.prog_fd = prog_fd,
		.attach_type = TRACE_FENTRY_MULTI,
		.ids = (unsigned long)ids,
		.cookies = (unsigned long)cookies,
		.cnt = cnt,
	};
	int fd = syscall(__NR_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : fd;
}

FIXTURE(tracing_multi) {
	__u64 addrs[NR];
	__u32 ids[NR];
	struct iters *iters;
	int map_fd, prog_fd, link_fd;
};

/* The addresses come from vmlinux's symbol table, the ids from the kernel's. */
FIXTURE_SETUP(tracing_multi)
{
	struct ksyms syms, btf_syms;
	struct vmlinux *vmlinux;
	const char *why = "";
	int i;

	self->link_fd = -1;
	ASSERT_OK(vmlinux__open(&vmlinux, &why), "%s", why);
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &syms));
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms_btf", &btf_syms));
	for (i = 0; i < NR; i++) {
		const struct vmsym *vmsym = vmlinux__find(vmlinux, NAME, instances[i].file);
		const struct ksym *sym;

		ASSERT_NE(NULL, vmsym);
		ASSERT_NE(0, ksyms__text(&syms));
		self->addrs[i] = ksyms__text(&syms) + vmsym->offset;
		sym = ksyms__at(&btf_syms, NAME, self->addrs[i]);
		ASSERT_NE(NULL, sym);
		self->ids[i] = sym->type_id;
	}
	ksyms__free(&syms);
	ksyms__free(&btf_syms);
	vmlinux__close(vmlinux);
	ASSERT_EQ(0, iters__open(&self->iters));
	self->map_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, NULL, sizeof(__u32), sizeof(struct seen),
				      NR, NULL);
	ASSERT_LE(0, self->map_fd);
	self->prog_fd = load_counter(self->map_fd);
	ASSERT_LE(0, self->prog_fd) TH_LOG("%s", strerror(errno));
}

FIXTURE_TEARDOWN(tracing_multi)
{
	iters__close(self->iters);
	close(self->link_fd);
	close(self->prog_fd);
	close(self->map_fd);
}

/* Attach to both. Trigger one after the other. Expect each with its cookie and its address. */
TEST_F_TIMEOUT(tracing_multi, both_with_their_cookies, 120)
{
	static const __u64 cookies[NR] = { 0, 1 };
	struct seen seen;
	__u32 i, k;

	self->link_fd = attach(self->prog_fd, self->ids, cookies, NR);
	ASSERT_LE(0, self->link_fd) TH_LOG("%s", strerror(-self->link_fd));
	for (i = 0; i < NR; i++)
		EXPECT_EQ(TEXT_CALL, text__state(self->addrs[i]));
	for (i = 0; i < NR; i++) {
		ASSERT_EQ(0, iters__trigger(self->iters, instances[i].event, instances[i].times));
		for (k = 0; k < NR; k++) {
			ASSERT_EQ(0, bpf_map_lookup_elem(self->map_fd, &k, &seen));
			EXPECT_EQ(k <= i ? instances[k].times : 0, seen.hits);
			EXPECT_EQ(k <= i ? self->addrs[k] : 0, seen.func_ip);
		}
	}
	close(self->link_fd);
	for (i = 0; i < NR; i++)
		EXPECT_EQ(TEXT_NOP, text__state(self->addrs[i]));
}

/* Attach to the second alone. Expect the first's text as it was. */
TEST_F_TIMEOUT(tracing_multi, one_of_two, 120)
{
	struct seen seen;
	__u32 key = 0;

	self->link_fd = attach(self->prog_fd, &self->ids[1], NULL, 1);
	ASSERT_LE(0, self->link_fd) TH_LOG("%s", strerror(-self->link_fd));
	EXPECT_EQ(TEXT_NOP, text__state(self->addrs[0]));
	EXPECT_EQ(TEXT_CALL, text__state(self->addrs[1]));
	ASSERT_EQ(0, iters__trigger(self->iters, ITER_MAP_ELEM, 3));
	ASSERT_EQ(0, iters__trigger(self->iters, ITER_SK_STORAGE, 4));
	ASSERT_EQ(0, bpf_map_lookup_elem(self->map_fd, &key, &seen));
	EXPECT_EQ(4, seen.hits);
	EXPECT_EQ(self->addrs[1], seen.func_ip);
}

/* Attach to a function and to an id that no type has. Expect nothing to be attached. */
TEST_F(tracing_multi, all_or_nothing)
{
	__u32 ids[NR] = { self->ids[0], NO_ID };

	self->link_fd = attach(self->prog_fd, ids, NULL, NR);
	EXPECT_GT(0, self->link_fd);
	EXPECT_EQ(TEXT_NOP, text__state(self->addrs[0]));
}

TEST_HARNESS_MAIN
