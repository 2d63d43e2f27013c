// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Reading the functions of the running kernel: the FUNCs in
 * /sys/kernel/btf/vmlinux and in the BTF of each module beside it, which is split
 * BTF on top. DECL_TAGs "cu:<path>" say the compilation unit of functions with an
 * ambiguous name, "source:<declaration>" what the source has where the compiler
 * changed it. Their addresses come from elsewhere: addresses.c; so do the units of all
 * functions: inlined.c.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define DEFAULT_BTF_DIR	      "/sys/kernel/btf"
#define DEFAULT_IDS_PATH      "/proc/kallsyms_btf"
#define DEFAULT_KALLSYMS_PATH "/proc/kallsyms"

/* One target for each FUNC of an object, in the order of ids. */
static int add_funcs(struct fentry_index *idx, struct fentry_object *obj, __u32 start)
{
	__u32 id, end = btf__type_cnt(obj->btf);
	struct fentry_target *targets, *t;
	const struct btf_type *type;
	size_t cnt = 0;

	for (id = start; id < end; id++)
		cnt += btf_is_func(btf__type_by_id(obj->btf, id));
	targets = realloc(idx->targets, (idx->cnt + cnt + 1) * sizeof(*targets));
	if (!targets)
		return -ENOMEM;
	idx->targets = targets;
	obj->first = idx->cnt;
	obj->cnt = cnt;
	for (id = start; id < end; id++) {
		type = btf__type_by_id(obj->btf, id);
		if (!btf_is_func(type))
			continue;
		t = &targets[idx->cnt++];
		*t = (struct fentry_target){
			.name = btf__name_by_offset(obj->btf, type->name_off),
			.btf = obj->btf,
			.idx = idx,
			.module = obj->module,
			.type_id = id,
		};
	}
	return 0;
}

static void add_tags(struct fentry_index *idx, struct fentry_object *obj, __u32 start)
{
	__u32 id, end = btf__type_cnt(obj->btf);
	const struct btf_type *type;
	struct fentry_target *t;
	const char *tag, *unit, *source;

	for (id = start; id < end; id++) {
		type = btf__type_by_id(obj->btf, id);
		if (!btf_is_decl_tag(type) || btf_decl_tag(type)->component_idx != -1)
			continue;
		tag = btf__name_by_offset(obj->btf, type->name_off);
		unit = fentry_tag__value(tag, FENTRY_UNIT_TAG);
		source = fentry_tag__value(tag, FENTRY_SOURCE_TAG);
		t = unit || source ? fentry_index__by_id(idx, obj, type->type) : NULL;
		if (!t)
			continue;
		t->unit = unit ?: t->unit;
		t->source = source ?: t->source;
	}
}

/* Read vmlinux's BTF, or that of a module; a module may have gone meanwhile. */
static int add_object(struct fentry_index *idx, const struct fentry_index_opts *opts,
		      const char *module, struct fentry_error *error)
{
	const char *dir = opts->btf_dir ?: DEFAULT_BTF_DIR;
	struct btf *base = module ? idx->objects[0].btf : NULL;
	struct fentry_object *objects, *obj;
	__u32 start = base ? btf__type_cnt(base) : 1;
	char path[4096];
	int err;

	objects = realloc(idx->objects, (idx->object_cnt + 1) * sizeof(*objects));
	if (!objects)
		return fentry_error__set(error, -ENOMEM, "out of memory");
	idx->objects = objects;
	obj = &objects[idx->object_cnt];
	memset(obj, 0, sizeof(*obj));

	snprintf(path, sizeof(path), "%s/%s", dir, module ?: "vmlinux");
	obj->btf = btf__parse_split(path, base);
	err = libbpf_get_error(obj->btf);
	if (err == -ENOENT && module)
		return 0;
	if (err == -ENOENT)
		return fentry_error__set(
			error, -EOPNOTSUPP,
			"no %s: this kernel was built without CONFIG_DEBUG_INFO_BTF, or sysfs isn't mounted",
			path);
	if (err)
		return fentry_error__set(error, err, "can't read BTF from %s: %s", path,
					 strerror(-err));
	idx->object_cnt++; /* from here on it will be freed */
	err = fentry_btf__check(obj->btf, start, path, error);
	if (err)
		return err;
	obj->module = module ? strdup(module) : NULL;
	if ((module && !obj->module) || add_funcs(idx, obj, start))
		return fentry_error__set(error, -ENOMEM, "out of memory");
	add_tags(idx, obj, start);
	return fentry_index__add_inlined(idx, obj, opts, dir, error);
}

/* A kernel may have files of inlined calls there one day. */
static bool is_module(const char *file)
{
	return file[0] != '.' && strcmp(file, "vmlinux") && !strchr(file, '.');
}

static int add_modules(struct fentry_index *idx, const struct fentry_index_opts *opts,
		       struct fentry_error *error)
{
	const char *path = opts->btf_dir ?: DEFAULT_BTF_DIR;
	struct dirent *entry;
	DIR *dir = opendir(path);
	int err = 0;

	if (!dir) {
		err = -errno;
		return fentry_error__set(error, err, "can't open %s: %s", path, strerror(-err));
	}
	while (!err && (entry = readdir(dir)))
		if (is_module(entry->d_name))
			err = add_object(idx, opts, entry->d_name, error);
	closedir(dir);
	return err;
}

static void sort(struct fentry_index *idx)
{
	qsort(idx->targets, idx->cnt, sizeof(*idx->targets), fentry_target__cmp);
}

static int read_all(struct fentry_index *idx, const struct fentry_index_opts *opts,
		    struct fentry_error *error)
{
	const char *ids = opts->ids_path ?: DEFAULT_IDS_PATH;
	const char *symbols = idx->kallsyms_path;
	int err;

	err = add_object(idx, opts, NULL, error);
	if (!err)
		err = add_modules(idx, opts, error);
	if (err)
		return err;
	fentry_index__sort_inlined(idx);
	err = fentry_index__read_ids(idx, ids, error);
	if (err != -ENOENT) {
		idx->exact = true;
		sort(idx);
		fentry_index__settle_aliases(idx);
		return err;
	}
	sort(idx);
	err = fentry_index__read_symbols(idx, symbols, error);
	if (err == -ENOENT)
		return fentry_error__set(
			error, -EOPNOTSUPP,
			"no %s: this kernel was built without CONFIG_KALLSYMS, or procfs isn't mounted",
			symbols);
	if (!err)
		sort(idx); /* by address, too */
	return err;
}

int fentry_index__open(const struct fentry_index_opts *opts, struct fentry_index **ret,
		       struct fentry_error *error)
{
	struct fentry_index_opts known;
	struct fentry_index *idx;
	int err;

	err = fentry_opts__copy(&known, sizeof(known), opts, error);
	if (err)
		return err;
	idx = calloc(1, sizeof(*idx));
	if (!idx)
		return fentry_error__set(error, -ENOMEM, "out of memory");
	pthread_mutex_init(&idx->lock, NULL);
	idx->kallsyms_path = strdup(known.kallsyms_path ?: DEFAULT_KALLSYMS_PATH);
	err = idx->kallsyms_path ? read_all(idx, &known, error) :
				   fentry_error__set(error, -ENOMEM, "out of memory");
	if (err) {
		fentry_index__free(idx);
		return err;
	}
	*ret = idx;
	return 0;
}
