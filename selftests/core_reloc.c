// SPDX-License-Identifier: GPL-2.0-only
/* The distribution's libbpf relocates a CO-RE program against the kernel's BTF. */
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "expect.h"

#include "core_reloc.skel.h"

#define COMM "relocated"

FIXTURE(core_reloc) {
	struct core_reloc_bpf *skel;
	struct btf *btf;
};

FIXTURE_SETUP(core_reloc)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	self->skel = core_reloc_bpf__open_and_load();
	ASSERT_NE(NULL, self->skel) TH_LOG("%s", strerror(errno));
	self->btf = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	ASSERT_NE(NULL, self->btf);
	ASSERT_EQ(0, prctl(PR_SET_NAME, COMM));
	ASSERT_EQ(0, bpf_prog_test_run_opts(bpf_program__fd(self->skel->progs.read_task), &opts));
	ASSERT_EQ(0, opts.retval);
}

FIXTURE_TEARDOWN(core_reloc)
{
	btf__free(self->btf);
	core_reloc_bpf__destroy(self->skel);
}

/* The program ran in this process. Expect the process's own ids and name. */
TEST_F(core_reloc, values)
{
	TH_LOG("libbpf %s", libbpf_version_string());
	EXPECT_EQ(getpid(), self->skel->bss->tgid);
	EXPECT_EQ(getppid(), self->skel->bss->parent_tgid);
	EXPECT_STREQ(COMM, self->skel->bss->comm);
}

/* Expect the layout of the kernel's BTF, which differs from the program's. */
TEST_F(core_reloc, layout)
{
	const struct btf_member *m;
	const struct btf_type *t;
	int i, id, found = 0;

	id = btf__find_by_name_kind(self->btf, "task_struct", BTF_KIND_STRUCT);
	ASSERT_LT(0, id);
	t = btf__type_by_id(self->btf, id);
	EXPECT_EQ(t->size, self->skel->bss->size);
	m = btf_members(t);
	for (i = 0; i < btf_vlen(t); i++) {
		if (strcmp(btf__name_by_offset(self->btf, m[i].name_off), "comm"))
			continue;
		EXPECT_EQ(btf_member_bit_offset(t, i) / 8, self->skel->bss->comm_off);
		found++;
	}
	EXPECT_EQ(1, found);
	EXPECT_NE(0, self->skel->bss->comm_off);
}

TEST_HARNESS_MAIN
