// SPDX-License-Identifier: GPL-2.0-only
/* Tests how libfentry reads files of inlined calls, made here as btfaddr(1) describes them. */
#include <stddef.h>
#include <sys/utsname.h>

#include "index.h"
#include "test_files.h"

/* A kernel's own file would have the other name, which is a link here. */
#define INLINED		 "./vmlinux.functions"
#define OF_KERNEL	 "./vmlinux.inline"
#define EITHER		 "./vmlinux."
#define NESTED		 1
#define SPLIT		 2
#define SAME		 8
#define FROM(difference) ((difference) << 4)
#define LINE(difference) ((difference) << 1)
#define OTHER_FILE	 1
#define UP(n)		 (2 * (n))
#define DOWN(n)		 (2 * (n)-1)

/* The data behind the strings, for five sites in two source files. */
struct origins {
	__u32 magic, len, site_cnt, file_cnt, called_cnt, ranges_len, base_types, base_strs;
	__u8 build_id_len, zero[3], build_id[20];
	__u32 files[2], called[2][2];
	__u8 numbers[12], ranges[16];
};

/*
 * A LOC_PARAM and a LOC_PROTO in a register, one of each with an address, and LOCSECs, of which one
 * has an entry.
 */
struct locs {
	__u32 param[5], proto[4], addr_param[6], addr_proto[4];
	struct {
		__u32 type[3], sites[4][3];
	} text;
	struct {
		__u32 type[3], sites[1][3];
	} entry, other;
};

/* A file, and where its parts are. */
struct file {
	char data[4096];
	size_t size, header_at, locs_at, origins_at;
};

#define IMAGE_ADDR 0xffffffff80ff0000ULL /* _text */
#define TEXT_ADDR  0xffffffff81000000ULL

/* The file that the tests use, and damage. */
static struct file good;

/* The index that was opened last, and what was wrong with it. */
static struct fentry_index *idx;
static struct fentry_error error;

static const char base_types[] = "1 int int 4 signed\n"
				 "2 proto 1 n:1\n"
				 "3 func alone 2\n"
				 "4 func part.isra.0 2\n"
				 "5 func twin 2\n"
				 "6 func twin 2\n"
				 "7 func part.part.0 2\n";

/*
 * Functions that BTF lacks in this form: part, in the unit of part.isra.0, wholly, in a header;
 * then the units. BTF lacks twin.isra.0(), too. 19 to 22 are LOC_PARAMs and LOC_PROTOs.
 */
static const char added_types[] = "8 proto 0\n"
				  "9 func part 8\n"
				  "10 func wholly 8\n"
				  "11 tag 3 -1 cu:fs/a.c\n"
				  "12 tag 4 -1 cu:fs/b.c\n"
				  "13 tag 5 -1 cu:fs/b.c\n"
				  "14 tag 9 -1 cu:fs/b.c\n"
				  "15 tag 10 -1 cu:include/w.h\n"
				  "16 tag 7 -1 cu:fs/b.c\n"
				  "17 func twin.isra.0 2 cu:fs/m.c\n";

static void append(const void *data, size_t size)
{
	memcpy(good.data + good.size, data, size);
	good.size += size;
}

static struct locs make_locs(__u32 text, __u32 entry, __u32 other)
{
	return (struct locs){
		.param = { 0, 20 << 24 | 1, 4, 8, 5 },
		.proto = { 0, 21 << 24 | 1, 0, 19 },
		.addr_param = { 0, 20 << 24 | 2, 8, 6, 0x100, 1 },
		.addr_proto = { 0, 21 << 24 | 1, 0, 21 },
		.text = {
			{ text, 22 << 24 | 4, 0 },
			{ { 3, 20, 0x10 }, { 9, 20, 0x20 }, { 10, 20, 0x30 }, { 10, 22, 0x40 } },
		},
		.entry = { { entry, 22 << 24 | 1, 0 }, { { 17, 20, 0x60 } } },
		.other = { { other, 22 << 24 | 1, 0 }, { { 10, 20, 0x50 } } },
	};
}

/* alone() is inlined in twin(), wholly() in part() in part.isra.0(), and in alone(). */
static struct origins make_origins(const struct btf *base, __u32 base_strs, __u32 first_file,
				   __u32 second_file)
{
	return (struct origins){
		.magic = 0x32534e46, .len = sizeof(struct origins), .site_cnt = 5, .file_cnt = 2,
		.called_cnt = 2, .ranges_len = 16,
		.base_types = btf__type_cnt(base), .base_strs = base_strs,
		.files = { first_file, second_file },
		.called = { { 3, 7 }, { 5, 1 } },
		.numbers = {
			/* 5, line 11 of the first file; the first number has two bytes */
			(FROM(UP(5)) & 0x7f) | 0x80, FROM(UP(5)) >> 7, LINE(UP(11)),
			/* 4, line 12 of the other */
			FROM(DOWN(1)), LINE(UP(1)) | OTHER_FILE, UP(1),
			/* site 1, line 13 of the first */
			FROM(UP(1)) | NESTED, LINE(UP(1)) | OTHER_FILE, DOWN(1),
			/* 3, at the same place */
			FROM(DOWN(1)) | SPLIT | SAME,
			/* neither the function nor the place is known */
			FROM(DOWN(3)), LINE(DOWN(13)),
		},
		.ranges = {
			1, UP(0), 8,			/* from 0x10 on */
			2, UP(0), 0xc0, 0, UP(0x10), 8,	/* 0x40 bytes from 0x20, and from 0x70 */
			1, UP(0), 8,			/* from 0x30, in the one before */
			1, DOWN(0x26), 2,		/* from 0x1a */
			0,
		},
	};
}

static bool make_file(const struct btf *base, struct btf *added)
{
	int text = btf__add_str(added, "inline.text"), entry = btf__add_str(added, "entry.text");
	int other = btf__add_str(added, "inline.x");
	int a = btf__add_str(added, "fs/a.c"), b = btf__add_str(added, "fs/b.c");
	struct locs locs = make_locs(text, entry, other);
	struct origins origins;
	struct btf_header head;
	const char *data;
	__u32 size;

	data = btf__raw_data(base, &size);
	memcpy(&head, data, sizeof(head));
	origins = make_origins(base, head.str_len, a, b);
	data = btf__raw_data(added, &size);
	memcpy(&head, data, sizeof(head));
	data += head.hdr_len;
	good.size = sizeof(head);
	good.locs_at = sizeof(head) + head.type_len;
	append(data + head.type_off, head.type_len);
	append(&locs, sizeof(locs));
	append(data + head.str_off, head.str_len);
	head.hdr_len = sizeof(head);
	head.type_off = 0;
	head.type_len += sizeof(locs);
	head.str_off = head.type_len;
	memcpy(good.data, &head, sizeof(head));
	good.size = (good.size + 3) & ~3;
	good.origins_at = good.size;
	append(&origins, sizeof(origins));
	return text > 0 && entry > 0 && other > 0 && a > 0 && b > 0;
}

static bool make_kernel(void)
{
	static const char symbols[] = "ffffffff80ff0000 T _text\nffffffff81000000 T _stext\n"
				      "ffffffff81000010 T alone\n";
	struct btf *base = make_btf(NULL, base_types), *added = make_btf(base, added_types);
	/* a module without a file of inlined calls */
	struct btf *mod = make_btf(base, "8 func of_module 2");
	bool ok = enter_folder() && write_btf("vmlinux", base) && write_btf("mod", mod) &&
		  write_file(".kallsyms", symbols, strlen(symbols)) && make_file(base, added);

	btf__free(added);
	btf__free(mod);
	btf__free(base);
	return ok;
}

static bool write_good(const char *path)
{
	return write_file(path, good.data, good.size);
}

static bool write_changed(size_t at, const void *bytes, size_t size)
{
	struct file changed = good;

	memcpy(changed.data + at, bytes, size);
	return write_file(INLINED, changed.data, changed.size);
}

static int open_with(const char *path, const char *ids)
{
	LIBBPF_OPTS(fentry_index_opts, opts, .btf_dir = ".", .ids_path = ids,
		    .kallsyms_path = ".kallsyms", .functions_path = path);

	fentry_index__free(idx);
	idx = NULL;
	error = (struct fentry_error){};
	return fentry_index__open(&opts, &idx, &error);
}

/* @asked: the folder of the files was asked for; else they are where BTF is */
static int open_index(bool asked)
{
	return open_with(asked ? "." : NULL, "/dev/null");
}

static const struct fentry_target *find(const char *text)
{
	const struct fentry_target *target = NULL;

	fentry_index__lookup(idx, text, &target, NULL);
	return target;
}

static void test_units(void)
{
	const struct fentry_target *t = find("alone");

	expect(t && t->unit && !strcmp(t->unit, "fs/a.c"), "a unit of a unique name");
	expect(find("alone@fs/a.c") == t, "the function is found by its unit");
	expect(!find("alone@fs/b.c"), "and by no other unit, as its own is known");
	t = find("twin@b.c");
	expect(!t, "a unit isn't enough if that of the other function isn't known");
	t = find("part");
	expect(t && t->type_id == 4 && t->addr == 0, "a function that is also inlined");
	expect(!find("wholly"), "a function that is only inlined can't be attached to");
}

/* Does a call have these properties? */
static bool is_call(const struct fentry_inlined_call *c, const char *caller, const char *symbol,
		    const char *file, unsigned int line, bool inexact)
{
	return !strcmp(c->caller ?: "-", caller) && !strcmp(c->symbol ?: "-", symbol) &&
	       !strcmp(c->file ?: "-", file) && c->line == line && c->inexact == inexact;
}

/* The calls of a function, if it has @want of them, to be released with free(). */
static const struct fentry_inlined_call **calls_of(const struct fentry_target *t, size_t want)
{
	const struct fentry_inlined_call **calls = NULL;
	size_t cnt = 0;

	if (!t || fentry_target__inlined_calls(t, &calls, &cnt, NULL))
		return NULL;
	if (cnt == want && fentry_target__inlined_cnt(t) == want)
		return calls;
	free(calls);
	return NULL;
}

/* A function has one call, and this is it. */
static void report_call(const struct fentry_target *t, const char *caller, const char *file,
			unsigned int line, const char *what)
{
	const struct fentry_inlined_call **calls = calls_of(t, 1);

	expect(calls && is_call(calls[0], caller, caller, file, line, false), what);
	free(calls);
}

static void test_locations(const struct fentry_inlined_call **calls)
{
	struct fentry_location at;

	fentry_inlined_call__location(calls[0], 0, &at);
	expect(at.place == FENTRY_REGISTER && at.size == 4 && at.reg == 5 && !at.offset,
	       "where its argument is");
	fentry_inlined_call__location(calls[0], 1, &at);
	expect(at.place == FENTRY_UNKNOWN, "an argument that the function lacks");
	fentry_inlined_call__location(calls[1], 0, &at);
	expect(at.place == FENTRY_VALUE && at.size == 8 &&
		       (__u64)at.offset == IMAGE_ADDR + 0x100000100,
	       "an argument that is an address");
}

/* Tests a function that is only inlined. */
static void test_wholly(const struct fentry_target *wholly)
{
	const struct fentry_inlined_call **calls = calls_of(wholly, 3);
	char where[64], cut[8];

	expect(calls && is_call(calls[0], "part", "part.isra.0", "fs/a.c", 13, false),
	       "a call in a function that is inlined itself");
	if (!calls)
		return;
	expect(calls[0]->func == wholly && !strcmp(calls[0]->section, ".text") &&
		       calls[0]->offset == 0x30 && !calls[0]->module,
	       "where the call's code is");
	expect(calls[0]->addr == TEXT_ADDR + 0x30 && !calls[2]->addr,
	       "and its address, as far as known");
	test_locations(calls);
	expect(is_call(calls[1], "alone", "alone", "fs/a.c", 13, true),
	       "a call that may be several");
	expect(is_call(calls[2], "-", "-", "-", 0, false), "a call of which nothing is known");
	fentry_inlined_call__where(calls[0], where, sizeof(where));
	fentry_inlined_call__where(calls[0], cut, sizeof(cut));
	report(!strcmp(where, "part, fs/a.c:13") && !strcmp(cut, "part, f"), "a call as a text",
	       where);
	free(calls);
}

/* How many functions that are only inlined are found, and the last one; -1: none can be. */
static int find_inlined(const char *name, const struct fentry_target **last)
{
	struct fentry_spec spec = { .name = (char *)name, .glob = strchr(name, '*') };
	const struct fentry_target **found = NULL;
	size_t cnt = 0;
	int err = fentry_index__find_inlined(idx, &spec, &found, &cnt);

	if (cnt)
		*last = found[cnt - 1];
	free(found);
	return err ? -1 : (int)cnt;
}

static void test_calls(void)
{
	const struct fentry_target *t = NULL;
	char label[FENTRY_LABEL_MAX];

	expect(fentry_index__has_inlined(idx), "inlined calls are known");
	report_call(find("alone"), "twin", "fs/a.c", 11, "a call of BTF's function");
	report_call(find("part"), "part.isra.0", "fs/b.c", 12,
		    "a call of the source's form of a changed function");
	expect(!fentry_target__inlined_cnt(find("part.part.0")),
	       "that isn't a call of a part that was split off");
	expect(!fentry_target__inlined_cnt(find("#5")), "no call");
	expect(find_inlined("w*", &t) == 1 && !strcmp(t->name, "wholly") &&
		       !strcmp(t->unit, "include/w.h"),
	       "a function that is only inlined");
	if (!t)
		return;
	fentry_target__label(t, label);
	report_text(label, "wholly@include/w.h", "its label");
	test_wholly(t);
	expect(find_inlined("part", &t) == 0, "a function that isn't only inlined");
}

static bool is_unknown_in(const struct fentry_target *t, const char *module)
{
	const char *name = fentry_target__inlined_unknown(t, 0);

	return !strcmp(name ?: "", module) && !fentry_target__inlined_unknown(t, 1);
}

/* What is inlined in a module isn't known without its file. */
static void test_unknown(void)
{
	const struct fentry_target *wholly;

	expect(is_unknown_in(find("of_module"), "mod"), "calls in a module without a file");
	expect(is_unknown_in(find("alone"), ""), "calls of vmlinux's functions need none");
	expect(find_inlined("wholly", &wholly) == 1 && is_unknown_in(wholly, "mod"),
	       "but a header's may be inlined there");
}

/* A function that only the file describes is found, and has its argument at its entry. */
static void test_entry(void)
{
	/* the FUNCs of twin have no symbol */
	const struct fentry_target *t = find("twin.isra.0@m.c");
	struct fentry_inlined_call entry;
	struct fentry_location at = {};
	char *prototype = NULL;

	expect(t && fentry_target__by_probe(t) && t->addr == TEXT_ADDR + 0x60 && find("twin") == t,
	       "a function that BTF lacks");
	if (!t)
		return;
	fentry_target__entry(t, &entry);
	fentry_inlined_call__location(&entry, 0, &at);
	expect(entry.func == t && !entry.section && entry.addr == t->addr &&
		       at.place == FENTRY_REGISTER && at.reg == 5,
	       "its entry");
	fentry_target__prototype(t, &prototype, NULL);
	report_text(prototype, "int twin.isra.0(int n)", "its prototype");
	free(prototype);
	t = find("alone");
	expect(!fentry_target__by_probe(t) && !fentry_target__why_probe(t, true),
	       "a function that BTF has, and the file doesn't call false, needs no probe");
	t = find("of_module");
	report(!strcmp(fentry_target__why_probe(t, false) ?: "", FENTRY_UNVERIFIED) &&
		       fentry_target__check_fit(t, false, &error) == -EOPNOTSUPP &&
		       strstr(error.msg, "use SEC(\"fentry.probe/of_module\")"),
	       "without a file of its module, no trampoline", error.msg);
}

/* Such functions are for kernels whose BTF has no addresses. */
static void test_without_ids(void)
{
	if (open_with(".", ".no_ids"))
		return report(false, "an index without ids", error.msg);
	test_entry();
}

/* A user who can't write beside the kernel's modules has the file in a cache. */
static void test_cache(void)
{
	struct utsname uts;
	const char *path;

	uname(&uts);
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", ".home", 1);
	path = textf("mkdir -p .home/.cache/fentry/%s", uts.release);
	if (!write_good(INLINED) || rename(OF_KERNEL, ".kept") || system(path))
		return expect(false, "can't make the test's folders");
	path = textf(".home/.cache/fentry/%s/vmlinux.functions", uts.release);
	expect(!open_index(false) && !find("alone@fs/a.c"), "no file");
	expect(write_good(path) && !open_index(false) && find("alone@fs/a.c"),
	       "a file in the user's cache");
	/* the first file that can be used is used, and if none can, the first problem is told */
	rename(".kept", OF_KERNEL);
	expect(write_file(path, good.data, 8) && !open_index(false) && find("alone@fs/a.c"),
	       "a damaged file there, and one that isn't");
	unlink(path);
}

static void test_direct(void)
{
	const struct fentry_target symbol = { .name = "symbol", .addr = TEXT_ADDR };
	size_t cnt = 0;

	expect(fentry_target__direct_cnt(find("alone"), &cnt) && cnt == 7, "direct calls");
	expect(fentry_target__direct_cnt(find("#6"), &cnt) && !cnt, "none");
	expect(!fentry_target__direct_cnt(find("of_module"), &cnt), "not known in a module");
	expect(!fentry_target__direct_cnt(&symbol, &cnt), "nor of a symbol that BTF lacks");
}

/* One file is of vmlinux, unless it has the name of a module's. */
static void test_one_file(void)
{
	static const struct {
		const char *name;
		int err;
	} cases[] = { { "vmlinux.functions", 0 },
		      { "one.functions", 0 },
		      { "mod.functions", -ESTALE } };
	int err;

	for_each_in(c, cases) {
		const char *path = textf("./%s", c->name);

		if (!write_good(path))
			return report(false, "can't write a file", path);
		err = open_with(path, "/dev/null");
		report(err == c->err && (err || fentry_target__inlined_cnt(find("alone"))), c->name,
		       error.msg);
		unlink(path);
	}
}

#define HEADER(member)	.part = &good.header_at, .at = offsetof(struct btf_header, member)
#define LOCS(member)	.part = &good.locs_at, .at = offsetof(struct locs, member)
#define ORIGINS(member) .part = &good.origins_at, .at = offsetof(struct origins, member)

#define CUT_OFF	  "what is behind its strings is cut off"
#define NOT_KNOWN "what is behind its strings isn't known"
#define BAD_CALLS "its direct calls aren't in order, or of no function"
#define OTHER_BTF "continues other BTF than the kernel has"

/* Damage to one byte of a file, or to its end. */
static const struct damage {
	const char *what;
	const size_t *part;
	size_t at;
	__u32 value;
	const char *message;
	int err; /* 0: -EINVAL */
} damages[] = {
	{ "no BTF", HEADER(magic), 0, "it doesn't begin with a header of BTF" },
	{ "a header that is too short", HEADER(hdr_len), 20,
	  "it doesn't begin with a header of BTF" },
	{ "types behind the end", HEADER(type_len), 1 << 20, "it has sections beyond its end" },
	{ "strings behind the end", HEADER(str_off), -4, "it has sections beyond its end" },
	{ "a kind that isn't known", LOCS(param[1]), 23u << 24,
	  "it has a type of a kind that isn't known" },
	{ "more sites than there are", LOCS(other.type[1]), 22 << 24 | 2,
	  "a type goes on beyond the last one" },
	{ "fewer sites than origins", LOCS(other.type[1]), 20 << 24 | 2,
	  "it doesn't say where each call is from" },
	{ "types in another order", LOCS(proto[1]), BTF_KIND_VAR << 24,
	  "its types aren't in order" },
	{ "a section of another name", LOCS(text.type[0]), 1,
	  "a section's name begins with neither 'inline' nor 'entry'" },
	{ "an entry of no function", LOCS(entry.sites[0][0]), 8,
	  "its entries aren't in order, or of no function" },
	{ "another thing behind the strings", ORIGINS(magic), 1, NOT_KNOWN },
	{ "another header behind the strings", ORIGINS(build_id_len), 1 << 8, NOT_KNOWN },
	{ "more behind the strings than there is", ORIGINS(len), sizeof(struct origins) + 1,
	  CUT_OFF },
	{ "more calls than there are", ORIGINS(called_cnt), 4, CUT_OFF },
	{ "calls out of order", ORIGINS(called[0][0]), 5, BAD_CALLS },
	{ "calls of no function", ORIGINS(called[1][0]), 8, BAD_CALLS },
	{ "no calls of a function", ORIGINS(called[1][1]), 0, BAD_CALLS },
	{ "more files than there are", ORIGINS(file_cnt), 10, CUT_OFF },
	{ "origins of more sites", ORIGINS(site_cnt), 6, "it doesn't say where each call is from" },
	{ "other BTF, by its types", ORIGINS(base_types), 9, OTHER_BTF, -ESTALE },
	{ "other BTF, by its strings", ORIGINS(base_strs), 8, OTHER_BTF, -ESTALE },
	{ "another build", ORIGINS(build_id_len), 20,
	  "is of another build of the kernel than the one that is running", -ESTALE },
};

static void test_damage(const struct damage *d)
{
	if (!write_changed(*d->part + d->at, &d->value, sizeof(d->value)))
		return expect(false, "can't write a file");
	report(open_index(true) == (d->err ?: -EINVAL) && strstr(error.msg, EITHER) &&
		       strstr(error.msg, d->message),
	       textf("a file with %s", d->what), error.msg);
	report(!open_index(false) && !fentry_index__has_inlined(idx) &&
		       strstr(fentry_index__inline_problem(idx) ?: "", d->message) && find("alone"),
	       textf("a file with %s isn't used", d->what), error.msg);
}

/* Damage to one byte of the numbers or ranges, which are read only when needed. */
static const struct bad_byte {
	const char *what;
	size_t at;
	__u8 value;
} bad_numbers[] = {
	{ "a function that isn't there", 1, 0x7f },
	{ "a line below 0", 2, LINE(DOWN(12)) },
	{ "a file that isn't there", 5, UP(1) + 1 },
	{ "another file that isn't there", 5, UP(2) },
	{ "a site that isn't there", 6, FROM(DOWN(1)) | NESTED },
	{ "another site that isn't there", 6, NESTED | 0x80 },
	{ "a call too few", 9, FROM(DOWN(1)) | SPLIT },
	{ "something behind the last call", 10, FROM(DOWN(3)) | SAME },
	{ "a number without an end", 11, LINE(DOWN(13)) | 0x80 },
}, bad_ranges[] = {
	{ "fewer pieces than there are", 3, 1 },
	{ "more pieces than there are", 15, 1 },
	{ "a piece before the section", 13, DOWN(0x41) },
	{ "a number without an end", 15, 0x80 },
};

static bool open_bad(size_t numbers, const struct bad_byte *bad)
{
	return write_changed(good.origins_at + numbers + bad->at, &bad->value, 1) &&
	       !open_index(true);
}

static void test_bad_number(const struct bad_byte *bad)
{
	const struct fentry_inlined_call **calls = NULL;
	const char *what = textf("calls with %s", bad->what);
	size_t cnt;

	if (!open_bad(offsetof(struct origins, numbers), bad))
		return report(false, what, error.msg);
	report(fentry_target__inlined_calls(find("alone"), &calls, &cnt, &error) == -EINVAL &&
		       strstr(error.msg, EITHER) && strstr(error.msg, "is damaged") &&
		       fentry_target__inlined_cnt(find("alone")) == 1,
	       what, error.msg);
	free(calls);
}

/* What is inlined at an offset in the text, as "NAME FILE:LINE;" for each function. */
static const char *inlined_at(unsigned int offset)
{
	struct fentry_inlined_frame frames[4];
	static char text[sizeof(error.msg)];
	int i, cnt;

	error.msg[0] = '\0';
	cnt = fentry_index__inlined_at(idx, TEXT_ADDR + offset, frames, 4, &error);
	snprintf(text, sizeof(text), "%s", error.msg);
	for (i = 0; i < cnt; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s %s:%u;",
			 frames[i].name, frames[i].file, frames[i].line);
	return text;
}

static void test_ranges(void)
{
	static const struct {
		unsigned int offset;
		const char *want;
	} cases[] = {
		{ 0x0f, "" },
		{ 0x10, "alone fs/a.c:11;" },
		{ 0x17, "alone fs/a.c:11;" },
		{ 0x18, "" },
		{ 0x1b, "wholly fs/a.c:13;" },
		{ 0x34, "wholly fs/a.c:13;part fs/b.c:12;" },
		{ 0x38, "part fs/b.c:12;" },
		{ 0x60, "" },
		{ 0x77, "part fs/b.c:12;" },
		{ 0x78, "" },
	};
	struct fentry_inlined_frame frames[2] = {};

	expect(fentry_index__inlined_at(idx, TEXT_ADDR + 0x34, frames, 1, NULL) == 2 &&
		       frames[0].name && !frames[1].name,
	       "two functions are inlined at 0x34, with room for one");
	for_each_in(c, cases)
		report_text(inlined_at(c->offset), c->want,
			    textf("functions that are inlined at %#x", c->offset));
}

static void test_bad_range(const struct bad_byte *bad)
{
	if (!open_bad(offsetof(struct origins, ranges), bad))
		return report(false, bad->what, error.msg);
	report(strstr(inlined_at(0x10), "where the code of each call is"), bad->what,
	       inlined_at(0x10));
}

/* Each file that ends too early is refused. */
static void test_short_files(void)
{
	size_t size, refused = 0;
	int err;

	for (size = 0; size < good.size; size++) {
		if (!write_file(INLINED, good.data, size))
			break;
		err = open_index(true);
		refused += err == -EINVAL && strstr(error.msg, EITHER);
		/* files of other tools may end with the strings */
		refused += !err && size > good.origins_at - 4 && size <= good.origins_at;
	}
	report(refused == good.size, "files that end too early", error.msg);
}

/* A file of another tool may not say where calls are from. */
static void test_without_origins(void)
{
	if (!write_file(INLINED, good.data, good.origins_at) || open_index(false))
		return report(false, "a file without origins", error.msg);
	report_call(find("alone"), "-", "-", 0, "a file without origins");
}

static void test_missing(void)
{
	unlink(INLINED);
	report(open_index(true) == -ENOENT && strstr(error.msg, EITHER),
	       "a file that was asked for isn't there", error.msg);
	if (open_index(false))
		return report(false, "a file that nobody asked for isn't there", error.msg);
	expect(!fentry_index__has_inlined(idx) && !fentry_index__inline_problem(idx) &&
		       !fentry_target__inlined_cnt(find("alone")) && !find("alone@fs/a.c"),
	       "a file that nobody asked for isn't there");
}

/* A function begins at one place, in one section. */
static void test_entry_twice(void)
{
	struct locs locs;

	memcpy(&locs, good.data + good.locs_at, sizeof(locs));
	locs.other.type[0] = locs.entry.type[0];
	locs.other.sites[0][0] = locs.entry.sites[0][0];
	report(write_changed(good.locs_at, &locs, sizeof(locs)) && open_index(true) == -EINVAL &&
		       strstr(error.msg, "its entries aren't in order"),
	       "a function with two entries", error.msg);
	write_good(INLINED);
}

int main(void)
{
	libbpf_set_print(NULL);
	if (!make_kernel() || !write_good(INLINED) || symlink(INLINED, OF_KERNEL))
		return expect(false, "can't make the test's files"), 1;
	if (open_index(true))
		return report(false, "index", error.msg), 1;
	test_units();
	test_calls();
	test_unknown();
	test_direct();
	test_ranges();
	test_without_ids();
	test_one_file();
	for_each_in(d, damages)
		test_damage(d);
	for_each_in(bad, bad_numbers)
		test_bad_number(bad);
	for_each_in(bad, bad_ranges)
		test_bad_range(bad);
	test_entry_twice();
	test_short_files();
	test_without_origins();
	test_cache();
	test_missing();
	fentry_index__free(idx);
	return failures ? 1 : 0;
}
