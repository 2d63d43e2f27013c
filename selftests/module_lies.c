// SPDX-License-Identifier: GPL-2.0-only
/*
 * Modules that lie. If .BTF_func or its relocations lie, the module has BTF but no addresses, and
 * there is a line in the kernel's log. If .BTF lies, the module is refused; with
 * CONFIG_MODULE_ALLOW_BTF_MISMATCH it is loaded and has no BTF. $MUTATIONS modules (100) are
 * changed at random.
 */
#include <byteswap.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <linux/btf.h>

#include "expect.h"

#include "attacher.h"
#include "env.h"
#include "kbtf.h"
#include "kmod.h"
#include "ksyms.h"

#define MODULE	   "kinds"
#define MAX_RECORD 8192

/* The kernel's struct btf_func_rec, which the distribution's headers lack. */
struct record {
	__u32 addr;
	__u32 idx;
};

/* The module's file in memory, and the parts that a lie may change. */
struct image {
	void *data;
	size_t size;
	Elf64_Shdr *btf, *func, *rela_func, *symtab;
	Elf64_Shdr *base; /* .BTF.base; NULL: it has none */
	struct record *records;
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
	im->func = find_section(im, ".BTF_func");
	im->rela_func = find_section(im, ".rela.BTF_func");
	im->symtab = find_section(im, ".symtab");
	im->base = find_section(im, ".BTF.base");
	if (!im->btf || !im->func || !im->rela_func || !im->symtab)
		return -ENOENT;
	im->records = im->data + im->func->sh_offset;
	im->relas = im->data + im->rela_func->sh_offset;
	im->syms = im->data + im->symtab->sh_offset;
	return 0;
}

static int read_image(struct image *im)
{
	int err = kmod__read(MODULE, &im->data, &im->size);

	return err ?: find_parts(im);
}

static size_t nr_records(const struct image *im)
{
	return im->func->sh_size / sizeof(*im->records);
}

static void set_symbol(struct image *im, Elf64_Word sym)
{
	im->relas[0].r_info = ELF64_R_INFO(sym, ELF64_R_TYPE(im->relas[0].r_info));
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

static void no_symbol(struct image *im)
{
	set_symbol(im, 0);
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
	im->relas[nr_records(im) - 1].r_addend = 1 << 20;
}

static void no_relocation(struct image *im)
{
	im->relas[0].r_info = ELF64_R_INFO(0, 0); /* R_X86_64_NONE, R_AARCH64_NONE */
}

static void one_missing(struct image *im)
{
	im->rela_func->sh_size -= sizeof(Elf64_Rela);
}

static void all_missing(struct image *im)
{
	im->rela_func->sh_type = SHT_PROGBITS;
}

/* The first record and the last one exchange their functions. */
static void unsorted(struct image *im)
{
	Elf64_Xword info = im->relas[0].r_info;
	size_t last = nr_records(im) - 1;

	im->relas[0].r_info = im->relas[last].r_info;
	im->relas[last].r_info = info;
}

static void record_twice(struct image *im)
{
	im->records[1].idx = im->records[0].idx;
	im->relas[1].r_info = im->relas[0].r_info;
}

/* Ids of the base are below those of the module's own types. */
static void of_the_base(struct image *im)
{
	im->records[0].idx = -1;
}

static void of_no_type(struct image *im)
{
	im->records[0].idx = 1 << 20;
}

/* Make the first record refer to a type of the module that isn't a FUNC. */
static void of_no_function(struct image *im)
{
	struct btf_header *hdr = im->data + im->btf->sh_offset;
	const struct btf_type *t = (void *)hdr + hdr->hdr_len + hdr->type_off;

	/* the types that functions refer to come before functions */
	if (BTF_INFO_KIND(t->info) != BTF_KIND_FUNC)
		im->records[0].idx = 0;
}

static void function_twice(struct image *im)
{
	im->records[1].idx = im->records[0].idx;
}

static void odd_size(struct image *im)
{
	im->func->sh_size -= sizeof(__u32);
}

static void no_content(struct image *im)
{
	im->func->sh_type = SHT_NOBITS;
}

static void other_byte_order(struct image *im)
{
	size_t i;

	for (i = 0; i < nr_records(im); i++)
		im->records[i].idx = bswap_32(im->records[i].idx);
}

static void unknown_type(struct image *im)
{
	im->relas[0].r_info = ELF64_R_INFO(ELF64_R_SYM(im->relas[0].r_info), 200);
}

/* The relocation is not at an address. */
static void misplaced(struct image *im)
{
	im->records[0].idx |= 1;
	im->relas[0].r_offset += offsetof(struct record, idx);
}

static void relocated_twice(struct image *im)
{
	im->relas[1].r_offset = im->relas[0].r_offset;
}

static void btf_cut_short(struct image *im)
{
	im->btf->sh_size -= 4;
}

static void btf_header_only(struct image *im)
{
	const struct btf_header *hdr = im->data + im->btf->sh_offset;

	im->btf->sh_size = hdr->hdr_len;
}

static void btf_no_types(struct image *im)
{
	struct btf_header *hdr = im->data + im->btf->sh_offset;

	hdr->type_len = 0;
}

/* Type ids continue those of vmlinux, and another vmlinux has another number of types. */
static void other_vmlinux(struct image *im)
{
	struct btf_header *hdr = im->data + im->btf->sh_offset;
	struct btf_type *t = (void *)hdr + hdr->hdr_len + hdr->type_off;

	t->name_off = 0x7ffffff0;
}

/* The addresses were not taken out of BTF. */
static void btf_extended(struct image *im)
{
	struct btf_header *hdr = im->data + im->btf->sh_offset;
	struct btf_type *t = (void *)hdr + hdr->hdr_len + hdr->type_off;

	t->info = BTF_KIND_FUNC << 24 | 1U << 31;
}

enum outcome {
	NO_ADDRESSES, /* it loads, with its BTF */
	REFUSED,      /* by the module loader, whatever BTF is there */
	BAD_BTF,
};

/* x86 insists that what it relocates is zero, and only there address 0 is in reach of 32 bits. */
#ifdef __aarch64__
#define UNLIKE_ZERO NO_ADDRESSES, "of .BTF_func"
#define TO_ZERO	    REFUSED, ""
#else
#define UNLIKE_ZERO REFUSED, ""
#define TO_ZERO	    NO_ADDRESSES, "outside of the text"
#endif

static const struct lie {
	const char *name;
	void (*tell)(struct image *im);
	enum outcome outcome;
	const char *log; /* what the kernel says in the line that names the module */
} lies[] = {
	{ "relocation against no symbol", no_symbol, TO_ZERO },
	{ "relocation against data", at_data, NO_ADDRESSES, "outside of the text" },
	{ "relocation against init text", at_init_text, NO_ADDRESSES, "outside of the text" },
	{ "relocation behind the text", behind_text, NO_ADDRESSES, "outside of the text" },
	{ "relocation of no type", no_relocation, NO_ADDRESSES, "outside of the text" },
	{ "one relocation missing", one_missing, NO_ADDRESSES, "outside of the text" },
	{ "no relocations", all_missing, NO_ADDRESSES, "outside of the text" },
	{ "records out of order", unsorted, NO_ADDRESSES, "out of order" },
	{ "record twice", record_twice, NO_ADDRESSES, "second one of its function" },
	{ "function twice", function_twice, NO_ADDRESSES, "second one of its function" },
	{ "record of the base", of_the_base, NO_ADDRESSES, "not of a type of this BTF" },
	{ "record of no type", of_no_type, NO_ADDRESSES, "not of a type of this BTF" },
	{ "record of no function", of_no_function, NO_ADDRESSES, "not of a function" },
	{ "half a record", odd_size, NO_ADDRESSES, "cut off" },
	{ "records without content", no_content, NO_ADDRESSES, "of .BTF_func" },
	{ "records in another byte order", other_byte_order, NO_ADDRESSES, "of .BTF_func" },
	{ "relocation of an unknown type", unknown_type, REFUSED, "" },
	{ "relocation of a field that is no address", misplaced, UNLIKE_ZERO },
	{ "record relocated twice", relocated_twice, UNLIKE_ZERO },
	{ "BTF cut short", btf_cut_short, BAD_BTF, "" },
	{ "BTF without types and strings", btf_header_only, BAD_BTF, "" },
	{ "BTF without types", btf_no_types, BAD_BTF, "" },
	{ "BTF for another vmlinux", other_vmlinux, BAD_BTF, "" },
	{ "BTF with addresses in it", btf_extended, BAD_BTF, "" },
};

/* Open the kernel's log, for what comes from now on. */
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

/* How many functions of the module are listed with their BTF ids, -1 if that fails. */
static int count_addresses(void)
{
	struct ksyms syms;
	int cnt = 0;
	size_t i;

	if (ksyms__read("/proc/kallsyms_btf", &syms))
		return -1;
	for (i = 0; i < syms.cnt; i++)
		cnt += ksym__is_of(&syms.syms[i], MODULE);
	ksyms__free(&syms);
	return cnt;
}

static void tell(struct __test_metadata *_metadata, const struct lie *lie)
{
	bool mismatch = kconfig__has("CONFIG_MODULE_ALLOW_BTF_MISMATCH");
	bool no_btf = mismatch && lie->outcome == BAD_BTF;
	static char seen[65536];
	struct image im;
	int err, log;

	log = open_log();
	ASSERT_LE(0, log);
	ASSERT_EQ(0, read_image(&im));
	lie->tell(&im);
	err = kmod__load_image(im.data, im.size);
	free(im.data);
	if (lie->outcome == NO_ADDRESSES || no_btf) {
		EXPECT_OK(err, "%s", lie->name);
		EXPECT_EQ(!no_btf, has_btf()) TH_LOG("%s", lie->name);
		EXPECT_OK(count_addresses(), "%s", lie->name);
	} else {
		EXPECT_GT(0, err) TH_LOG("%s", lie->name);
	}
	/*
	 * With that option btf.c says only once that there are mismatches. The module loader
	 * doesn't name the module.
	 */
	EXPECT_TRUE(no_btf || lie->outcome == REFUSED || log_has(log, lie->log, seen, sizeof(seen)))
	TH_LOG("%s: log: %s", lie->name, seen);
	TH_LOG("%s: %s", lie->name,
	       err    ? strerror(-err) :
	       no_btf ? "loads, without BTF" :
			"loads, without addresses");
	if (!err)
		EXPECT_EQ(0, kmod__unload(MODULE));
	close(log);
}

/* The harness has limits only for tests with a fixture. */
FIXTURE(module) {
};

FIXTURE_SETUP(module)
{
}

FIXTURE_TEARDOWN(module)
{
}

TEST_F_TIMEOUT(module, lies, 120)
{
	size_t i;

	for (i = 0; i < sizeof(lies) / sizeof(*lies); i++)
		tell(_metadata, &lies[i]);
}

/* The same file, without a lie. */
TEST_F(module, truth)
{
	struct image im;

	ASSERT_EQ(0, read_image(&im));
	ASSERT_EQ(0, kmod__load_image(im.data, im.size));
	EXPECT_TRUE(has_btf());
	EXPECT_EQ((int)nr_records(&im), count_addresses());
	EXPECT_EQ(0, kmod__unload(MODULE));
	free(im.data);
}

/* Change up to four bytes of a section. */
static void change_bytes(struct image *im, const Elf64_Shdr *shdr, unsigned int *seed)
{
	__u8 *bytes = im->data + shdr->sh_offset;
	int i, nr = 1 + rand_r(seed) % 4;

	for (i = 0; i < nr; i++)
		bytes[rand_r(seed) % shdr->sh_size] = rand_r(seed);
}

static void change_flags(Elf64_Shdr *shdr, unsigned int *seed)
{
	static const Elf64_Xword flags[] = {
		SHF_WRITE,   SHF_ALLOC,	    SHF_EXECINSTR,  SHF_MERGE,
		SHF_STRINGS, SHF_INFO_LINK, SHF_LINK_ORDER, SHF_COMPRESSED,
	};

	shdr->sh_flags ^= flags[rand_r(seed) % (sizeof(flags) / sizeof(*flags))];
}

/*
 * Make a section shorter. For .BTF_func, remove the relocations of the removed records, too: the
 * module loader would write to their places, in any module.
 */
static void change_size(struct image *im, Elf64_Shdr *shdr, unsigned int *seed)
{
	shdr->sh_size = rand_r(seed) % shdr->sh_size;
	if (shdr == im->func)
		im->rela_func->sh_size = nr_records(im) * sizeof(*im->relas);
}

static void mutate(struct image *im, unsigned int *seed)
{
	Elf64_Shdr *sections[] = { im->btf, im->func, im->base };
	Elf64_Shdr *shdr = sections[rand_r(seed) % (im->base ? 3 : 2)];

	switch (rand_r(seed) % 8) {
	case 0:
		return change_flags(shdr, seed);
	case 1:
		return change_size(im, shdr, seed);
	default:
		return change_bytes(im, shdr, seed);
	}
}

/* Wait until a program has been attached, or refused; false if that takes a minute. */
static bool wait_for_attempt(const struct attacher *a, unsigned int before)
{
	time_t end = time(NULL) + 60;

	while (attacher__attached(a) + attacher__refused(a) == before && time(NULL) < end)
		sched_yield();
	return attacher__attached(a) + attacher__refused(a) != before;
}

enum fate { NOT_FIT, FIT, FAILED };

/* Load such a module and unload it. With @beside, attach programs meanwhile. */
static enum fate try_mutated(const struct image *im, struct attacher *a, bool beside)
{
	unsigned int before = attacher__attached(a) + attacher__refused(a);
	enum fate fate = NOT_FIT;

	attacher__pause(a, !beside);
	if (!kmod__load_image(im->data, im->size)) {
		fate = has_btf() && count_addresses() > 0 ? FIT : NOT_FIT;
		if ((beside && has_btf() && !wait_for_attempt(a, before)) || attacher__unload(a))
			fate = FAILED;
	}
	return fate;
}

/*
 * Load $MUTATIONS files with random changes of bytes, flags and sizes: the same files in each run.
 * Attach programs to each sixteenth that has BTF when it is loaded, because attaching takes far
 * longer than loading. The test can't know which files load, but the kernel must survive them all.
 * Relocations stay as they are: the module loader writes to their places, in any module.
 */
TEST_F_TIMEOUT(module, mutations, 14400)
{
	unsigned int i, fit = 0, attempts, nr = atoi(getenv("MUTATIONS") ?: "100");
	struct attacher *attacher;
	struct image im;
	enum fate fate;

	ASSERT_EQ(0, attacher__start(&attacher));
	for (i = 0; i < nr; i++) {
		unsigned int seed = i;

		ASSERT_EQ(0, read_image(&im));
		mutate(&im, &seed);
		fate = try_mutated(&im, attacher, i % 16 == 4);
		ASSERT_NE(FAILED, fate) TH_LOG("seed %u", i);
		fit += fate == FIT;
		free(im.data);
	}
	ASSERT_EQ(0, attacher__stop(attacher));
	attempts = attacher__attached(attacher) + attacher__refused(attacher);
	TH_LOG("%u of %u refused, or without BTF or addresses; attached %u of %u times", nr - fit,
	       nr, attacher__attached(attacher), attempts);
	EXPECT_LT(0, fit);
	EXPECT_GT(nr, fit);
	EXPECT_LT(0, attempts);
	attacher__free(attacher);
}

TEST_HARNESS_MAIN
