// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf_iter_detach_map() exists in kernel/bpf/map_iter.c and, with the same signature, in
 * net/core/bpf_sk_storage.c. Each can be attached to alone.
 *
 * vmlinux's symbol table, which isn't under test, says where the two functions are. The test
 * "sweep" attaches to each ambiguous function alone, and looks at which text is patched.
 */
#include "expect.h"

#include "hits.h"
#include "iters.h"
#include "ksyms.h"
#include "text.h"
#include "vmsyms.h"

#define NAME	    "bpf_iter_detach_map"
#define TIMES	    7 /* this function's events */
#define OTHER_TIMES 5 /* the other one's */

struct instance {
	__u64 addr;
	__u32 btf_id;
};

FIXTURE(instances) {
	struct instance this, other;
	struct vmlinux *vmlinux;
	struct ksyms syms, btf_syms;
	struct iters_bpf *iters;
	struct hits *hits, *other_hits;
};

FIXTURE_VARIANT(instances) {
	const char *this_file, *other_file;
	enum iter_event this_event, other_event;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(instances, map_iter) {
	.this_file = "map_iter.c",
	.other_file = "bpf_sk_storage.c",
	.this_event = ITER_MAP_ELEM,
	.other_event = ITER_SK_STORAGE,
};

FIXTURE_VARIANT_ADD(instances, bpf_sk_storage) {
	.this_file = "bpf_sk_storage.c",
	.other_file = "map_iter.c",
	.this_event = ITER_SK_STORAGE,
	.other_event = ITER_MAP_ELEM,
};
/* clang-format on */

/* The address comes from vmlinux's symbol table, the id from the kernel's. */
static bool find_instance(const struct vmlinux *vmlinux, const struct ksyms *syms,
			  const struct ksyms *btf_syms, const char *file, struct instance *ret)
{
	const struct vmsym *vmsym = vmlinux__find(vmlinux, NAME, file);
	__u64 text = ksyms__addr(syms, "_text");
	const struct ksym *sym;

	if (!vmsym || !text)
		return false;
	ret->addr = text + vmsym->offset;
	sym = ksyms__at(btf_syms, NAME, ret->addr);
	if (!sym)
		return false;
	ret->btf_id = sym->type_id;
	return true;
}

FIXTURE_SETUP(instances)
{
	const char *why = "";

	ASSERT_OK(vmlinux__open(&self->vmlinux, &why), "%s", why);
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &self->syms));
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms_btf", &self->btf_syms));
	ASSERT_TRUE(find_instance(self->vmlinux, &self->syms, &self->btf_syms, variant->this_file,
				  &self->this));
	ASSERT_TRUE(find_instance(self->vmlinux, &self->syms, &self->btf_syms, variant->other_file,
				  &self->other));
	ASSERT_NE(self->this.addr, self->other.addr);
	ASSERT_NE(self->this.btf_id, self->other.btf_id);
	self->iters = iters_bpf__open_and_load();
	ASSERT_NE(NULL, self->iters);
}

FIXTURE_TEARDOWN(instances)
{
	hits__free(self->hits);
	hits__free(self->other_hits);
	iters_bpf__destroy(self->iters);
	ksyms__free(&self->syms);
	ksyms__free(&self->btf_syms);
	vmlinux__close(self->vmlinux);
}

/* Attach to this one. Trigger both. Expect only this one's calls. */
TEST_F_TIMEOUT(instances, fires_alone, 120)
{
	ASSERT_EQ(0, hits__load(self->this.btf_id, NULL, 0, &self->hits));
	ASSERT_EQ(0, hits__attach(self->hits));

	ASSERT_EQ(0, iters__trigger(self->iters, variant->other_event, OTHER_TIMES));
	EXPECT_EQ(0, hits__count(self->hits));
	ASSERT_EQ(0, iters__trigger(self->iters, variant->this_event, TIMES));
	EXPECT_EQ(TIMES, hits__count(self->hits));
	EXPECT_EQ(self->this.addr, hits__func_ip(self->hits));

	hits__detach(self->hits);
	ASSERT_EQ(0, iters__trigger(self->iters, variant->this_event, TIMES));
	EXPECT_EQ(TIMES, hits__count(self->hits));
}

/* Attach to both. Expect each program to see its own function's calls. */
TEST_F_TIMEOUT(instances, both_at_once, 120)
{
	ASSERT_EQ(0, hits__load(self->this.btf_id, NULL, 0, &self->hits));
	ASSERT_EQ(0, hits__load(self->other.btf_id, NULL, 0, &self->other_hits));
	EXPECT_EQ(TEXT_NOP, text__state(self->this.addr));
	ASSERT_EQ(0, hits__attach(self->hits));
	ASSERT_EQ(0, hits__attach(self->other_hits));
	EXPECT_EQ(TEXT_CALL, text__state(self->this.addr));
	EXPECT_EQ(TEXT_CALL, text__state(self->other.addr));

	ASSERT_EQ(0, iters__trigger(self->iters, variant->this_event, TIMES));
	ASSERT_EQ(0, iters__trigger(self->iters, variant->other_event, OTHER_TIMES));
	EXPECT_EQ(TIMES, hits__count(self->hits));
	EXPECT_EQ(OTHER_TIMES, hits__count(self->other_hits));
	EXPECT_EQ(self->this.addr, hits__func_ip(self->hits));
	EXPECT_EQ(self->other.addr, hits__func_ip(self->other_hits));
}

TEST_HARNESS_MAIN
