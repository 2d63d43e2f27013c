/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of tests, in a folder of their own. */
#ifndef FENTRY_TEST_FILES_H
#define FENTRY_TEST_FILES_H

#include <ftw.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "test.h"

static char test_folder[] = "/tmp/test_fentry.XXXXXX";

static inline int remove_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static inline void remove_folder(void)
{
	nftw(test_folder, remove_file, 8, FTW_DEPTH | FTW_PHYS);
}

/* Go to an empty folder, which is removed at the end. */
static inline bool enter_folder(void)
{
	return mkdtemp(test_folder) && !atexit(remove_folder) && !chdir(test_folder);
}

static inline bool write_file(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "we");
	bool ok = f && fwrite(data, 1, size, f) == size;

	return f && !fclose(f) && ok;
}

static inline bool write_btf(const char *path, const struct btf *btf)
{
	__u32 size;
	const void *data = btf__raw_data(btf, &size);

	return data && write_file(path, data, size);
}

/* Tests name types by the ids that these get. */
static inline void is(int want, int id)
{
	if (id != want) {
		fprintf(stderr, "a type has id %d, not %d\n", id, want);
		abort();
	}
}

/* Sizes of integers may be such as no compiler would write. */
static inline int add_int(struct btf *btf, const char *name, unsigned int size, bool is_signed)
{
	bool valid = size && size <= 16 && !(size & (size - 1));
	int id = btf__add_int(btf, name, valid ? size : 1, is_signed ? BTF_INT_SIGNED : 0);

	((struct btf_type *)btf__type_by_id(btf, id))->size = size;
	return id;
}

/* @of: a name ("-": none) or a type, @rest: what else is on the line, often a size or a type */
static inline int add_type(struct btf *btf, const char *kind, const char *of, const char *rest)
{
	const char *name = strcmp(of, "-") ? of : NULL;
	int type = atoi(of), number = atoi(rest);

#define IS(word) !strcmp(kind, word)
	return IS("int")     ? add_int(btf, name, number, strchr(rest, 's')) :
	       IS("float")   ? btf__add_float(btf, name, number) :
	       IS("ptr")     ? btf__add_ptr(btf, type) :
	       IS("const")   ? btf__add_const(btf, type) :
	       IS("array")   ? btf__add_array(btf, type, type, number) :
	       IS("typedef") ? btf__add_typedef(btf, name, number) :
	       IS("struct")  ? btf__add_struct(btf, name, number) :
	       IS("union")   ? btf__add_union(btf, name, number) :
	       IS("fwd")     ? btf__add_fwd(btf, name, BTF_FWD_STRUCT) :
	       IS("enum")    ? btf__add_enum(btf, name, number) :
	       IS("proto")   ? btf__add_func_proto(btf, type) :
	       IS("func")    ? btf__add_func(btf, name, BTF_FUNC_STATIC, number) :
	       IS("tag")     ? btf__add_decl_tag(btf, strchr(rest, ' ') + 1, type, number) :
			       -1;
#undef IS
}

/*
 * Add the types of a list to BTF, one on a line, with the id that it gets:
 *
 *	1 int int 4 signed		6 struct s 8 first:1@0 second:2@32
 *	2 ptr 1 (const)			7 union - 4
 *	3 typedef t 1			8 proto 1 first:1 second:2
 *	4 enum e 4			9 func f 8
 *	5 array 1 16 (elements)		10 tag 9 -1 cu:f.c
 *
 * A function may have its tag on its line, and then takes two ids: "9 func f 8 cu:f.c". Returns the
 * id of the last type.
 */
static inline int add_types(struct btf *btf, const char *list)
{
	char kind[16], of[64], rest[128], part[64];
	int id, len, type, bit;
	const char *at;

	for (; *list; list += strcspn(list, "\n"), list += *list == '\n') {
		*rest = '\0';
		sscanf(list, "%d %15s %63s %127[^\n]", &id, kind, of, rest);
		is(id, add_type(btf, kind, of, rest));
		at = strcmp(kind, "proto") ? rest + strcspn(rest, " ") : rest;
		if (!strcmp(kind, "func") && *at)
			is(id + 1, btf__add_decl_tag(btf, at + 1, id, -1));
		if (strcmp(kind, "proto") && strcmp(kind, "struct") && strcmp(kind, "union"))
			continue;
		for (; sscanf(at, " %63[^ :]:%d%n@%d%n", part, &type, &len, &bit, &len) >= 2;
		     at += len)
			is(0, strcmp(kind, "proto") ? btf__add_field(btf, part, type, bit, 0) :
						      btf__add_func_param(btf, part, type));
	}
	return btf__type_cnt(btf) - 1;
}

/* BTF of these types, behind those of a base, which may be NULL. */
static inline struct btf *make_btf(struct btf *base, const char *list)
{
	struct btf *btf = base ? btf__new_empty_split(base) : btf__new_empty();

	add_types(btf, list);
	return btf;
}

#endif /* FENTRY_TEST_FILES_H */
