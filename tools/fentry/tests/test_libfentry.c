// SPDX-License-Identifier: GPL-2.0-only
/* Tests libfentry with BTF and address tables that are made here: no kernel feature is needed. */
#include <pthread.h>
#include <sys/stat.h>

#include "libfentry.h"
#include "attach/selection.h"
#include "test_files.h"

static const char vmlinux_types[] = "1 int int 4 signed\n"
				    "2 struct st 0\n"
				    "3 ptr 2\n"
				    "4 proto 1 s:3 n:1\n"
				    "5 proto 0\n"
				    "6 func alone 4\n"
				    "7 func twin 4 cu:net/core/twin.c\n"
				    "9 func twin 5 cu:kernel/bpf/other.c\n"
				    "11 func untagged 5\n"
				    "12 func untagged 5\n"
				    "13 func twin 5 cu:kernel/bpf/other.c\n"
				    "15 func foo.isra.0 4\n"
				    "16 func bar.llvm.77 4\n"
				    "17 func both 4 cu:net/both.c\n"
				    "19 func both.llvm.1 4 cu:mm/both.c\n"
				    "21 func pair.llvm.1 4 cu:mm/pair.c\n"
				    "23 func pair.llvm.2 4 cu:net/pair.c\n"
				    "25 func bar.llvm.cold 4\n";

static const char module_types[] =
	"26 struct own 0\n"
	"27 ptr 26\n"
	"28 proto 0 o:27\n"
	"29 func alone 28\n"
	"30 func in_module 28\n"
	"31 func mod_twin 28 cu:drivers/a/x.c\n"
	"33 func mod_twin 5 cu:drivers/a/x.c\n"
	"35 func unannotated 5\n"
	"36 tag 30 -1 source:void in_module(struct own *o, int n)\n"
	"37 tag 29 0 source:of a parameter\n"
	/* one function with a copy and a piece; a header's in two units, and another one */
	"38 func cl 5 cu:drivers/cl.c\n"
	"40 func cl.constprop.0 5 cu:drivers/cl.c\n"
	"42 func cl.part.0 5 cu:drivers/cl.c\n"
	"44 func hd 5 cu:drivers/a.c\n"
	"46 tag 44 -1 file:drivers/include/hd.h\n"
	"47 func hd 5 cu:drivers/b.c\n"
	"49 tag 47 -1 file:drivers/include/hd.h\n"
	"50 func hd 5 cu:drivers/hd.c\n"
	/* b.c includes a.c, which is compiled by itself, too */
	"52 func inc 5 cu:drivers/a.c\n"
	"54 func inc 5 cu:drivers/b.c\n"
	"56 tag 54 -1 file:drivers/a.c\n"
	"57 func pair 5\n"
	"58 func part_of 5 cu:drivers/b.c\n"
	"60 tag 58 -1 file:drivers/a.c\n";

static const char ids[] = "ffffffff81000100 T alone\t1:6\n"
			  "ffffffff81000300 t twin\t1:7\n"
			  "ffffffff81000200 t twin\t1:9\n"
			  "ffffffff81000250 t twin\t1:13\n"
			  "ffffffff81000400 t foo.isra.0\t1:15\n"
			  "ffffffff81000500 t untagged\t1:12\n"
			  "ffffffff81000200 t also_twin\t1:9\n"
			  "ffffffff81000500 T no_tag\t1:12\n"
			  "ffffffff81000500 T a_tag\t1:12\n"
			  "ffffffff81000600 T of_another_build\t1:11\n"
			  "ffffffff81000400 t fo\t1:15\n"
			  "ffffffffc0000000 t alone\t[a_module]\t2:29\n"
			  "ffffffffc0000010 t in_module\t[a_module]\t2:30\n"
			  "ffffffffc0000020 t mod_twin\t[a_module]\t2:31\n"
			  "ffffffffc0000030 t mod_twin\t[a_module]\t2:33\n"
			  "ffffffffc0001000 t gone\t[other_module]\t3:30\n";

/* The same kernel, as it looks without the series. */
static const char kallsyms[] = "0000000000000000 A fixed_percpu_data\n"
			       "ffffffff81000100 T alone\n"
			       "ffffffff81000300 t twin\n"
			       "ffffffff81000200 t twin\n"
			       "ffffffff81000250 t twin\n"
			       "ffffffff81000400 t foo.isra.0\n"
			       "ffffffff81000500 t untagged\n"
			       "ffffffff82000500 d bar.llvm.77\n"
			       "82000600 d bar.llvm.77\n"
			       "ffffffffc0000000 t alone\t[a_module]\n"
			       "ffffffffc0000010 t in_module\t[a_module]\n"
			       "ffffffffc0000020 t mod_twin\t[a_module]\n"
			       "ffffffffc0000030 t mod_twin\t[a_module]\n"
			       "ffffffffc0000040 t unannotated\t[a_module]\n"
			       "ffffffffc0000050 t unannotated\t[a_module]\n";

/* The index that was opened last, and what was wrong with it. */
static struct fentry_index *idx;
static struct fentry_error error;

static bool make_kernel(void)
{
	struct btf *btf = make_btf(NULL, vmlinux_types), *module = make_btf(btf, module_types);
	bool ok = enter_folder() && !mkdir("btf", 0700) && write_btf("btf/vmlinux", btf) &&
		  write_btf("btf/a_module", module) && write_file("ids", ids, sizeof(ids) - 1) &&
		  write_file("kallsyms", kallsyms, sizeof(kallsyms) - 1);

	btf__free(module);
	btf__free(btf);
	return ok;
}

static int open_kernel(const char *btf_dir, const char *ids, const char *symbols)
{
	LIBBPF_OPTS(fentry_index_opts, opts, .btf_dir = btf_dir, .ids_path = ids,
		    .kallsyms_path = symbols);

	fentry_index__free(idx);
	idx = NULL;
	error = (struct fentry_error){};
	return fentry_index__open(&opts, &idx, &error);
}

static void test_parse_errors(void)
{
	static const char *const bad[] = {
		"",	  "@",	    "@a.c", "name@", ":name", "mod:", "mod:@a.c",    "#",   "mod:#",
		"mod:#x", "#1@a.c", "#0",   "#x",    "#1x",   "#-1",  "#4294967296", "# 1",
	};
	struct fentry_spec spec;

	for_each_in(text, bad) {
		error = (struct fentry_error){};
		report(fentry_spec__parse(*text, &spec, &error) == -EINVAL &&
			       error.err == -EINVAL && strstr(error.msg, *text),
		       textf("'%s' is no specification", *text), error.msg);
	}
}

struct find_case {
	const char *spec;
	const char *ids; /* of the functions found, in order */
	int err;	 /* of fentry_index__resolve() */
};

static const struct find_case find_cases[] = {
	{ "alone", " 6 29", -ENOTUNIQ },
	{ "vmlinux:alone", " 6", 0 },
	{ "a_module:alone", " 29", 0 },
	{ "other_module:alone", "", -ENOENT },
	{ "in_module", " 30", 0 },
	{ "vmlinux:in_module", "", -ENOENT },
	{ "a_module:*", " 29 38 40 42 44 47 50 30 52 54 31 33 57 58 35", 0 },
	{ "a_module:#30", " 30", 0 },
	{ "a_module:#7", "", -ENOENT },
	{ "#30", "", -ENOENT },
	{ "in_module@x.c", "", -ENOTUNIQ }, /* its unit isn't known */
	{ "in_modul@x.c", "", -ENOENT },
	{ "alone@twin.c", "", -ENOTUNIQ },
	{ "twin", " 9 13 7", -ENOTUNIQ },
	{ "twin@twin.c", " 7", 0 },
	{ "twin@core/twin.c", " 7", 0 },
	{ "twin@net/core/twin.c", " 7", 0 },
	{ "twin@./net/core/twin.c", " 7", 0 },
	{ "twin@../linux/net/core/twin.c", "", -ENOENT },
	{ "twin@/src/linux/net/core/twin.c", " 7", 0 },
	{ "twin@/net/core/my_twin.c", "", -ENOENT },
	{ "twin@net/*/t*.c", " 7", 0 },
	{ "twin@net/*.c", "", -ENOENT },
	{ "twin@*.c", " 9 13 7", -ENOTUNIQ },
	{ "twin@win.c", "", -ENOENT },
	{ "twin@core", "", -ENOENT },
	{ "twin@other.c", " 9 13", 0 }, /* this unit was compiled twice */
	{ "t*", " 9 13 7", 0 },
	{ "t*@twin.c", " 7", 0 },
	{ "?win@twin.c", " 7", 0 },
	{ "[tu]*", " 9 13 7 35 11 12", 0 },
	{ "untagged", " 12", 0 }, /* 11 has no address, so it is no candidate */
	{ "#11", " 11", 0 },
	{ "#7", " 7", 0 },
	{ "#8", "", -ENOENT },
	{ "foo", " 15", 0 },
	{ "fo", " 15", 0 }, /* another name of it */
	{ "f", "", -ENOENT },
	{ "no_tag", " 12", 0 },
	{ "a_module:no_tag", "", -ENOENT },
	{ "*_tag", " 12", 0 },
	{ "of_another_build", "", -ENOENT },
	{ "also_twin@other.c", " 9", 0 },
	{ "also_twin@twin.c", "", -ENOENT },
	{ "foo.isra", "", -ENOENT },
	{ "foo.*", " 15", 0 },
	{ "bar", " 16", 0 },
	{ "vmlinux:bar", " 16", 0 },
	{ "a_module:bar", "", -ENOENT },
	{ "ba", "", -ENOENT },
	{ "bar.llvm", "", -ENOENT },
	{ "bar@a.c", "", -ENOTUNIQ },
	{ "both", " 17 19", -ENOTUNIQ },
	{ "=both", " 17", 0 },
	{ "vmlinu-x:both", "", -ENOENT },
	{ "vmlinux:=both@net/both.c", " 17", 0 },
	{ "=bot", "", -ENOENT },
	{ "cl", " 38 40", 0 },
	{ "cl@cl.c", " 38 40", 0 },
	{ "=cl", " 38", 0 },
	{ "cl.constprop.0", " 40", 0 },
	{ "cl.part.0", " 42", 0 },
	{ "cl.part", "", -ENOENT },
	{ "hd", " 44 47 50", -ENOTUNIQ },
	{ "hd@hd.h", " 44 47", 0 },
	{ "hd@b.c", " 47", 0 },
	{ "h*@include/*.h", " 44 47", 0 },
	{ "inc", " 52 54", 0 },
	{ "inc@a.c", " 52", 0 }, /* units come first */
	{ "inc@b.c", " 54", 0 },
	{ "both@mm/both.c", " 19", 0 },
	{ "both@net/both.c", " 17", 0 },
	{ "both@both.c", " 17 19", -ENOTUNIQ },
	{ "both.llvm.1", " 19", 0 },
	{ "pair", " 57 21 23", -ENOTUNIQ },
	{ "pair@mm/pair.c", "", -ENOTUNIQ }, /* it isn't known where the module's is from */
	{ "vmlinux:pair@mm/pair.c", " 21", 0 },
	{ "part_of@a.c", " 58", 0 },
	{ "*@drivers/a.c", " 44 52 58", 0 }, /* units come first for each name */
};

/* The same kernel without ids. A name that several functions have is refused. */
static const struct find_case inexact_cases[] = {
	{ "vmlinux:alone", " 6", 0 },
	{ "a_module:alone", " 29", 0 },
	{ "foo.isra.0", " 15", 0 },
	{ "in_module", " 30", 0 },
	{ "twin@twin.c", " 7", -ENOTUNIQ },
	{ "#7", " 7", -ENOTUNIQ },
	{ "#11", " 11", 0 }, /* two FUNCs of equal types, and one symbol */
	{ "untagged", " 11", 0 },
	{ "#12", "", -EINVAL },
	{ "a_module:#31", " 31", -ENOTUNIQ },
	{ "bar", " 16", 0 }, /* its symbol is data: no address */
	{ "foo.isra.0@a.c", "", -ENOTUNIQ },
	{ "foo@a.c", "", -ENOTUNIQ },
	{ "pair@c.c", "", -ENOTUNIQ },
	{ "unannotated", " 35", -ENOTUNIQ }, /* two symbols, but one FUNC */
	{ "unannotated@a.c", "", -ENOTUNIQ },
};

/* The ids of functions. */
static const char *ids_text(const struct fentry_target *const *found, size_t cnt)
{
	static char text[128];
	size_t i;

	*text = '\0';
	for (i = 0; i < cnt; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " %u",
			 found[i]->type_id);
	return text;
}

static void test_find(const struct find_case *c)
{
	const char *what = textf("'%s' finds%s", c->spec, *c->ids ? c->ids : " nothing");
	const struct fentry_target **found = NULL;
	struct fentry_spec spec;
	size_t cnt = 0;
	int err;

	error.err = 0;
	if (fentry_spec__parse(c->spec, &spec, &error))
		return report(false, what, error.msg);
	err = fentry_index__resolve(idx, &spec, &found, &cnt, &error);
	report(err == c->err && err == error.err && !strcmp(ids_text(found, cnt), c->ids), what,
	       error.msg);
	free(found);
	fentry_spec__clear(&spec);
}

static const struct fentry_target *by_id(__u32 id)
{
	const struct fentry_target *t;
	size_t i;

	for (i = 0; (t = fentry_index__target(idx, i)); i++)
		if (t->type_id == id)
			break;
	return t;
}

/* Tests the text that is printed for a function, and the specification that means only this one. */
static void test_print(void)
{
	static const struct {
		__u32 id;
		const char *spec;
		const char *prototype;
		__u64 addr;
		const char *label;    /* NULL: the same as the specification */
		const char *function; /* specification of the function; NULL: the same */
		const char *source;
	} cases[] = {
		{ 6, "vmlinux:alone", "int alone(struct st *s, int n)",
		  .addr = 0xffffffff81000100 },
		{ 29, "a_module:alone", "void alone(struct own *o)", .addr = 0xffffffffc0000000 },
		{ 30, "in_module", "void in_module(struct own *o)", .addr = 0xffffffffc0000010,
		  .source = "void in_module(struct own *o, int n)" },
		{ 31, "a_module:#31", "void mod_twin(struct own *o)", .addr = 0xffffffffc0000020,
		  .label = "a_module:mod_twin@drivers/a/x.c#31", .function = "mod_twin" },
		{ 16, "bar.llvm.77", "int bar.llvm.77(struct st *s, int n)", .function = "bar" },
		{ 17, "=both", "int both(struct st *s, int n)", .label = "both",
		  .function = "both@net/both.c" },
		{ 19, "both.llvm.1", "int both.llvm.1(struct st *s, int n)",
		  .function = "both@mm/both.c" },
		{ 38, "=cl", "void cl(void)", .label = "cl", .function = "cl" },
		{ 40, "cl.constprop.0", "void cl.constprop.0(void)", .function = "cl" },
		{ 42, "cl.part.0", "void cl.part.0(void)", .addr = 0 },
		{ 44, "hd@drivers/a.c", "void hd(void)", .function = "hd@drivers/include/hd.h" },
		{ 52, "inc@drivers/a.c", "void inc(void)", .function = "inc" },
		{ 7, "twin@net/core/twin.c", "int twin(struct st *s, int n)",
		  .addr = 0xffffffff81000300 },
		{ 9, "#9", "void twin(void)", .addr = 0xffffffff81000200,
		  .label = "twin@kernel/bpf/other.c#9", .function = "twin@kernel/bpf/other.c" },
		{ 11, "#11", "void untagged(void)", .label = "untagged#11" },
		{ 15, "foo.isra.0", "int foo.isra.0(struct st *s, int n)",
		  .addr = 0xffffffff81000400, .function = "foo" },
	};

	for_each_in(c, cases) {
		const struct fentry_target *t = by_id(c->id);
		char label[FENTRY_LABEL_MAX], spec[64];
		const char *wanted = c->label ?: c->spec;
		char *prototype = NULL;

		fentry_target__prototype(t, &prototype, &error);
		report_text(prototype ?: error.msg, c->prototype, c->prototype);
		free(prototype);
		fentry_target__spec(t, spec, sizeof(spec));
		report_text(spec, c->spec, c->spec);
		fentry_target__label(t, label);
		report_text(label, wanted, wanted);
		wanted = c->function ?: c->spec;
		fentry_target__function_spec(t, spec, sizeof(spec));
		report_text(spec, wanted, wanted);
		expect(t->addr == c->addr, "its address");
		report_text(t->source, c->source, "its source, if that is another");
	}
}

static void test_nearest(void)
{
	static const struct {
		const char *spec, *ids;
	} cases[] = {
		{ "alnoe", " 6 29" }, /* two letters swapped */
		{ "twon", " 9 13 7" }, { "twin@nowhere.c", " 9 13 7" },
		{ "foo", " 15" },      /* the beginning of a name */
		{ "agged", " 11 12" }, /* a part of a name */
		{ "alo*x", " 6 29" },  { "nothing_like_it", "" },
		{ "#99", "" },
	};
	const struct fentry_target *found[4];

	for_each_in(c, cases) {
		struct fentry_spec spec = {};
		int cnt;

		fentry_spec__parse(c->spec, &spec, NULL);
		cnt = nearest(idx, &spec, ARRAY_SIZE(found), found);
		report_text(ids_text(found, cnt), c->ids, textf("nearest to '%s'", c->spec));
		fentry_spec__clear(&spec);
	}
}

/* Tests address tables that don't belong to the BTF, and files that aren't tables. */
static void test_bad_tables(void)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "ffffffff81000100 T alone\n", "expected 'address" },
		{ "ffffffff81000100 T alone\t1\n", "expected 'address" },
		{ "x T alone\t1:6\n", "expected 'address" },
		{ "ffffffff81000100 T alone\t1:6 x\n", "expected 'address" },
		{ "\n", "expected 'address" },
		{ "ffffffff81000100 T alone\t1:6x\n", "expected 'address" },
		{ "ffffffff81000100 T alone\t:6\n", "expected 'address" },
		{ "ffffffffc0000000 t twin\t[a_module]\t2:7\n", "BTF id 7 of twin is no function" },
		{ "ffffffff81000100 T alone\t1:4\n", "BTF id 4 of alone is no function" },
		{ "ffffffff81000100 T alone\t1:99\n", "BTF id 99 of alone is no function" },
	};

	for_each_in(c, cases) {
		write_file("ids", c->text, strlen(c->text));
		report(open_kernel("btf", "ids", "/no") == -EINVAL &&
			       strstr(error.msg, c->message) && strstr(error.msg, ":1: "),
		       c->message, error.msg);
	}
	write_file("ids", ids, sizeof(ids) - 1);
}

static void test_aliases(void)
{
	const struct fentry_target *t = NULL;
	const char *first, *second;

	if (fentry_index__lookup(idx, "untagged", &t, NULL))
		return;
	first = fentry_target__alias(t, 0);
	second = fentry_target__alias(t, 1);
	report(first && second && !strcmp(first, "a_tag") && !strcmp(second, "no_tag") &&
		       !fentry_target__alias(t, 2),
	       "the other names of a function", first ?: "none");
	if (!fentry_index__lookup(idx, "vmlinux:alone", &t, NULL))
		report(!fentry_target__alias(t, 0), "a function with one name",
		       fentry_target__alias(t, 0) ?: "");
}

static void test_missing_files(void)
{
	report(open_kernel("/no/btf", "ids", "/no") == -EOPNOTSUPP &&
		       strstr(error.msg, "/no/btf/vmlinux"),
	       "no BTF", error.msg);
	report(open_kernel("btf", "/no/ids", "/no/symbols") == -EOPNOTSUPP &&
		       strstr(error.msg, "/no/symbols"),
	       "no symbols", error.msg);
	rename("ids", "vmlinux");
	report(open_kernel(".", "ids", "/no") < 0 && strstr(error.msg, "./vmlinux"), "not BTF",
	       error.msg);
	rename("vmlinux", "ids");
}

/* Tests the options of programs that were compiled for another version. */
static void test_opts(void)
{
	struct {
		struct fentry_index_opts known;
		char newer[16];
	} opts = {
		.known = { sizeof(opts), "btf", "ids", "/no" },
	};
	struct fentry_index *other;

	report(!fentry_index__open(&opts.known, &other, &error),
	       "options of a newer library that aren't set", error.msg);
	fentry_index__free(other);
	opts.newer[3] = 1;
	report(fentry_index__open(&opts.known, &other, &error) == -EINVAL &&
		       strstr(error.msg,
			      "an option is set that this version of libfentry doesn't know"),
	       "an option of a newer library", error.msg);
	opts.known.sz = offsetof(struct fentry_index_opts, kallsyms_path);
	opts.known.kallsyms_path = (const char *)1;
	report(!fentry_index__open(&opts.known, &other, &error), "options of an older library",
	       error.msg);
	fentry_index__free(other);
	opts.known.sz = 0;
	report(fentry_index__open(&opts.known, &other, &error) == -EINVAL &&
		       strstr(error.msg, "LIBBPF_OPTS()"),
	       "options without a size", error.msg);
}

/* Tests the order of the functions, and its end. */
static void test_positions(void)
{
	size_t i, cnt = fentry_index__cnt(idx);
	bool sorted = true;

	for (i = 1; i < cnt; i++) {
		const struct fentry_target *a = fentry_index__target(idx, i - 1);
		const struct fentry_target *b = fentry_index__target(idx, i);

		sorted &= a < b && a->idx == idx && strcmp(a->name, b->name) <= 0;
	}
	expect(cnt > 10 && sorted, "functions in their order");
	expect(!fentry_index__target(idx, cnt), "none behind the last");
}

/* The errors of fentry_index__lookup() name specifications to use. */
static void test_lookup(void)
{
	static const struct {
		const char *spec, *message;
	} cases[] = {
		{ "alone",
		  "'alone' matches 2 functions; choose one: vmlinux:alone, a_module:alone" },
		{ "mod_twin",
		  "'mod_twin' is one function of the source, but 2 functions of the kernel; choose one: a_module:#31, a_module:#33" },
		{ "cl",
		  "'cl' is one function of the source, but 2 functions of the kernel; choose one: =cl, cl.constprop.0" },
		{ "both*",
		  "'both*' matches 2 functions; choose one: both@net/both.c, both@mm/both.c" },
		{ "hd",
		  "'hd' matches 2 functions; choose one: hd@drivers/include/hd.h, hd@drivers/hd.c" },
		{ "pair",
		  "'pair' matches 3 functions; choose one: a_module:pair, vmlinux:pair@mm/pair.c, vmlinux:pair@net/pair.c" },
		{ "=tw*", "bad target '=tw*': behind '=' is the name of one symbol, without glob" },
		{ "=#7", "bad target '=#7': behind '=' is the name of one symbol, without glob" },
		{ "alone,twin",
		  "bad target 'alone,twin': no function has a comma in its name; give each function as an argument of its own" },
		{ "alone+0x5",
		  "bad target 'alone+0x5': a program is attached to a function's entry or exit, not at an offset" },
		{ "twin@", "bad target 'twin@': expected [module:]name[@path] or [module:]#id" },
	};
	const struct fentry_target *target = NULL;

	for_each_in(c, cases) {
		error.msg[0] = '\0';
		report(fentry_index__lookup(idx, c->spec, &target, &error) && !target &&
			       !strcmp(error.msg, c->message),
		       c->message, error.msg);
	}
	expect(!fentry_index__lookup(idx, "in_module", &target, NULL) && target->type_id == 30 &&
		       btf__type_by_id(target->btf, 30),
	       "lookup of a module's function");
}

/* Tests which symbols the name "foo" means. */
static void test_base_names(void)
{
	static const struct {
		const char *name;
		bool is;
	} cases[] = {
		{ "foo.llvm.123", true },      { "foo.isra.0", true },
		{ "foo.constprop.0", true },   { "foo.constprop.0.isra.12", true },
		{ "foo.specialized.1", true }, { "foo", true },
		{ "foo.part.0", false },       { "foo.isra.0.cold", false },
		{ "foo.isra.", false },	       { "foo.isra.0x", false },
		{ "foo.isra", false },	       { "foobar.isra.0", false },
		{ "fo.isra.0", false },	       { "foo.isra.0.part.0", false },
	};
	const struct fentry_spec spec = { .name = "foo" };

	for_each_in(c, cases) {
		struct fentry_target target = { .name = c->name };

		expect(fentry_spec__match(&spec, &target) == c->is, c->name);
	}
}

/* Tests naming several functions in a message that is full already. */
static void test_long_message(void)
{
	struct {
		struct fentry_error error;
		char behind[16];
	} e;
	const struct fentry_target *target;
	char spec[sizeof(e.error.msg)];
	size_t len;
	int err;

	for (len = sizeof(spec) - 60; len < sizeof(spec) - 1; len++) {
		memset(spec, '*', len);
		spec[len] = '\0';
		memset(&e, 'x', sizeof(e));
		err = fentry_index__lookup(idx, spec, &target, &e.error);
		if (err != -ENOTUNIQ || e.behind[0] != 'x' ||
		    strnlen(e.error.msg, sizeof(e.error.msg)) == sizeof(e.error.msg))
			break;
	}
	report(len == sizeof(spec) - 1, "a message that is full", spec);
}

/* Print, search and spell all functions, as other threads do at the same time. */
static void *use_index(void *arg)
{
	const struct fentry_target *t, *found;
	char *prototype, spec[64];
	size_t i;
	int round;

	for (round = 0; round < 20; round++) {
		for (i = 0; (t = fentry_index__target(idx, i)); i++) {
			if (fentry_target__prototype(t, &prototype, NULL))
				return NULL;
			free(prototype);
			fentry_target__spec(t, spec, sizeof(spec));
			if (fentry_index__lookup(idx, spec, &found, NULL) || found != t)
				return NULL;
		}
	}
	return arg;
}

static void test_threads(void)
{
	pthread_t threads[4];
	void *result;
	bool ok = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(threads); i++)
		ok &= !pthread_create(&threads[i], NULL, use_index, idx);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		ok &= !pthread_join(threads[i], &result) && result == idx;
	expect(ok, "4 threads share an index");
}

#define WITHOUT_IDS ", and this kernel can't tell them apart: a functions file can, see fentry(1)"

static void test_inexact(void)
{
	static const struct {
		const char *spec, *message;
	} refused[] = {
		{ "twin", "3 functions are called twin" WITHOUT_IDS },
		{ "mod_twin", "2 functions are called mod_twin" WITHOUT_IDS },
		{ "unannotated@a.c", "2 functions are called unannotated" WITHOUT_IDS },
		{ "unannotate*", "2 functions are called unannotated" WITHOUT_IDS },
		/* the message names only functions that can be chosen */
		{ "a_module:[im]?[_d]*",
		  "'a_module:[im]?[_d]*' matches 3 functions; choose one: in_module" },
	};
	const struct fentry_target *target;

	if (open_kernel("btf", "/no", "kallsyms"))
		return report(false, "index without ids", error.msg);
	expect(!fentry_index__is_exact(idx), "it knows that it has no ids");
	for_each_in(c, inexact_cases)
		test_find(c);
	for_each_in(c, refused)
		report(fentry_index__lookup(idx, c->spec, &target, &error) == -ENOTUNIQ &&
			       !strcmp(error.msg, c->message),
		       c->message, error.msg);
	expect(by_id(6)->addr == 0xffffffff81000100, "address of a unique name");
	expect(by_id(30)->addr == 0xffffffffc0000010, "address in a module");
	expect(!by_id(7)->addr && by_id(7)->same_name == 3, "no address if 3 have the name");
	expect(!by_id(16)->addr, "no address without a text symbol");
}

/* Code that the index hasn't got ends a function, too. */
static void test_at(void)
{
	static const struct {
		__u64 addr;
		__u32 id; /* 0: none */
	} cases[] = {
		{ 0xffffffff810000ff, 0 },  { 0xffffffff81000100, 6 }, { 0xffffffff810001ff, 6 },
		{ 0xffffffff81000200, 9 },  { 0xffffffff8100024f, 9 }, { 0xffffffff81000250, 13 },
		{ 0xffffffffc0000015, 30 }, { 0xffffffffc0000045, 0 },
	};
	const struct fentry_target *t;

	if (open_kernel("btf", "ids", "kallsyms"))
		return report(false, "index with symbols", error.msg);
	for_each_in(c, cases) {
		t = fentry_index__at(idx, c->addr);
		report((t ? t->type_id : 0) == c->id,
		       textf("function %u is at %llx", c->id, c->addr), t ? t->name : "none");
	}
}

int main(void)
{
	libbpf_set_print(NULL);
	if (!make_kernel())
		return expect(false, "can't make the test's files"), 1;
	test_parse_errors();
	if (open_kernel("btf", "ids", "/no"))
		return report(false, "index", error.msg), 1;
	for_each_in(c, find_cases)
		test_find(c);
	test_aliases();
	test_print();
	test_positions();
	test_opts();
	test_nearest();
	test_base_names();
	test_long_message();
	test_lookup();
	test_threads();
	test_inexact();
	test_at();
	test_bad_tables();
	test_missing_files();
	fentry_index__free(idx);
	return failures ? 1 : 0;
}
