// SPDX-License-Identifier: GPL-2.0-only
/*
 * BTF is ordinary everywhere: the file of the kernel or module, the kernel's memory, BTF objects
 * and sysfs have the same bytes. For vmlinux they equal the output of the build's own tools
 * ($LEGACY). The test "btf_verified" has the kernel verify it.
 *
 * No address leaves the kernel with its BTF: neither where a function is, nor how far it is from
 * _text.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "expect.h"

#include "env.h"
#include "file.h"
#include "kbtf.h"
#include "kmod.h"
#include "ksyms.h"
#include "text.h"
#include "vmsyms.h"

#define FILES  "/sys/kernel/btf/"
#define PATH   FILES "vmlinux"
#define MODULE "names"

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
	struct ksyms syms, btf_syms;
	__u64 *addrs; /* of all text symbols, sorted */
	size_t cnt;
	__u64 text;
};

typedef FIXTURE_DATA(memory) memory_t;

FIXTURE_SETUP(memory)
{
	const char *why = "";
	size_t i;

	ASSERT_OK(vmlinux__open(&self->vmlinux, &why), "%s", why);
	ASSERT_EQ(0, kmod__load(MODULE, ""));
	EXPECT_EQ(0, ksyms__read("/proc/kallsyms", &self->syms));
	EXPECT_EQ(0, ksyms__read("/proc/kallsyms_btf", &self->btf_syms));
	self->text = ksyms__addr(&self->syms, "_text");
	EXPECT_NE(0, self->text);

	self->addrs = calloc(self->syms.cnt, sizeof(*self->addrs));
	for (i = 0; self->addrs && i < self->syms.cnt; i++)
		if (ksym__is_text(&self->syms.syms[i]))
			self->addrs[self->cnt++] = self->syms.syms[i].addr;
	qsort(self->addrs, self->cnt, sizeof(*self->addrs), sorted__cmp_addrs);
	EXPECT_LT(0, self->cnt);
}

FIXTURE_TEARDOWN(memory)
{
	free(self->addrs);
	ksyms__free(&self->syms);
	ksyms__free(&self->btf_syms);
	EXPECT_EQ(0, kmod__unload(MODULE));
	vmlinux__close(self->vmlinux);
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
	__u32 size;
	void *data;

	data = read_between(&self->syms, "__start_BTF_func", "__stop_BTF_func", &size);
	ASSERT_NE(NULL, data);
	ASSERT_NE(NULL, section);
	ASSERT_EQ(section->d_size, size);
	EXPECT_EQ(0, memcmp(section->d_buf, data, size));
	EXPECT_EQ(count_ids(&self->btf_syms) * 8, size);
	free(data);
}

static bool is_function(const memory_t *self, __u64 addr)
{
	return addr >= self->addrs[0] && addr <= self->addrs[self->cnt - 1] &&
	       sorted__has_addr(self->addrs, self->cnt, addr);
}

/* How often the data has the address of a function, at any offset. */
static size_t count_addresses(const memory_t *self, const char *data, __u32 size)
{
	size_t n = 0;
	__u64 value;
	__u32 off;

	for (off = 0; off + sizeof(value) <= size; off++) {
		memcpy(&value, data + off, sizeof(value));
		n += is_function(self, value);
	}
	return n;
}

/* How often a FUNC is followed by the offset of a function from _text. */
static size_t count_offsets(const memory_t *self, const char *data, __u32 size)
{
	struct {
		struct btf_type type;
		__u64 addr;
	} __attribute__((packed)) record;
	size_t n = 0;
	__u32 off;

	for (off = 0; off + sizeof(record) <= size; off += sizeof(__u32)) {
		memcpy(&record, data + off, sizeof(record));
		n += BTF_INFO_KIND(record.type.info) == BTF_KIND_FUNC &&
		     record.addr <= UINT32_MAX && is_function(self, self->text + record.addr);
	}
	return n;
}

/*
 * How often eight function records stand in a row, sorted by address. BTF may have the numbers of
 * four records by chance, because many addresses are multiples of 16.
 */
static size_t count_records(const memory_t *self, const char *data, __u32 size)
{
	struct {
		__u32 addr, idx;
	} records[8];
	size_t n = 0, i;
	__u32 off;

	for (off = 0; off + sizeof(records) <= size; off += sizeof(__u32)) {
		memcpy(records, data + off, sizeof(records));
		for (i = 0; i < ARRAY_SIZE(records); i++)
			if (!is_function(self, self->text + records[i].addr) ||
			    (i && records[i].addr <= records[i - 1].addr))
				break;
		n += i == ARRAY_SIZE(records);
	}
	return n;
}

/* Write a FUNC with the offset of a function, as in extended BTF. */
static void plant_offset(const memory_t *self, char *planted, size_t nr)
{
	struct btf_type type = { .info = (__u32)BTF_KIND_FUNC << 24 | 1U << 31 };
	__u64 addr = self->addrs[nr] - self->text;

	memcpy(planted, &type, sizeof(type));
	memcpy(planted + sizeof(type), &addr, sizeof(addr));
}

/* Expect these searches to find the records in the file, and each address that is planted. */
TEST_F_TIMEOUT(memory, addresses_would_be_found, 60)
{
	Elf_Data *records = elf_sect__data(vmlinux__elf(self->vmlinux), ".BTF_func");
	size_t i, listed = 0;
	char planted[64] = {};

	ASSERT_NE(NULL, records);
	for (i = 0; i < self->btf_syms.cnt; i++)
		listed += !self->btf_syms.syms[i].module;
	ASSERT_LT(0, listed);
	/* not as many as there are functions: some have aliases */
	EXPECT_LE(listed / 2, count_records(self, records->d_buf, records->d_size));

	EXPECT_EQ(0, count_addresses(self, planted, sizeof(planted)));
	for (i = 0; i < self->cnt; i++) {
		memcpy(planted + 13, &self->addrs[i], sizeof(self->addrs[i]));
		ASSERT_EQ(1, count_addresses(self, planted, sizeof(planted)));
	}
	memset(planted, 0, sizeof(planted));
	EXPECT_EQ(0, count_offsets(self, planted, sizeof(planted)));
	plant_offset(self, planted + 4, self->cnt / 2);
	EXPECT_EQ(1, count_offsets(self, planted, sizeof(planted)));
}

/* Expect no addresses in any BTF object of the kernel, and the object's bytes in its file. */
TEST_F_TIMEOUT(memory, objects_and_files, 60)
{
	char name[KBTF_NAME_LEN], path[sizeof(FILES) + KBTF_NAME_LEN];
	void *data, *file;
	int fd, modules = 0;
	__u32 id = 0, size;
	size_t file_size;

	while ((fd = kbtf__next(&id, name)) >= 0) {
		ASSERT_EQ(0, kbtf__read(fd, &data, &size));
		close(fd);
		EXPECT_EQ(0, count_addresses(self, data, size));
		EXPECT_EQ(0, count_offsets(self, data, size));
		EXPECT_EQ(0, count_records(self, data, size));
		snprintf(path, sizeof(path), FILES "%s", name);
		ASSERT_EQ(0, file__read(path, &file, &file_size));
		EXPECT_TRUE(file_size == size && !memcmp(file, data, size));
		TH_LOG("%s: %u bytes", name, size);
		modules += !strcmp(name, MODULE);
		free(file);
		free(data);
	}
	EXPECT_EQ(-ENOENT, fd);
	EXPECT_EQ(1, modules);
}

/*
 * Expect the same BTF in sysfs as in the module's file. This module has no distilled base, with
 * which the kernel would give the types of the base other ids.
 */
TEST_F(memory, module)
{
	size_t image_size, size;
	void *image, *file;
	Elf_Data *section;
	Elf *elf;

	ASSERT_EQ(0, kmod__read(MODULE, &image, &image_size));
	elf = elf_memory(image, image_size);
	section = elf_sect__data(elf, ".BTF");
	ASSERT_NE(NULL, section);
	ASSERT_EQ(0, file__read(FILES MODULE, &file, &size));
	ASSERT_EQ(section->d_size, size);
	EXPECT_EQ(NULL, elf_sect__data(elf, ".BTF.base"));
	EXPECT_EQ(0, memcmp(section->d_buf, file, size));
	elf_end(elf);
	free(image);
	free(file);
}

TEST_HARNESS_MAIN
