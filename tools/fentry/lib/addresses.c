// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The addresses of BTF's functions.
 *
 * /proc/kallsyms_btf has a line for each symbol that is where BTF has a function:
 *	ffffffff81000000 t bpf_iter_detach_map\t1:4711
 * that is address, type, name, BTF object id and type id. Functions of modules
 * have \t[module] before the ids. The names of one function have the same ids.
 *
 * Kernels without it have /proc/kallsyms, the same without ids. A function's
 * address is known there if one symbol and one FUNC have its name.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* A line of either file; name, module and ids point into the line. */
struct line {
	unsigned long long addr;
	char type;
	char *name;
	char *module; /* without brackets; NULL for vmlinux */
	char *ids;    /* NULL in /proc/kallsyms */
};

struct reader {
	struct fentry_index *idx;
	const char *path;
	unsigned long nr; /* of the line, from 1 */
	struct fentry_error *error;
	/* The object of the line before: most lines have the same one. */
	struct fentry_object *obj;
	/* One symbol that is looked for, and where it is. */
	const char *name;
	__u64 addr;
	int (*take)(struct reader *r, const struct line *l);
};

static bool parse_line(char *text, struct line *ret)
{
	char *save, *addr, *type, *field, *end;

	addr = strtok_r(text, " \t\n", &save);
	type = strtok_r(NULL, " \t\n", &save);
	ret->name = strtok_r(NULL, " \t\n", &save);
	field = strtok_r(NULL, " \t\n", &save);
	if (!addr || !type || type[1] || !ret->name)
		return false;
	ret->type = *type;
	ret->addr = strtoull(addr, &end, 16);
	ret->module = NULL;
	if (field && field[0] == '[') {
		ret->module = field + 1;
		ret->module[strcspn(ret->module, "]")] = '\0';
		field = strtok_r(NULL, " \t\n", &save);
	}
	ret->ids = field;
	return !*end && (!field || !strtok_r(NULL, " \t\n", &save));
}

/* "1:4711", and nothing behind it. */
static bool parse_ids(const char *text, __u32 *obj_id, __u32 *type_id)
{
	char *end;

	*obj_id = strtoul(text, &end, 10);
	if (end == text || *end != ':')
		return false;
	text = end + 1;
	*type_id = strtoul(text, &end, 10);
	return end > text && !*end;
}

static int read_file(struct reader *r)
{
	FILE *f = fopen(r->path, "re");
	size_t size = 0;
	char *text = NULL;
	struct line l;
	int err = 0;

	if (!f) {
		err = -errno;
		return fentry_error__set(r->error, err, "can't open %s: %s", r->path,
					 strerror(-err));
	}
	errno = 0;
	while (!err && getline(&text, &size, f) >= 0) {
		r->nr++;
		err = parse_line(text, &l) ?
			      r->take(r, &l) :
			      fentry_error__set(r->error, -EINVAL,
						"%s:%lu: expected 'address type name'", r->path,
						r->nr);
	}
	if (!err && !feof(f)) {
		err = -errno ?: -EIO;
		fentry_error__set(r->error, err, "can't read %s: %s", r->path, strerror(-err));
	}
	free(text);
	fclose(f);
	return err;
}

static struct fentry_object *line_object(struct reader *r, const struct line *l)
{
	const char *before = r->obj ? r->obj->module : NULL;

	if (!r->obj || (l->module ? !before || strcmp(l->module, before) : before != NULL))
		r->obj = fentry_index__object(r->idx, l->module);
	return r->obj;
}

static int take_ids(struct reader *r, const struct line *l)
{
	struct fentry_object *obj = line_object(r, l);
	struct fentry_target *target;
	__u32 obj_id, type_id;

	if (!l->ids || !parse_ids(l->ids, &obj_id, &type_id))
		return fentry_error__set(
			r->error, -EINVAL,
			"%s:%lu: expected 'address type name [module] object:type'", r->path,
			r->nr);
	if (!obj) /* came or went in the meantime */
		return 0;
	target = fentry_index__by_id(r->idx, obj, type_id);
	if (!target)
		return fentry_error__set(
			r->error, -EINVAL,
			"%s:%lu: BTF id %u of %s is no function: the two files are not of the same kernel",
			r->path, r->nr, type_id, l->name);
	if (strcmp(target->name, l->name))
		return fentry_index__add_alias(r->idx, target, l->name) ?
			       fentry_error__set(r->error, -ENOMEM, "out of memory") :
			       0;
	target->addr = l->addr;
	target->obj_id = obj_id;
	return 0;
}

int fentry_index__read_ids(struct fentry_index *idx, const char *path, struct fentry_error *error)
{
	struct reader r = {
		.idx = idx,
		.path = path,
		.error = error,
		.take = take_ids,
	};

	return read_file(&r);
}

static bool same_object(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Count the symbols of a name in its targets' same_name. */
static int take_symbol(struct reader *r, const struct line *l)
{
	struct fentry_index *idx = r->idx;
	size_t i;

	if (!strchr("tTwW", l->type))
		return 0;
	for (i = fentry_index__lower_bound(idx, l->name);
	     i < idx->cnt && !strcmp(idx->targets[i].name, l->name); i++) {
		struct fentry_target *t = &idx->targets[i];

		if (!same_object(t->module, l->module))
			continue;
		t->addr = l->addr;
		t->same_name++;
	}
	return 0;
}

static __u32 count_funcs(const struct fentry_index *idx, size_t pos)
{
	const struct fentry_target *t = &idx->targets[pos];
	size_t i;
	__u32 n = 0;

	for (i = fentry_index__lower_bound(idx, t->name);
	     i < idx->cnt && !strcmp(idx->targets[i].name, t->name); i++)
		n += same_object(idx->targets[i].module, t->module);
	return n;
}

int fentry_index__read_symbols(struct fentry_index *idx, const char *path,
			       struct fentry_error *error)
{
	struct reader r = {
		.idx = idx,
		.path = path,
		.error = error,
		.take = take_symbol,
	};
	int err = read_file(&r);
	size_t i;

	for (i = 0; !err && i < idx->cnt; i++) {
		struct fentry_target *t = &idx->targets[i];
		__u32 funcs = count_funcs(idx, i);

		if (t->same_name && funcs > t->same_name)
			t->same_name = funcs;
		if (t->same_name > 1)
			t->addr = 0;
	}
	return err;
}

/* Ends reading when the symbol is found. */
static int take_one(struct reader *r, const struct line *l)
{
	if (strcmp(l->name, r->name))
		return 0;
	r->addr = l->addr;
	return 1;
}

__u64 fentry_index__symbol(const struct fentry_index *idx, const char *name)
{
	struct reader r = { .path = idx->kallsyms_path, .name = name, .take = take_one };

	return read_file(&r) == 1 ? r.addr : 0;
}
