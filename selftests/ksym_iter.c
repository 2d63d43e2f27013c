// SPDX-License-Identifier: GPL-2.0-only
/* The ksym iterator has BTF ids for the same symbols as /proc/kallsyms_btf, and for no others. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "expect.h"

#include "kmod.h"
#include "ksym_iter.skel.h"
#include "ksyms.h"

#define MODULE "resolver" /* its functions have ids, too */

FIXTURE(ksym_iter) {
	struct ksym_iter_bpf *skel;
	struct ksyms proc, iter;
};

FIXTURE_SETUP(ksym_iter)
{
	self->skel = ksym_iter_bpf__open_and_load();
	ASSERT_NE(NULL, self->skel);
	ASSERT_EQ(0, kmod__load(MODULE, ""));
}

FIXTURE_TEARDOWN(ksym_iter)
{
	ksyms__free(&self->proc);
	ksyms__free(&self->iter);
	EXPECT_EQ(0, kmod__unload(MODULE));
	ksym_iter_bpf__destroy(self->skel);
}

TEST_F_TIMEOUT(ksym_iter, same_as_proc_file, 120)
{
	size_t i, modules = 0;
	struct bpf_link *link;
	int fd;

	link = bpf_program__attach_iter(self->skel->progs.print_functions, NULL);
	ASSERT_NE(NULL, link);
	fd = bpf_iter_create(bpf_link__fd(link));
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ksyms__read_fd(fd, true, &self->iter));
	close(fd);
	bpf_link__destroy(link);

	ASSERT_EQ(0, ksyms__read("/proc/kallsyms_btf", &self->proc));
	ASSERT_LT(0, self->proc.cnt);
	ASSERT_EQ(self->proc.cnt, self->iter.cnt);
	for (i = 0; i < self->proc.cnt; i++) {
		const struct ksym *want = &self->proc.syms[i], *got = &self->iter.syms[i];

		ASSERT_STREQ(want->name, got->name);
		ASSERT_STREQ(want->module ?: "", got->module ?: "");
		ASSERT_EQ(want->addr, got->addr);
		ASSERT_EQ(want->type, got->type);
		ASSERT_EQ(want->obj_id, got->obj_id);
		ASSERT_EQ(want->type_id, got->type_id);
		modules += ksym__is_of(want, MODULE);
	}
	EXPECT_LT(0, modules);
	TH_LOG("%zu functions, %zu of a module", self->iter.cnt, modules);
}

TEST_HARNESS_MAIN
