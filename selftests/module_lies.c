// SPDX-License-Identifier: GPL-2.0
/*
 * Modules whose .BTF or .rela.BTF lies. Nothing may come of it but a refusal, or,
 * under CONFIG_MODULE_ALLOW_BTF_MISMATCH, a module without BTF, and a line in the
 * kernel's log.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/btf.h>

#include "kselftest_harness.h"

#include "kbtf.h"
#include "kconfig.h"
#include "kmod.h"

#define MODULE "kinds"
#define MAX_RECORD 8192

/* The file in memory, and what is lied about. */
struct image {
	void *data;
	size_t size;
	Elf64_Shdr *btf, *rela_btf, *symtab;
	Elf64_Rela *relas;
	Elf64_Sym *syms;
};

static Elf64_Shdr *find_section(const struct image *im, const char *name)
{
	Elf64_Ehdr *ehdr = im->data;
	Elf64_Shdr *shdrs = im->data + ehdr->e_shoff;
	const char *names = im->data + shdrs[ehdr->e_shstrndx].sh_offset;
	int i;

	for (i = 1; i < ehdr->e_shnum; i++)
		if (!strcmp(names + shdrs[i].sh_name, name))
			return &shdrs[i];
	return NULL;
}

static int find_parts(struct image *im)
{
	im->btf = find_section(im, ".BTF");
	im->rela_btf = find_section(im, ".rela.BTF");
	im->symtab = find_section(im, ".symtab");
	if (!im->btf || !im->rela_btf || !im->symtab)
		return -ENOENT;
	im->relas = im->data + im->rela_btf->sh_offset;
	im->syms = im->data + im->symtab->sh_offset;
	return 0;
}

static int read_image(struct image *im)
{
	int err = kmod__read(MODULE, &im->data, &im->size);

	return err ?: find_parts(im);
}

static int copy_image(const struct image *from, struct image *to)
{
	to->data = malloc(from->size);
	if (!to->data)
		return -ENOMEM;
	memcpy(to->data, from->data, from->size);
	to->size = from->size;
	return find_parts(to);
}

static void set_symbol(struct image *im, Elf64_Word sym)
{
	im->relas[0].r_info = ELF64_R_INFO(sym, R_X86_64_64);
}

/* A symbol of a section, 0 if there is none. */
static Elf64_Word symbol_in(const struct image *im, const char *section)
{
	const Elf64_Shdr *shdrs = im->data + ((Elf64_Ehdr *)im->data)->e_shoff;
	Elf64_Word i;

	for (i = 1; i < im->symtab->sh_size / sizeof(*im->syms); i++)
		if (im->syms[i].st_shndx < SHN_LORESERVE &&
		    &shdrs[im->syms[i].st_shndx] == find_section(im, section))
			return i;
	return 0;
}

static void outside(struct image *im)
{
	im->relas[0].r_offset = im->btf->sh_size - 4;
}

static void far_outside(struct image *im)
{
	im->relas[0].r_offset = -8ULL;
}

static void no_symbol(struct image *im)
{
	set_symbol(im, 0);
}

static void symbol_outside(struct image *im)
{
	set_symbol(im, im->symtab->sh_size / sizeof(*im->syms));
}

static void at_data(struct image *im)
{
	set_symbol(im, symbol_in(im, ".bss") ?: symbol_in(im, ".rodata"));
}

static void at_init_text(struct image *im)
{
	set_symbol(im, symbol_in(im, ".init.text"));
}

static void behind_text(struct image *im)
{
	im->relas[0].r_addend = 1 << 20;
}

static void unknown_type(struct image *im)
{
	im->relas[0].r_info = ELF64_R_INFO(ELF64_R_SYM(im->relas[0].r_info), 200);
}

static void no_relocation(struct image *im)
{
	im->relas[0].r_info = ELF64_R_INFO(0, R_X86_64_NONE);
}

static void one_missing(struct image *im)
{
	im->rela_btf->sh_size -= sizeof(Elf64_Rela);
}

static void all_missing(struct image *im)
{
	im->rela_btf->sh_type = SHT_PROGBITS;
}

/* The place is not that of a record: x86 insists that it is zero in the file. */
static void misplaced(struct image *im)
{
	im->relas[0].r_offset = 0;
}

static void twice(struct image *im)
{
	im->relas[1].r_offset = im->relas[0].r_offset;
}

static void other_symbols(struct image *im)
{
	im->rela_btf->sh_link = 0;
}

/* Nobody compares the size of such a section with that of the file. */
static void no_content(struct image *im)
{
	im->btf->sh_type = SHT_NOBITS;
	im->btf->sh_size = 1ULL << 40;
	im->relas[0].r_offset = 1ULL << 39;
}

static void btf_cut_short(struct image *im)
{
	im->btf->sh_size -= 4;
}

static void btf_header_only(struct image *im)
{
	im->btf->sh_size = sizeof(struct btf_header);
}

static void btf_no_types(struct image *im)
{
	struct btf_header *hdr = im->data + im->btf->sh_offset;

	hdr->type_len = 0;
}

/* Type ids continue those of vmlinux: another vmlinux has others. */
static void other_vmlinux(struct image *im)
{
	struct btf_header *hdr = im->data + im->btf->sh_offset;
	struct btf_type *t = (void *)(hdr + 1) + hdr->type_off;

	t->name_off = 0x7ffffff0;
}

static const struct lie {
	const char *name;
	void (*tell)(struct image *im);
	const char *log;	/* what the kernel says; beside the module's name */
	bool any_btf;		/* bad in BTF without addresses, too */
} lies[] = {
	{ "relocation across the end of .BTF", outside, "outside of .BTF" },
	{ "relocation far outside of .BTF", far_outside, "outside of .BTF" },
	{ "relocation against no symbol", no_symbol, "not against a function" },
	{ "relocation against a symbol outside of the table", symbol_outside,
	  "not against a function" },
	{ "relocation against data", at_data, "not against a function" },
	{ "relocation against init text", at_init_text, "not against a function" },
	{ "relocation behind the text", behind_text, "not against a function" },
	{ "relocation of an unknown type", unknown_type, "" },
	{ "relocation of no type", no_relocation, "" },
	{ "one relocation missing", one_missing, "not in the module's text" },
	{ "no relocations", all_missing, "not in the module's text" },
	{ "relocation of the header", misplaced, "" },
	{ "place relocated twice", twice, "" },
	{ "relocations of another symbol table", other_symbols,
	  "not the relocations of this module" },
	{ "relocation in .BTF without content", no_content, "no content" },
	{ "BTF cut short", btf_cut_short, "", true },
	{ "BTF without types and strings", btf_header_only, "", true },
	{ "BTF without types", btf_no_types, "", true },
	{ "BTF for another vmlinux", other_vmlinux, "", true },
};

/* The kernel's log from here on. */
static int open_log(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

/* Is there a record with the module's name and @text? */
static bool log_has(int fd, const char *text, char *seen, size_t size)
{
	char record[MAX_RECORD];
	bool found = false;
	size_t used = 0;
	ssize_t len;

	*seen = '\0';
	while ((len = read(fd, record, sizeof(record) - 1)) > 0 || errno == EPIPE) {
		if (len <= 0)
			continue;
		record[len] = '\0';
		found |= strstr(record, MODULE) && strstr(record, text);
		used += snprintf(seen + used, used < size ? size - used : 0, "%s", record);
	}
	return found;
}

static bool has_btf(void)
{
	int fd = kbtf__open(MODULE);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static void tell(struct __test_metadata *_metadata, const struct image *truth,
		 const struct lie *lie)
{
	bool mismatch = kconfig__has("CONFIG_MODULE_ALLOW_BTF_MISMATCH");
	static char seen[65536];
	struct image im;
	int err, log;

	log = open_log();
	ASSERT_LE(0, log);
	ASSERT_EQ(0, copy_image(truth, &im));
	lie->tell(&im);
	err = kmod__load_image(im.data, im.size);
	free(im.data);
	if (mismatch) {
		EXPECT_EQ(0, err);
		EXPECT_FALSE(has_btf());
	} else {
		EXPECT_GT(0, err);
	}
	/* with that option btf.c says once that there are mismatches, not for each */
	EXPECT_TRUE((mismatch && lie->any_btf) || log_has(log, lie->log, seen, sizeof(seen)))
		TH_LOG("log: %s", seen);
	TH_LOG("%s: %s", lie->name, err ? strerror(-err) : "loads, without BTF");
	if (!err)
		EXPECT_EQ(0, kmod__unload(MODULE));
	close(log);
}

FIXTURE(module) {
	struct image im;
};

FIXTURE_SETUP(module)
{
	ASSERT_EQ(0, read_image(&self->im));
}

FIXTURE_TEARDOWN(module)
{
	free(self->im.data);
}

TEST_F_TIMEOUT(module, lies, 120)
{
	size_t i;

	for (i = 0; i < sizeof(lies) / sizeof(*lies); i++)
		tell(_metadata, &self->im, &lies[i]);
}

/* The same file, without a lie. */
TEST_F(module, truth)
{
	ASSERT_EQ(0, kmod__load_image(self->im.data, self->im.size));
	EXPECT_TRUE(has_btf());
	EXPECT_EQ(0, kmod__unload(MODULE));
}

/* Change up to four bytes of a section. */
static void mutate(struct image *im, const Elf64_Shdr *shdr, unsigned int *seed)
{
	__u8 *bytes = im->data + shdr->sh_offset;
	int i, nr = 1 + rand_r(seed) % 4;

	for (i = 0; i < nr; i++)
		bytes[rand_r(seed) % shdr->sh_size] = rand_r(seed);
}

/*
 * $MUTATIONS files with bytes changed at random, the same ones each time. Whether
 * one loads is not for this test to know; that the kernel survives it is.
 */
TEST_F_TIMEOUT(module, mutations, 3600)
{
	unsigned int i, refused = 0, nr = atoi(getenv("MUTATIONS") ?: "100");
	struct image im;
	int err;

	for (i = 0; i < nr; i++) {
		unsigned int seed = i;

		ASSERT_EQ(0, copy_image(&self->im, &im));
		mutate(&im, i & 1 ? im.btf : im.rela_btf, &seed);
		err = kmod__load_image(im.data, im.size);
		refused += err || !has_btf();
		if (!err)
			ASSERT_EQ(0, kmod__unload(MODULE)) TH_LOG("seed %u", i);
		free(im.data);
	}
	TH_LOG("%u of %u refused, or without BTF", refused, nr);
	EXPECT_LT(0, refused);
}

TEST_HARNESS_MAIN
