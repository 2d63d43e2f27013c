// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel with the series, but without CONFIG_DEBUG_INFO_BTF_FUNC_ADDR, works as before: BTF is
 * what pahole wrote, and a name means the first symbol with this name.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "expect.h"

#include "env.h"
#include "hits.h"
#include "kbtf.h"
#include "kmod.h"
#include "ksyms.h"
#include "text.h"

#define AMBIGUOUS "bpf_iter_detach_map"
/* A function of the module "kinds", whose name nothing else has. */
#define STATIC_FUNC "modified"

/* Expect one function per name, nothing that btfaddr adds, and the bytes of the file. */
TEST(btf_is_what_pahole_wrote)
{
	struct btf *btf = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	struct btf *file = btf__parse_elf(env__need("VMLINUX"), NULL);
	__u32 id, size, file_size;
	const void *data, *file_data;
	const char **units;

	ASSERT_NE(NULL, btf);
	id = btf_func__next(btf, 0, AMBIGUOUS);
	EXPECT_NE(0, id);
	EXPECT_EQ(0, btf_func__next(btf, id, AMBIGUOUS));
	units = btf_units__read(btf);
	ASSERT_NE(NULL, units);
	for (id = 1; id < btf__type_cnt(btf); id++)
		EXPECT_EQ(NULL, units[id]);
	free(units);

	ASSERT_NE(NULL, file) TH_LOG("no BTF in $VMLINUX");
	data = btf__raw_data(btf, &size);
	file_data = btf__raw_data(file, &file_size);
	ASSERT_EQ(file_size, size);
	EXPECT_EQ(0, memcmp(file_data, data, size));
	btf__free(file);
	btf__free(btf);
}

/* Expect the interfaces that the option adds to be missing. */
TEST(nothing_is_added)
{
	struct btf *btf = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	const struct btf_member *m;
	const struct btf_type *t;
	int i, id;

	EXPECT_EQ(-1, access("/proc/kallsyms_btf", F_OK));
	EXPECT_EQ(ENOENT, errno);

	ASSERT_NE(NULL, btf);
	id = btf__find_by_name_kind(btf, "kallsym_iter", BTF_KIND_STRUCT);
	ASSERT_LT(0, id);
	t = btf__type_by_id(btf, id);
	for (i = 0, m = btf_members(t); i < btf_vlen(t); i++, m++)
		EXPECT_EQ(NULL, strstr(btf__name_by_offset(btf, m->name_off), "btf"));
	btf__free(btf);
}

/* Attach to a name of two functions. Expect only the text of the first to be patched. */
TEST(ambiguous_name_is_its_first_symbol)
{
	int id = libbpf_find_vmlinux_btf_id(AMBIGUOUS, BPF_TRACE_FENTRY);
	const struct ksym *sym;
	struct ksyms syms;
	struct hits *hits;
	size_t cnt;

	ASSERT_LT(0, id);
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &syms));
	sym = ksyms__find(&syms, AMBIGUOUS, &cnt);
	ASSERT_EQ(2, cnt);
	ASSERT_EQ(0, hits__load(id, NULL, 0, &hits));
	ASSERT_EQ(0, hits__attach(hits));
	EXPECT_EQ(TEXT_CALL, text__state(sym[0].addr));
	EXPECT_EQ(TEXT_NOP, text__state(sym[1].addr));
	hits__detach(hits);
	EXPECT_EQ(TEXT_NOP, text__state(sym[0].addr));
	hits__free(hits);
	ksyms__free(&syms);
}

/*
 * Attach to a static function of a module. Expect the function to be patched. Load a program for it
 * when the module is gone. Expect a refusal.
 */
TEST(module)
{
	struct kbtf_module mod;
	struct ksyms syms;
	struct hits *hits;
	const char *gone;
	__u64 addr;
	int id;

	ASSERT_EQ(0, kbtf__load_module(&mod, "kinds", ""));
	id = kbtf__func(&mod, STATIC_FUNC);
	ASSERT_LT(0, id);
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &syms));
	addr = ksyms__addr(&syms, STATIC_FUNC);
	ksyms__free(&syms);
	ASSERT_NE(0, addr);

	ASSERT_EQ(0, hits__load_for(mod.fd, id, NULL, 0, &hits));
	ASSERT_EQ(0, hits__attach(hits));
	EXPECT_EQ(TEXT_CALL, text__state(addr));
	hits__detach(hits);
	EXPECT_EQ(TEXT_NOP, text__state(addr));
	hits__free(hits);

	/* since 7.3 its prototypes are gone, too, which the log doesn't mention */
	gone = kconfig__base() >= 7 ? "processed 0 insns" :
				      "The address of function " STATIC_FUNC " cannot be found";
	ASSERT_EQ(0, kmod__unload("kinds"));
	EXPECT_EQ(kconfig__base() >= 7 ? -EINVAL : -ENOENT,
		  hits__load_for(mod.fd, id, mod.log, KBTF_LOG_SIZE, &hits));
	EXPECT_OK(strncmp(mod.log, gone, strlen(gone)), "log: %s", mod.log);
	kbtf__close_module(&mod);
}

/*
 * Load a program for an id of vmlinux with the BTF of a module. The module has no FUNC of that
 * name. Expect the module's symbol of the name to be patched, if the compiler kept the name, and
 * never vmlinux's function.
 */
TEST(function_of_the_base)
{
	int id = libbpf_find_vmlinux_btf_id("shmem_mkdir", BPF_TRACE_FENTRY), btf_fd, err;
	struct hits *hits = NULL;
	const struct ksym *sym;
	bool has_one = false;
	struct ksyms syms;
	size_t cnt, i;

	ASSERT_LT(0, id);
	/* a module that has addresses beside its BTF */
	ASSERT_EQ(0, kmod__load("resolver", ""));
	btf_fd = kbtf__open("resolver");
	ASSERT_LE(0, btf_fd);
	err = hits__load_for(btf_fd, id, NULL, 0, &hits);
	if (!err)
		EXPECT_EQ(0, hits__attach(hits));
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &syms));
	sym = ksyms__find(&syms, "shmem_mkdir", &cnt);
	EXPECT_NE(0, cnt);
	for (i = 0; i < cnt; i++) {
		has_one |= !!sym[i].module;
		EXPECT_EQ(sym[i].module ? TEXT_CALL : TEXT_NOP, text__state(sym[i].addr));
	}
	EXPECT_EQ(has_one ? 0 : -ENOENT, err);
	ksyms__free(&syms);
	hits__free(hits);
	close(btf_fd);
	EXPECT_EQ(0, kmod__unload("resolver"));
}

TEST_HARNESS_MAIN
