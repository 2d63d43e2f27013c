// SPDX-License-Identifier: GPL-2.0
/*
 * libfentry on BTF and address tables made here: no kernel feature is needed.
 * Prints "ok <name>" or "not ok <name>" lines, which check.sh numbers.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "libfentry.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static int failures;

static void report(bool ok, const char *what, const char *detail)
{
	printf("%sok %s%s%s\n", ok ? "" : "not ", what,
	       ok || !*detail ? "" : ": ", ok ? "" : detail);
	failures += !ok;
}

/* A kernel: files that an index is read from. */
struct kernel {
	char dir[32];
	char btf_path[64], ids_path[64];
};

static bool write_file(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "we");
	bool ok;

	if (!f)
		return false;
	ok = fwrite(data, 1, size, f) == size;
	return !fclose(f) && ok;
}

/*
 * [1] int, [2] struct st {}, [3] struct st *, [4] int (struct st *s, int n),
 * [5] void (void), [6] alone, [7] twin, [8] tag on 7, [9] twin, [10] tag on 9,
 * [11] untagged, [12] untagged, [13] twin, [14] tag on 13, [15] foo.isra.0
 */
static struct btf *make_btf(void)
{
	struct btf *btf = btf__new_empty();
	int err = 0;

	err |= btf__add_int(btf, "int", 4, BTF_INT_SIGNED) != 1;
	err |= btf__add_struct(btf, "st", 0) != 2;
	err |= btf__add_ptr(btf, 2) != 3;
	err |= btf__add_func_proto(btf, 1) != 4;
	err |= btf__add_func_param(btf, "s", 3);
	err |= btf__add_func_param(btf, "n", 1);
	err |= btf__add_func_proto(btf, 0) != 5;
	err |= btf__add_func(btf, "alone", BTF_FUNC_GLOBAL, 4) != 6;
	err |= btf__add_func(btf, "twin", BTF_FUNC_STATIC, 4) != 7;
	err |= btf__add_decl_tag(btf, "cu:net/core/twin.c", 7, -1) != 8;
	err |= btf__add_func(btf, "twin", BTF_FUNC_STATIC, 5) != 9;
	err |= btf__add_decl_tag(btf, "cu:kernel/bpf/other.c", 9, -1) != 10;
	err |= btf__add_func(btf, "untagged", BTF_FUNC_STATIC, 5) != 11;
	err |= btf__add_func(btf, "untagged", BTF_FUNC_STATIC, 5) != 12;
	err |= btf__add_func(btf, "twin", BTF_FUNC_STATIC, 5) != 13;
	err |= btf__add_decl_tag(btf, "cu:kernel/bpf/other.c", 13, -1) != 14;
	err |= btf__add_func(btf, "foo.isra.0", BTF_FUNC_STATIC, 4) != 15;
	if (err) {
		btf__free(btf);
		return NULL;
	}
	return btf;
}

static const char ids[] =
	"ffffffff81000100 T alone\t1:6\n"
	"ffffffff81000300 t twin\t1:7\n"
	"ffffffff81000200 t twin\t1:9\n"
	"ffffffff81000250 t twin\t1:13\n"
	"ffffffffc0000000 t twin\t[a_module]\t2:20\n"
	"ffffffff81000400 t foo.isra.0\t1:15\n";

static bool kernel__create(struct kernel *k)
{
	struct btf *btf = make_btf();
	const void *data;
	__u32 size;
	bool ok;

	strcpy(k->dir, "/tmp/test_libfentry.XXXXXX");
	if (!btf || !mkdtemp(k->dir))
		return false;
	snprintf(k->btf_path, sizeof(k->btf_path), "%s/btf", k->dir);
	snprintf(k->ids_path, sizeof(k->ids_path), "%s/ids", k->dir);
	data = btf__raw_data(btf, &size);
	ok = write_file(k->btf_path, data, size) &&
	     write_file(k->ids_path, ids, sizeof(ids) - 1);
	btf__free(btf);
	return ok;
}

static void kernel__remove(const struct kernel *k)
{
	unlink(k->btf_path);
	unlink(k->ids_path);
	rmdir(k->dir);
}

static void test_parse_errors(void)
{
	static const char * const bad[] = {
		"", "@", "@a.c", "name@", ":name", "mod:", "mod:@a.c", "#",
		"#0", "#x", "#1x", "#-1", "#4294967296", "# 1",
	};
	struct fentry_error error;
	struct fentry_spec spec;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		char what[128];

		memset(&error, 0, sizeof(error));
		snprintf(what, sizeof(what), "'%s' is no specification", bad[i]);
		report(fentry_spec__parse(bad[i], &spec, &error) == -EINVAL &&
		       error.err == -EINVAL && strstr(error.msg, bad[i]),
		       what, error.msg);
	}
}

struct find_case {
	const char *spec;
	const char *ids;		/* of what is found, in order */
	int err;			/* of fentry_index__resolve() */
};

static const struct find_case find_cases[] = {
	{ "alone", " 6", 0 },
	{ "vmlinux:alone", " 6", 0 },
	{ "a_module:alone", "", -ENOENT },
	{ "alone@twin.c", "", -ENOENT },
	{ "twin", " 9 13 7", -ENOTUNIQ },
	{ "twin@twin.c", " 7", 0 },
	{ "twin@core/twin.c", " 7", 0 },
	{ "twin@net/core/twin.c", " 7", 0 },
	{ "twin@/net/core/twin.c", "", -ENOENT },
	{ "twin@win.c", "", -ENOENT },
	{ "twin@core", "", -ENOENT },
	{ "twin@other.c", " 9 13", -ENOTUNIQ },
	{ "t*", " 9 13 7", 0 },
	{ "t*@twin.c", " 7", 0 },
	{ "?win@twin.c", " 7", 0 },
	{ "[tu]*", " 9 13 7 11 12", 0 },
	{ "#7", " 7", 0 },
	{ "#8", "", -ENOENT },
	{ "foo", "", -ENOENT },
	{ "foo.*", " 15", 0 },
};

static void test_find(const struct fentry_index *idx, const struct find_case *c)
{
	const struct fentry_target **found = NULL;
	struct fentry_error error = { .err = 0 };
	struct fentry_spec spec;
	char what[128], seen[128] = "";
	size_t i, cnt = 0;
	int err;

	snprintf(what, sizeof(what), "'%s' finds%s", c->spec,
		 *c->ids ? c->ids : " nothing");
	if (fentry_spec__parse(c->spec, &spec, &error)) {
		report(false, what, error.msg);
		return;
	}
	err = fentry_index__resolve(idx, &spec, &found, &cnt, &error);
	for (i = 0; i < cnt; i++)
		snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen),
			 " %u", found[i]->type_id);
	report(err == c->err && err == error.err && !strcmp(seen, c->ids),
	       what, error.msg);
	free(found);
	fentry_spec__clear(&spec);
}

static const struct fentry_target *by_id(const struct fentry_index *idx,
					 __u32 id)
{
	const struct fentry_target *all;
	size_t i, cnt;

	all = fentry_index__targets(idx, &cnt);
	for (i = 0; i < cnt; i++)
		if (all[i].type_id == id)
			return &all[i];
	return NULL;
}

/* What is printed of a function, and the specification that means it alone. */
static void test_print(struct fentry_index *idx)
{
	static const struct {
		__u32 id;
		const char *spec;
		const char *prototype;
		__u64 addr;
	} cases[] = {
		{ 6, "alone", "int alone(struct st *s, int n)",
		  0xffffffff81000100 },
		{ 7, "twin@net/core/twin.c", "int twin(struct st *s, int n)",
		  0xffffffff81000300 },
		{ 9, "#9", "void twin(void)", 0xffffffff81000200 },
		{ 11, "#11", "void untagged(void)", 0 },
		{ 15, "foo.isra.0", "int foo.isra.0(struct st *s, int n)",
		  0xffffffff81000400 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct fentry_target *t = by_id(idx, cases[i].id);
		struct fentry_error error;
		char *prototype = NULL;
		char spec[64];

		fentry_target__prototype(idx, t, &prototype, &error);
		report(prototype && !strcmp(prototype, cases[i].prototype),
		       cases[i].prototype, prototype ?: error.msg);
		free(prototype);
		fentry_target__spec(idx, t, spec, sizeof(spec));
		report(!strcmp(spec, cases[i].spec), cases[i].spec, spec);
		report(t->addr == cases[i].addr, "its address", "");
	}
}

static void test_nearest(const struct fentry_index *idx)
{
	static const struct {
		const char *spec, *ids;
	} cases[] = {
		{ "alnoe", " 6" },		/* two letters swapped */
		{ "twon", " 9 13 7" },
		{ "twin@nowhere.c", " 9 13 7" },
		{ "foo", " 15" },		/* the beginning of a name */
		{ "agged", " 11 12" },		/* a part of a name */
		{ "alo*x", " 6" },
		{ "nothing_like_it", "" },
		{ "#99", "" },
	};
	const struct fentry_target *nearest[4];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fentry_spec spec = {};
		char what[64], seen[64] = "";
		int j, cnt;

		fentry_spec__parse(cases[i].spec, &spec, NULL);
		cnt = fentry_index__nearest(idx, &spec, ARRAY_SIZE(nearest),
					    nearest);
		for (j = 0; j < cnt; j++)
			snprintf(seen + strlen(seen),
				 sizeof(seen) - strlen(seen), " %u",
				 nearest[j]->type_id);
		snprintf(what, sizeof(what), "nearest to '%s'", cases[i].spec);
		report(!strcmp(seen, cases[i].ids), what, seen);
		fentry_spec__clear(&spec);
	}
}

/* Address tables that don't belong to the BTF, or aren't tables. */
static void test_bad_tables(const struct kernel *k)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "ffffffff81000100 T alone\n", "expected 'address" },
		{ "ffffffff81000100 T alone\t1\n", "expected 'address" },
		{ "x T alone\t1:6\n", "expected 'address" },
		{ "ffffffff81000100 T alone\t1:6 x\n", "expected 'address" },
		{ "\n", "expected 'address" },
		{ "ffffffff81000100 T alone\t1:7\n", "BTF id 7 is twin, not alone" },
		{ "ffffffff81000100 T alone\t1:4\n", "BTF id 4 of alone is no function" },
		{ "ffffffff81000100 T alone\t1:99\n", "BTF id 99 of alone is no function" },
	};
	struct fentry_index_opts opts = { k->btf_path, k->ids_path };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fentry_error error = { .err = 0 };
		struct fentry_index *idx;

		write_file(k->ids_path, cases[i].text, strlen(cases[i].text));
		report(fentry_index__open(&opts, &idx, &error) == -EINVAL &&
		       strstr(error.msg, cases[i].message) &&
		       strstr(error.msg, ":1: "), cases[i].message, error.msg);
	}
	write_file(k->ids_path, ids, sizeof(ids) - 1);
}

static void test_missing_files(const struct kernel *k)
{
	struct fentry_index_opts no_btf = { "/no/btf", k->ids_path };
	struct fentry_index_opts no_ids = { k->btf_path, "/no/ids" };
	struct fentry_index_opts not_btf = { k->ids_path, k->ids_path };
	struct fentry_error error = { .err = 0 };
	struct fentry_index *idx;

	report(fentry_index__open(&no_btf, &idx, &error) == -EOPNOTSUPP,
	       "no BTF", error.msg);
	report(fentry_index__open(&no_ids, &idx, &error) == -EOPNOTSUPP,
	       "no address table", error.msg);
	report(fentry_index__open(&not_btf, &idx, &error) < 0 &&
	       strstr(error.msg, k->ids_path), "not BTF", "");
}

int main(void)
{
	struct fentry_index_opts opts;
	struct fentry_error error;
	struct fentry_index *idx;
	struct kernel k;
	size_t i;

	libbpf_set_print(NULL);
	if (!kernel__create(&k)) {
		report(false, "can't make the test's files", "");
		return 1;
	}
	test_parse_errors();
	opts = (struct fentry_index_opts){ k.btf_path, k.ids_path };
	if (fentry_index__open(&opts, &idx, &error)) {
		report(false, "index", error.msg);
		kernel__remove(&k);
		return 1;
	}
	for (i = 0; i < ARRAY_SIZE(find_cases); i++)
		test_find(idx, &find_cases[i]);
	test_print(idx);
	test_nearest(idx);
	fentry_index__free(idx);
	test_bad_tables(&k);
	test_missing_files(&k);
	kernel__remove(&k);
	return failures ? 1 : 0;
}
