// SPDX-License-Identifier: GPL-2.0-only
/*
 * BTF is ordinary everywhere: the file of the kernel or module, the kernel's memory and sysfs have
 * the same bytes. For vmlinux they equal the output of the build's own tools ($LEGACY). The test
 * "address_leaks" compares sysfs with BTF objects, and "btf_verified" has the kernel verify it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "expect.h"

#include "env.h"
#include "file.h"
#include "kmod.h"
#include "ksyms.h"
#include "text.h"
#include "vmsyms.h"

#define FILES "/sys/kernel/btf/"
#define PATH  FILES "vmlinux"

/* Expect the file and $LEGACY to be the same, byte for byte. */
TEST(is_what_btfaddr_calls_ordinary)
{
	size_t file_size, legacy_size;
	const char *path = env__need("LEGACY");
	void *file, *legacy;

	ASSERT_EQ(0, file__read(PATH, &file, &file_size));
	ASSERT_EQ(0, file__read(path, &legacy, &legacy_size));

	ASSERT_EQ(legacy_size, file_size);
	EXPECT_EQ(0, memcmp(legacy, file, file_size));
	free(file);
	free(legacy);
}

/* Read the kernel's memory between two symbols; NULL on errors. The caller frees the result. */
static void *read_between(const struct ksyms *syms, const char *start, const char *stop,
			  __u32 *size)
{
	__u64 first = ksyms__addr(syms, start), last = ksyms__addr(syms, stop);
	void *data;

	if (!first || !last)
		return NULL;
	*size = last - first;
	data = malloc(*size);
	if (data && text__read(first, data, *size)) {
		free(data);
		return NULL;
	}
	return data;
}

FIXTURE(memory) {
	struct vmlinux *vmlinux;
	struct ksyms syms;
};

FIXTURE_SETUP(memory)
{
	const char *why = "";

	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &self->syms));
	ASSERT_OK(vmlinux__open(&self->vmlinux, &why), "%s", why);
}

FIXTURE_TEARDOWN(memory)
{
	vmlinux__close(self->vmlinux);
	ksyms__free(&self->syms);
}

/* Crash-dump tools look for BTF in memory. Expect the bytes of the file in sysfs and of vmlinux. */
TEST_F(memory, btf)
{
	Elf_Data *section = elf_sect__data(vmlinux__elf(self->vmlinux), ".BTF");
	size_t file_size;
	void *data, *file;
	__u32 size;

	data = read_between(&self->syms, "__start_BTF", "__stop_BTF", &size);
	ASSERT_NE(NULL, data);
	ASSERT_EQ(0, file__read(PATH, &file, &file_size));
	ASSERT_EQ(file_size, size);
	EXPECT_EQ(0, memcmp(file, data, size));
	ASSERT_NE(NULL, section);
	ASSERT_EQ(section->d_size, size);
	EXPECT_EQ(0, memcmp(section->d_buf, data, size));
	free(data);
	free(file);
}

/* How many functions of vmlinux have an id? A function may have several names. */
static size_t count_ids(const struct ksyms *btf_syms)
{
	size_t i, cnt = 0;
	__u32 max = 0;
	bool *seen;

	for (i = 0; i < btf_syms->cnt; i++)
		if (btf_syms->syms[i].type_id > max)
			max = btf_syms->syms[i].type_id;
	seen = calloc(max + 1, sizeof(*seen));
	for (i = 0; seen && i < btf_syms->cnt; i++) {
		const struct ksym *s = &btf_syms->syms[i];

		cnt += !s->module && !seen[s->type_id];
		seen[s->type_id] |= !s->module;
	}
	free(seen);
	return cnt;
}

/* Expect the records that the build wrote: 8 bytes for each function, and no more. */
TEST_F(memory, addresses)
{
	Elf_Data *section = elf_sect__data(vmlinux__elf(self->vmlinux), ".BTF_func");
	struct ksyms btf_syms;
	__u32 size;
	void *data;

	data = read_between(&self->syms, "__start_BTF_func", "__stop_BTF_func", &size);
	ASSERT_NE(NULL, data);
	ASSERT_NE(NULL, section);
	ASSERT_EQ(section->d_size, size);
	EXPECT_EQ(0, memcmp(section->d_buf, data, size));
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms_btf", &btf_syms));
	EXPECT_EQ(count_ids(&btf_syms) * 8, size);
	ksyms__free(&btf_syms);
	free(data);
}

/* Like btf__new_split(), which the distribution's libbpf doesn't export. */
static struct btf *new_split(const void *data, __u32 size, struct btf *base)
{
	int fd = memfd_create("btf", MFD_CLOEXEC);
	struct btf *btf = NULL;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd >= 0 && write(fd, data, size) == size)
		btf = btf__parse_raw_split(path, base);
	if (fd >= 0)
		close(fd);
	return btf;
}

/*
 * Does the kernel have the types of a module's BTF with a distilled base? The kernel bases the
 * types on its own BTF, where the types of the base have other ids.
 */
static bool same_types(const Elf_Data *section, const Elf_Data *base, const void *data, __u32 size)
{
	struct btf *vmlinux = btf__parse(PATH, NULL);
	struct btf *distilled = btf__new(base->d_buf, base->d_size);
	struct btf *in_file = new_split(section->d_buf, section->d_size, distilled);
	struct btf *in_kernel = new_split(data, size, vmlinux);
	__u32 i, cnt, first, kernel_first;
	bool same = vmlinux && distilled && in_file && in_kernel;

	first = same ? btf__type_cnt(distilled) : 0;
	kernel_first = same ? btf__type_cnt(vmlinux) : 0;
	cnt = same ? btf__type_cnt(in_file) - first : 0;
	same = cnt && btf__type_cnt(in_kernel) - kernel_first == cnt;
	for (i = 0; same && i < cnt; i++) {
		const struct btf_type *t1 = btf__type_by_id(in_file, first + i);
		const struct btf_type *t2 = btf__type_by_id(in_kernel, kernel_first + i);

		same = t1->info == t2->info &&
		       !strcmp(btf__name_by_offset(in_file, t1->name_off),
			       btf__name_by_offset(in_kernel, t2->name_off));
	}
	btf__free(in_kernel);
	btf__free(in_file);
	btf__free(distilled);
	btf__free(vmlinux);
	return same;
}

/* Expect the same BTF in sysfs as in the module's file. */
TEST(module)
{
	Elf_Data *section, *base;
	size_t image_size, size;
	void *image, *file;
	Elf *elf;

	elf_version(EV_CURRENT);
	ASSERT_EQ(0, kmod__read("kinds", &image, &image_size));
	elf = elf_memory(image, image_size);
	section = elf_sect__data(elf, ".BTF");
	ASSERT_NE(NULL, section);
	ASSERT_EQ(0, kmod__load("kinds", ""));
	EXPECT_EQ(0, file__read(FILES "kinds", &file, &size));
	EXPECT_EQ(0, kmod__unload("kinds"));
	ASSERT_EQ(section->d_size, size);
	base = elf_sect__data(elf, ".BTF.base");
	if (base) {
		EXPECT_TRUE(same_types(section, base, file, size));
	} else {
		EXPECT_EQ(0, memcmp(section->d_buf, file, size));
	}
	elf_end(elf);
	free(image);
	free(file);
}

TEST_HARNESS_MAIN
