// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two names of one address are two BTF functions, but there is only one place to patch. With a
 * program on each, either both work, or the second one is refused and does no harm. The order
 * doesn't matter.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "kselftest_harness.h"

#include "hits.h"
#include "kbtf.h"
#include "kconfig.h"
#include "kmod.h"
#include "ksyms.h"
#include "sites.h"
#include "text.h"

#define MODULE "resolver"

struct name {
	const struct ksym *sym;
	struct hits *hits;
};

FIXTURE(aliases) {
	struct name first, second;
	struct ksyms btf_syms;
	int btf_fd;			/* the BTF object that has both */
	bool loaded;			/* the module */
};

FIXTURE_VARIANT(aliases) {
	bool module;			/* its functions, which can be called */
	bool swap;
};

FIXTURE_VARIANT_ADD(aliases, vmlinux) { };

FIXTURE_VARIANT_ADD(aliases, vmlinux_swapped) {
	.swap = true,
};

FIXTURE_VARIANT_ADD(aliases, module) {
	.module = true,
};

FIXTURE_VARIANT_ADD(aliases, module_swapped) {
	.module = true,
	.swap = true,
};

static int cmp_places(const void *a, const void *b)
{
	const struct ksym *x = *(const struct ksym **)a;
	const struct ksym *y = *(const struct ksym **)b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* Find two functions of one address that ftrace can trace; false if there are none. */
static bool find_pair(const struct ksyms *btf_syms, const struct sites *sites,
		      struct name *first, struct name *second)
{
	const struct ksym **syms = calloc(btf_syms->cnt, sizeof(*syms));
	bool found = false;
	size_t i;

	for (i = 0; syms && i < btf_syms->cnt; i++)
		syms[i] = &btf_syms->syms[i];
	if (syms)
		qsort(syms, btf_syms->cnt, sizeof(*syms), cmp_places);
	for (i = 1; syms && i < btf_syms->cnt && !found; i++) {
		found = syms[i]->addr == syms[i - 1]->addr &&
			!syms[i]->module && sites__has(sites, syms[i]->addr);
		first->sym = syms[i - 1];
		second->sym = syms[i];
	}
	free(syms);
	return found;
}

static bool find_in_vmlinux(const struct ksyms *btf_syms, struct name *first,
			    struct name *second)
{
	struct sites sites = {};
	struct ksyms syms;
	bool found;

	if (ksyms__read("/proc/kallsyms", &syms))
		return false;
	found = !sites__read(&syms, NULL, &sites) &&
		find_pair(btf_syms, &sites, first, second);
	sites__free(&sites);
	ksyms__free(&syms);
	return found;
}

static bool find_in_module(const struct ksyms *btf_syms, struct name *first,
			   struct name *second)
{
	size_t cnt;

	first->sym = ksyms__find(btf_syms, "right", &cnt);
	second->sym = ksyms__find(btf_syms, "alias", &cnt);
	return first->sym && second->sym;
}

FIXTURE_SETUP(aliases)
{
	struct name tmp;

	libbpf_set_print(NULL);
	if (variant->module) {
		ASSERT_EQ(0, kmod__load(MODULE, ""));
		self->loaded = true;
	}
	EXPECT_EQ(0, ksyms__read("/proc/kallsyms_btf", &self->btf_syms));
	self->btf_fd = kbtf__open(variant->module ? MODULE : "vmlinux");
	EXPECT_LE(0, self->btf_fd);
	EXPECT_TRUE(variant->module ?
		    find_in_module(&self->btf_syms, &self->first, &self->second) :
		    find_in_vmlinux(&self->btf_syms, &self->first, &self->second));
	if (variant->swap) {
		tmp = self->first;
		self->first = self->second;
		self->second = tmp;
	}
}

FIXTURE_TEARDOWN(aliases)
{
	hits__free(self->first.hits);
	hits__free(self->second.hits);
	ksyms__free(&self->btf_syms);
	if (self->btf_fd >= 0)
		close(self->btf_fd);
	if (self->loaded)
		EXPECT_EQ(0, kmod__unload(MODULE));
}

static int load(struct name *name, int btf_fd)
{
	return hits__load_for(btf_fd, name->sym->type_id, NULL, 0, &name->hits);
}

/*
 * Call the function, if it is the module's, and expect that @first and @second have
 * counted so many calls of it more.
 */
#define EXPECT_CALLS(want_first, want_second) do {			\
	__u64 _first = hits__count(self->first.hits);			\
	__u64 _second = hits__count(self->second.hits);			\
									\
	if (!variant->module)						\
		break;							\
	ASSERT_EQ(0, kmod__write_param(MODULE, "call", "1\n"));		\
	EXPECT_EQ(_first + (want_first), hits__count(self->first.hits));	\
	EXPECT_EQ(_second + (want_second), hits__count(self->second.hits)); \
} while (0)

/*
 * Attach to the first name, then to the second. Detach in the same order. Expect
 * each program to count while it's attached, and the text to be as it was in the end.
 */
TEST_F_TIMEOUT(aliases, both, 60)
{
	__u64 addr = self->first.sym->addr;
	int err;

	TH_LOG("%s and %s", self->first.sym->name, self->second.sym->name);
	ASSERT_NE(self->first.sym->type_id, self->second.sym->type_id);
	ASSERT_EQ(addr, self->second.sym->addr);
	ASSERT_EQ(0, load(&self->first, self->btf_fd));
	ASSERT_EQ(0, load(&self->second, self->btf_fd));
	ASSERT_EQ(TEXT_NOP, text__state(addr));

	ASSERT_EQ(0, hits__attach(self->first.hits));
	EXPECT_EQ(TEXT_CALL, text__state(addr));
	EXPECT_CALLS(1, 0);
	err = hits__attach(self->second.hits);
	if (err) {
		ASSERT_EQ(kconfig__has("CONFIG_HAVE_SINGLE_FTRACE_DIRECT_OPS") ? -EINVAL : -EBUSY,
			  err);
		TH_LOG("the second is refused");
	}
	EXPECT_EQ(TEXT_CALL, text__state(addr));
	EXPECT_CALLS(1, err ? 0 : 1);

	hits__detach(self->first.hits);
	if (err) {
		EXPECT_EQ(TEXT_NOP, text__state(addr));
		ASSERT_EQ(0, hits__attach(self->second.hits));
	}
	EXPECT_EQ(TEXT_CALL, text__state(addr));
	EXPECT_CALLS(0, 1);
	hits__detach(self->second.hits);
	EXPECT_EQ(TEXT_NOP, text__state(addr));
	EXPECT_CALLS(0, 0);
}

TEST_HARNESS_MAIN
