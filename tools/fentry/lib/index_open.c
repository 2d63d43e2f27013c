// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Reading the functions of the running kernel: the FUNCs in /sys/kernel/btf/vmlinux, and in the BTF
 * of each module beside it, which is split BTF on top. A DECL_TAG "cu:<path>" says the compilation
 * unit of a function with an ambiguous name. A DECL_TAG "source:<declaration>" says what the source
 * has if the compiler changed the function. Addresses, and the units of all functions, come from
 * other files.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "inlined/functions_file.h"
#include "type.h"
#include "util.h"

#define DEFAULT_BTF_DIR	      "/sys/kernel/btf"
#define DEFAULT_IDS_PATH      "/proc/kallsyms_btf"
#define DEFAULT_KALLSYMS_PATH "/proc/kallsyms"
#define MODULES		      "/sys/module"

/*
 * What a DECL_TAG of a function begins with: its unit, the file that defines it if that is another
 * one, and its declaration in the source.
 */
#define UNIT_TAG   "cu:"
#define FILE_TAG   "file:"
#define SOURCE_TAG "source:"
/* In a functions file, of a FUNC of BTF: its prototype isn't that of the function of its name. */
#define FALSE_TAG "false:"

/* An index that is being read. */
struct reader {
	struct fentry_index *idx;
	struct fentry_index_opts opts; /* with the defaults of folders and files */
	struct fentry_error *error;
};

/* What is behind the prefix of a tag, or NULL. */
static const char *tag_value(const char *tag, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(tag, prefix, len) ? NULL : tag + len;
}

/* Add a target for each FUNC of a BTF, in the order of ids. */
static int add_funcs(struct fentry_index *idx, const struct fentry_object *obj,
		     const struct btf *btf, __u32 start, struct fentry_target **targets,
		     size_t *cnt)
{
	__u32 id, end = btf__type_cnt(btf);
	const struct btf_type *type;

	for (id = start; id < end; id++) {
		type = btf__type_by_id(btf, id);
		if (!btf_is_func(type))
			continue;
		if (!ARRAY_GROW(*targets, *cnt))
			return -ENOMEM;
		(*targets)[(*cnt)++] = (struct fentry_target){
			.name = btf__name_by_offset(btf, type->name_off),
			.btf = btf,
			.idx = idx,
			.module = obj->module,
			.type_id = id,
		};
	}
	return 0;
}

/* Read a BTF's tags: of the object's functions, or of idx->inlined from @first on. */
static void add_tags(struct fentry_index *idx, const struct fentry_object *obj,
		     const struct btf *btf, __u32 start, size_t first)
{
	const char *tag, *unit, *file, *source, *untrue;
	const struct btf_type *type;
	struct fentry_target *t;
	__u32 id;

	for (id = start; id < btf__type_cnt(btf); id++) {
		type = btf__type_by_id(btf, id);
		if (!btf_is_decl_tag(type) || btf_decl_tag(type)->component_idx != -1)
			continue;
		tag = btf__name_by_offset(btf, type->name_off);
		unit = tag_value(tag, UNIT_TAG);
		file = tag_value(tag, FILE_TAG);
		source = tag_value(tag, SOURCE_TAG);
		untrue = tag_value(tag, FALSE_TAG);
		if (!unit && !file && !source && !untrue)
			continue;
		t = fentry_targets__find_id(idx->targets, obj->first, obj->cnt, type->type) ?:
			    fentry_targets__find_id(idx->inlined, first, idx->inlined_cnt - first,
						    type->type);
		if (!t)
			continue;
		t->shares_name |= unit && btf == obj->btf;
		t->unit = t->unit ?: unit;
		t->file = t->file ?: file;
		t->source = t->source ?: source;
		t->untrue = t->untrue ?: untrue;
	}
}

/*
 * Functions that a functions file describes anew, as BTF without addresses has no FUNC, a false
 * one, or one for several symbols. The function is listed in the place of BTF's FUNC. As the
 * kernel knows nothing of its prototype, only a probe gets its arguments.
 */

/* Move these functions of a file from idx->inlined, where they are from @first on. */
static int take_entries(struct fentry_index *idx, const struct fentry_object *obj, size_t first)
{
	const struct fentry_inline_section *s = obj->inlined->entries;
	struct fentry_target *t, *end = idx->inlined + idx->inlined_cnt, *kept;
	struct fentry_target *replacing;
	__u64 addr;
	size_t i;

	for (; s < obj->inlined->entries + obj->inlined->entry_cnt; s++) {
		addr = fentry_index__section(idx, obj->module, s->name);
		/* both are in the order of ids */
		for (i = 0, t = idx->inlined + first; i < s->cnt && t < end; t++) {
			if (t->type_id != s->sites[i].func)
				continue;
			if (!ARRAY_GROW(idx->replacing, idx->replacing_cnt))
				return -ENOMEM;
			replacing = &idx->replacing[idx->replacing_cnt++];
			*replacing = *t;
			replacing->by_probe = true;
			replacing->addr = addr ? addr + s->sites[i].offset : 0;
			t->idx = NULL; /* goes */
			i++;
		}
	}
	for (kept = t = idx->inlined + first; t < end; t++)
		if (t->idx)
			*kept++ = *t;
	idx->inlined_cnt = kept - idx->inlined;
	return 0;
}

/*
 * Fail if the user asked for the file, unless it is a missing file of a module. Else go on without
 * the file, and note what is wrong with it.
 */
static int give_up(const struct reader *r, const struct fentry_object *obj,
		   const struct fentry_error *why)
{
	bool asked = r->opts.functions_path;

	if (why->err == -ENOENT && (!asked || obj->module))
		return 0;
	if (asked)
		return fentry_error__set(r->error, why->err, "%s", why->msg);
	if (!r->idx->inline_problem)
		r->idx->inline_problem = strdup(why->msg);
	return 0;
}

/*
 * Open the first file of an object that can be used. If there are only others, fail as the first of
 * them does.
 */
static int open_functions(const struct reader *r, struct fentry_object *obj,
			  struct fentry_error *why)
{
	struct fentry_error error;
	unsigned int place;
	char path[4096];

	why->err = 0;
	for (place = 0; place <= FENTRY_PLACES; place++) {
		if (!fentry_functions__path(r->opts.functions_path, place, obj->module ?: "vmlinux",
					    r->opts.btf_dir, path, sizeof(path)))
			continue;
		if (!fentry_inline__open(path, obj, &obj->inlined, &error))
			return 0;
		if (!why->err || why->err == -ENOENT)
			*why = error;
	}
	return why->err;
}

static int add_inlined(const struct reader *r, struct fentry_object *obj)
{
	struct fentry_index *idx = r->idx;
	size_t first = idx->inlined_cnt;
	struct fentry_error why;

	if (open_functions(r, obj, &why))
		return give_up(r, obj, &why);
	if (!obj->inlined)
		return 0;
	if (add_funcs(idx, obj, obj->inlined->btf, btf__type_cnt(obj->btf), &idx->inlined,
		      &idx->inlined_cnt))
		return fentry_error__no_memory(r->error);
	add_tags(idx, obj, obj->inlined->btf, btf__type_cnt(obj->btf), first);
	return take_entries(idx, obj, first) ? fentry_error__no_memory(r->error) : 0;
}

static void free_object(struct fentry_object *obj)
{
	fentry_printer__free(obj->printer);
	fentry_printer__free(obj->inlined_printer);
	fentry_inline__free(obj->inlined);
	btf__free(obj->btf);
	free(obj->module);
}

void fentry_index__free(struct fentry_index *idx)
{
	size_t i;

	if (!idx)
		return;
	while (idx->object_cnt) /* vmlinux, the base, is the last */
		free_object(&idx->objects[--idx->object_cnt]);
	pthread_mutex_destroy(&idx->lock);
	for (i = 0; i < idx->alias_cnt; i++)
		free(idx->aliases[i].name);
	free(idx->aliases);
	free(idx->inlined);
	free(idx->replacing);
	free(idx->replaced);
	free(idx->inline_problem);
	free(idx->kallsyms_path);
	free(idx->no_probes);
	free(idx->starts);
	free(idx->by_addr);
	free(idx->objects);
	free(idx->targets);
	free(idx);
}

/*
 * The BTF in a file. Reading vmlinux' takes the kernel 18,000 instructions for each 4 KiB. Since
 * Linux 6.16, it can be mapped.
 */
static struct btf *parse(const char *path, struct btf *base)
{
	int fd = base ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	struct btf *btf = NULL;
	struct stat st;
	void *map;

	if (fd >= 0 && !fstat(fd, &st)) {
		map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (map != MAP_FAILED) {
			btf = btf__new(map, st.st_size);
			munmap(map, st.st_size);
		}
	}
	if (fd >= 0)
		close(fd);
	return btf && !libbpf_get_error(btf) ? btf : btf__parse_raw_split(path, base);
}

/*
 * Read the BTF of vmlinux or of a module, which may have been removed meanwhile.
 * @coming: if the module isn't loaded yet; NULL: it is
 */
static int add_object(const struct reader *r, const char *module,
		      const struct fentry_coming *coming)
{
	struct fentry_index *idx = r->idx;
	struct btf *base = module ? idx->objects[0].btf : NULL;
	struct fentry_object *obj;
	__u32 start = base ? btf__type_cnt(base) : 1;
	char path[4096];
	bool is_raw;
	int err;

	if (!ARRAY_GROW(idx->objects, idx->object_cnt))
		return fentry_error__no_memory(r->error);
	obj = &idx->objects[idx->object_cnt];
	*obj = (struct fentry_object){ .coming = coming };
	if (coming)
		snprintf(path, sizeof(path), "%s", coming->path);
	else
		snprintf(path, sizeof(path), "%s/%s", r->opts.btf_dir, module ?: "vmlinux");
	obj->btf = parse(path, base);
	err = libbpf_get_error(obj->btf);
	is_raw = err != -EPROTO;
	if (!is_raw) {
		obj->btf = btf__parse_elf_split(path, base);
		err = libbpf_get_error(obj->btf);
	}
	if (err == -ENOENT && module)
		return 0;
	if (err == -ENOENT)
		return fentry_error__set(
			r->error, -EOPNOTSUPP,
			"no %s: this kernel was built without CONFIG_DEBUG_INFO_BTF, or sysfs isn't mounted",
			path);
	if (err)
		return fentry_error__set(r->error, err, "can't read BTF from %s: %s", path,
					 strerror(-err));
	idx->object_cnt++; /* fentry_index__free() frees it from here on */
	err = fentry_btf__check(obj->btf, start, path, r->error);
	if (err)
		return err;
	obj->module = module ? strdup(module) : NULL;
	obj->first = idx->cnt;
	if ((module && !obj->module) ||
	    add_funcs(idx, obj, obj->btf, start, &idx->targets, &idx->cnt))
		return fentry_error__no_memory(r->error);
	obj->cnt = idx->cnt - obj->first;
	add_tags(idx, obj, obj->btf, start, idx->inlined_cnt);
	return coming && is_raw ? 0 : add_inlined(r, obj);
}

/* The folder may also have such files of the kernel, MODULE.inline. */
static bool is_module(const char *file)
{
	return file[0] != '.' && strcmp(file, "vmlinux") && !strchr(file, '.');
}

static int add_modules(const struct reader *r)
{
	const char *path = r->opts.btf_dir;
	struct dirent *entry;
	DIR *dir = opendir(path);
	int err = 0;

	if (!dir) {
		err = -errno;
		return fentry_error__set(r->error, err, "can't open %s: %s", path, strerror(-err));
	}
	while (!err && (entry = readdir(dir)))
		if (is_module(entry->d_name))
			err = add_object(r, entry->d_name, NULL);
	closedir(dir);
	return err;
}

/*
 * Add a module whose BTF the kernel doesn't have, if a functions file describes it, with all types
 * that vmlinux lacks.
 */
static int add_without_btf(const struct reader *r, const char *module)
{
	struct fentry_index *idx = r->idx;
	struct fentry_object *obj;
	int err;

	if (!ARRAY_GROW(idx->objects, idx->object_cnt))
		return fentry_error__no_memory(r->error);
	obj = &idx->objects[idx->object_cnt];
	*obj = (struct fentry_object){
		.module = strdup(module),
		.btf = btf__new_empty_split(idx->objects[0].btf),
		.first = idx->cnt,
	};
	if (libbpf_get_error(obj->btf))
		obj->btf = NULL;
	if (obj->btf && obj->module)
		err = add_inlined(r, obj);
	else
		err = fentry_error__no_memory(r->error);
	if (obj->inlined)
		idx->object_cnt++;
	else
		free_object(obj);
	return err;
}

/* Add those of the modules in a folder of functions files that are loaded, and that have no BTF. */
static int add_described(const struct reader *r, const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char path[512], *end;
	int err = 0;

	while (dir && !err && (entry = readdir(dir))) {
		end = strrchr(entry->d_name, '.');
		if (!end || strcmp(end, FENTRY_FUNCTIONS))
			continue;
		*end = '\0';
		snprintf(path, sizeof(path), MODULES "/%s/initstate", entry->d_name);
		if (!fentry_index__object(r->idx, entry->d_name) && !access(path, F_OK))
			err = add_without_btf(r, entry->d_name);
	}
	if (dir)
		closedir(dir);
	return err;
}

static int add_modules_without_btf(const struct reader *r)
{
	const char *asked = r->opts.functions_path;
	unsigned int place;
	char folder[4096];
	int err = 0;

	for (place = 0; !err && place < FENTRY_PLACES; place++)
		if (fentry_functions__folder(asked, place, folder, sizeof(folder)))
			err = add_described(r, folder);
	return err;
}

static int add_coming(const struct reader *r)
{
	const struct fentry_coming *c = r->opts.coming;
	int err = 0;

	for (; !err && c < r->opts.coming + r->opts.coming_cnt; c++)
		if (!fentry_index__object(r->idx, c->module))
			err = add_object(r, c->module, c);
	return err;
}

/* Functions of modules that aren't loaded have no address: an event names one by its symbol. */
static void settle_coming(struct fentry_index *idx)
{
	struct fentry_target *t = idx->targets, *end = t + idx->cnt, *other;

	for (; t < end; t++) {
		if (!t->module || !fentry_index__object(idx, t->module)->coming)
			continue;
		t->same_name = 0;
		for (other = t; other > idx->targets && !strcmp(other[-1].name, t->name); other--)
			;
		for (; other < end && !strcmp(other->name, t->name); other++)
			t->same_name += !strcmp(other->module ?: "", t->module);
	}
}

/* A function without a tag of its own for the file is defined in its unit. */
static void settle_files(struct fentry_target *targets, size_t cnt)
{
	size_t i;

	for (i = 0; i < cnt; i++)
		targets[i].file = targets[i].file ?: targets[i].unit;
}

static int read_all(const struct reader *r)
{
	struct fentry_index *idx = r->idx;
	int err;

	err = add_object(r, NULL, NULL) ?: add_modules(r);
	err = err ?: add_modules_without_btf(r) ?: add_coming(r);
	if (err)
		return err;
	settle_files(idx->targets, idx->cnt);
	settle_files(idx->inlined, idx->inlined_cnt);
	settle_files(idx->replacing, idx->replacing_cnt);
	fentry_targets__sort(idx->inlined, idx->inlined_cnt);
	fentry_targets__sort(idx->replacing, idx->replacing_cnt);
	return fentry_index__read_addresses(idx, r->opts.ids_path, r->error);
}

int fentry_index__open(const struct fentry_index_opts *opts, struct fentry_index **ret,
		       struct fentry_error *error)
{
	struct reader r = { .error = error };
	struct fentry_index *idx;
	int err;

	err = fentry_opts__copy(&r.opts, sizeof(r.opts), opts, error);
	if (err)
		return err;
	r.opts.btf_dir = r.opts.btf_dir ?: DEFAULT_BTF_DIR;
	r.opts.ids_path = r.opts.ids_path ?: DEFAULT_IDS_PATH;
	idx = calloc(1, sizeof(*idx));
	if (!idx)
		return fentry_error__no_memory(error);
	r.idx = idx;
	pthread_mutex_init(&idx->lock, NULL);
	idx->unverified = r.opts.unverified;
	idx->kallsyms_path = strdup(r.opts.kallsyms_path ?: DEFAULT_KALLSYMS_PATH);
	err = idx->kallsyms_path ? read_all(&r) : fentry_error__no_memory(error);
	if (!err && r.opts.coming_cnt)
		settle_coming(idx);
	if (err) {
		fentry_index__free(idx);
		return err;
	}
	*ret = idx;
	return 0;
}
