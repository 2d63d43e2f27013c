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
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "array.h"
#include "inlined/functions_file.h"
#include "kallsyms.h"
#include "type.h"
#include "util.h"

#define DEFAULT_BTF_DIR	      "/sys/kernel/btf"
#define DEFAULT_IDS_PATH      "/proc/kallsyms_btf"
#define DEFAULT_KALLSYMS_PATH "/proc/kallsyms"
#define MODULES_DIR	      "/lib/modules"
#define FILE_SUFFIX	      ".functions"

/*
 * What a DECL_TAG of a function begins with: its unit, the file that defines it if that is another
 * one, and its declaration in the source.
 */
#define UNIT_TAG   "cu:"
#define FILE_TAG   "file:"
#define SOURCE_TAG "source:"
/* In a functions file, of a FUNC of BTF: its prototype isn't that of the function of its name. */
#define FALSE_TAG "false:"

/* What is behind the prefix of a tag, or NULL. */
static const char *tag_value(const char *tag, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(tag, prefix, len) ? NULL : tag + len;
}

static int cmp_target(const void *a, const void *b)
{
	const struct fentry_target *x = a, *y = b;
	int diff = strcmp(x->name, y->name);

	if (diff)
		return diff;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->type_id != y->type_id)
		return x->type_id < y->type_id ? -1 : 1;
	return strcmp(x->module ?: "", y->module ?: "");
}

static int cmp_id(const void *id, const void *target)
{
	__u32 a = *(const __u32 *)id;
	__u32 b = ((const struct fentry_target *)target)->type_id;

	return a < b ? -1 : a > b;
}

/* Find a function by its BTF id among functions in the order of ids. */
static struct fentry_target *find_id(struct fentry_target *targets, size_t first, size_t cnt,
				     __u32 id)
{
	/* there may be no targets at all, and bsearch() takes no NULL */
	return cnt ? bsearch(&id, targets + first, cnt, sizeof(*targets), cmp_id) : NULL;
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
		t = find_id(idx->targets, obj->first, obj->cnt, type->type) ?:
			    find_id(idx->inlined, first, idx->inlined_cnt - first, type->type);
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
 * Other names of functions. BTF has one FUNC for an address, but /proc/kallsyms_btf has a line with
 * this FUNC's id for each symbol at the address.
 */

static int add_alias(struct fentry_index *idx, const struct fentry_target *target, const char *name)
{
	if (!ARRAY_GROW(idx->aliases, idx->alias_cnt))
		return -ENOMEM;
	/* the target moves when the index is sorted */
	idx->aliases[idx->alias_cnt] = (struct fentry_alias){
		.name = strdup(name),
		.func = *target,
	};
	if (!idx->aliases[idx->alias_cnt].name)
		return -ENOMEM;
	idx->alias_cnt++;
	return 0;
}

static int cmp_alias(const void *a, const void *b)
{
	return strcmp(((const struct fentry_alias *)a)->name,
		      ((const struct fentry_alias *)b)->name);
}

static const struct fentry_target *find_sorted(const struct fentry_index *idx,
					       const struct fentry_target *func)
{
	size_t i = fentry_index__lower_bound(idx, func->name);

	while (idx->targets[i].type_id != func->type_id || idx->targets[i].btf != func->btf)
		i++;
	return &idx->targets[i];
}

static void settle_aliases(struct fentry_index *idx)
{
	size_t i, n = 0;

	for (i = 0; i < idx->alias_cnt; i++) {
		struct fentry_alias *alias = &idx->aliases[i];

		alias->target = find_sorted(idx, &alias->func);
		/* BTF of another build: the kernel will refuse it */
		if (alias->target->obj_id)
			idx->aliases[n++] = *alias;
		else
			free(alias->name);
	}
	idx->alias_cnt = n;
	if (n)
		qsort(idx->aliases, n, sizeof(*idx->aliases), cmp_alias);
}

/*
 * The addresses of BTF's functions.
 *
 * /proc/kallsyms_btf has a line for each symbol that is where BTF has a function:
 *	ffffffff81000000 t bpf_iter_detach_map\t1:4711
 * that is address, type, name, BTF object id and type id. Functions of modules
 * have \t[module] before the ids. The names of one function have the same ids.
 *
 * Kernels without it have /proc/kallsyms, the same without ids. A function's
 * address is known there if one symbol has its name, and all FUNCs of the name are the same.
 */

/* The first target of each name, as a binary search for each symbol takes several times as long. */
struct firsts {
	__u32 *slots; /* 0, or a position + 1 */
	size_t mask;
};

struct reader {
	struct fentry_index *idx;
	const char *path;
	struct fentry_error *error;
	/* The object of the line before: most lines have the same one. */
	struct fentry_object *obj;
	struct firsts firsts;
	const char *wanted; /* symbol whose address is read */
	__u64 addr;	    /* of that symbol, once it is found */
};

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

static bool same_object(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static struct fentry_object *line_object(struct reader *r, const struct fentry_symbol *l)
{
	if (!r->obj || !same_object(r->obj->module, l->module))
		r->obj = fentry_index__object(r->idx, l->module);
	return r->obj;
}

static int take_ids(void *ctx, const struct fentry_symbol *l)
{
	struct reader *r = ctx;
	struct fentry_object *obj = line_object(r, l);
	struct fentry_target *target;
	__u32 obj_id, type_id;

	if (!l->ids || !parse_ids(l->ids, &obj_id, &type_id))
		return fentry_error__set(
			r->error, -EINVAL,
			"%s:%lu: expected 'address type name [module] object:type'", r->path,
			l->nr);
	if (!obj) /* the module came or went meanwhile */
		return 0;
	target = find_id(r->idx->targets, obj->first, obj->cnt, type_id);
	if (!target)
		return fentry_error__set(
			r->error, -EINVAL,
			"%s:%lu: BTF id %u of %s is no function: the two files are not of the same kernel",
			r->path, l->nr, type_id, l->name);
	if (strcmp(target->name, l->name))
		return add_alias(r->idx, target, l->name) ? fentry_error__no_memory(r->error) : 0;
	target->addr = l->addr;
	target->obj_id = obj_id;
	obj->has_ids = true;
	return 0;
}

/* Eight characters at a time, the last ones maybe twice. */
static __u64 hash_of(const char *name)
{
	size_t len = strlen(name), at;
	__u64 hash = len, word = 0;

	for (at = 0; at < len; at += sizeof(word)) {
		if (len < sizeof(word))
			memcpy(&word, name, len);
		else
			memcpy(&word, name + (at + 8 > len ? len - 8 : at), sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 32;
	}
	return hash;
}

/* Where the position of the first target of a name is, or where it would be. */
static __u32 *find_first(const struct firsts *f, const struct fentry_target *targets,
			 const char *name)
{
	size_t slot = hash_of(name) & f->mask;

	while (f->slots[slot] && strcmp(targets[f->slots[slot] - 1].name, name))
		slot = (slot + 1) & f->mask;
	return &f->slots[slot];
}

/* The targets are sorted by name. Returns false without memory. */
static bool note_firsts(const struct fentry_index *idx, struct firsts *ret)
{
	__u32 *first;
	size_t i;

	for (ret->mask = 1; ret->mask < 2 * idx->cnt; ret->mask *= 2)
		;
	ret->slots = calloc(ret->mask--, sizeof(*ret->slots));
	for (i = 0; ret->slots && i < idx->cnt; i++) {
		first = find_first(ret, idx->targets, idx->targets[i].name);
		*first = *first ?: i + 1;
	}
	return ret->slots;
}

/* Count the symbols of a name in its targets' same_name. */
static int take_symbol(void *ctx, const struct fentry_symbol *l)
{
	struct reader *r = ctx;
	struct fentry_object *obj = line_object(r, l);
	struct fentry_index *idx = r->idx;
	size_t i;

	if (!obj || obj->has_ids)
		return 0;
	i = *find_first(&r->firsts, idx->targets, l->name);
	for (; i && i <= idx->cnt && !strcmp(idx->targets[i - 1].name, l->name); i++) {
		struct fentry_target *t = &idx->targets[i - 1];

		if (!same_object(t->module, l->module))
			continue;
		t->addr = l->addr;
		t->same_name++;
	}
	return 0;
}

/* Ends reading when the symbol is found. */
static int take_addr(void *ctx, const struct fentry_symbol *l)
{
	struct reader *r = ctx;

	if (strcmp(l->name, r->wanted))
		return 0;
	r->addr = l->addr;
	return 1;
}

/*
 * Inlined calls, which no program that is attached to a function sees. An index knows them from
 * files that btfaddr wrote. These files also say the unit of every function.
 */

/*
 * Is the file that the user gave of this object? A file is of the module whose name it has, else of
 * vmlinux.
 */
static bool is_file_of(const char *path, const char *object, const char *btf_dir)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t len = strlen(object);
	char btf[4096];

	if (!strncmp(name, object, len) && !strcmp(name + len, FILE_SUFFIX))
		return true;
	snprintf(btf, sizeof(btf), "%s/%.*s", btf_dir, (int)strcspn(name, "."), name);
	return !strcmp(object, "vmlinux") && access(btf, F_OK);
}

/* Find where to look first: at the user's path, or beside the kernel's modules. */
static bool first_path(const struct fentry_index_opts *opts, const char *object,
		       const char *btf_dir, char *ret, size_t size)
{
	const char *asked = opts->functions_path;
	struct utsname uts;
	struct stat st;

	if (asked && !stat(asked, &st) && !S_ISDIR(st.st_mode)) {
		snprintf(ret, size, "%s", asked);
		return is_file_of(asked, object, btf_dir);
	}
	if (asked)
		snprintf(ret, size, "%s/%s" FILE_SUFFIX, asked, object);
	else if (!uname(&uts))
		snprintf(ret, size, MODULES_DIR "/%s/btf/%s" FILE_SUFFIX, uts.release, object);
	return true;
}

/* The address of vmlinux' symbol doesn't change: one caller reads it for all. 0 is not known. */
static __u64 symbol_addr(const struct fentry_index *idx, const char *name, const __u64 *known)
{
	struct reader r = { .wanted = name };
	__u64 *cached = (__u64 *)known;

	r.addr = __atomic_load_n(cached, __ATOMIC_RELAXED);
	if (!r.addr && fentry_kallsyms__read(idx->kallsyms_path, take_addr, &r, NULL) == 1)
		__atomic_store_n(cached, r.addr, __ATOMIC_RELAXED);
	return r.addr;
}

__u64 fentry_index__section(const struct fentry_index *idx, const char *module, const char *section)
{
	char path[4096];

	if (!module && !section)
		return symbol_addr(idx, "_text", &idx->text_addr);
	if (!module) /* arm64 has another section in front of .text */
		return strcmp(section, ".text") ? 0 : symbol_addr(idx, "_stext", &idx->stext_addr);
	snprintf(path, sizeof(path), "/sys/module/%s/sections/%s", module, section);
	return fentry_number_in(path);
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

static bool same_symbol(const struct fentry_target *a, const struct fentry_target *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->module ?: "", b->module ?: "");
}

/*
 * Is a FUNC replaced by functions of its name? Tell these what is wrong with the FUNC. Newer pahole
 * writes a FUNC without suffix for a function of which only copies with one have symbols.
 */
static bool is_replaced(struct fentry_index *idx, const struct fentry_target *t)
{
	size_t i = fentry_targets__lower_bound(idx->replacing, idx->replacing_cnt, t->name);
	size_t len = strlen(t->name);
	struct fentry_target *r;
	bool found = false;

	for (; i < idx->replacing_cnt; i++) {
		r = &idx->replacing[i];
		if (strncmp(r->name, t->name, len))
			break;
		if (same_symbol(r, t))
			r->untrue = r->untrue ?: t->untrue;
		else if (t->same_name || !same_object(r->module, t->module) ||
			 fentry_symbol__base_len(r->name) != len)
			continue;
		found = true;
	}
	return found;
}

/*
 * Is a FUNC one symbol's? The FUNCs of its name are from @group to @end, in the order of ids, and
 * same_name is the number of symbols. Sets same_name if nobody can tell which of several it is.
 * Returns false if another FUNC says the same, or if this one is false and another one isn't.
 */
static bool settle(struct fentry_target *t, const struct fentry_target *group,
		   const struct fentry_target *end)
{
	const struct fentry_target *other, *first = NULL;
	bool same = true;
	__u32 n = 0;

	for (other = group; other < end; other++) {
		if (!same_symbol(other, t) || other->untrue)
			continue;
		first = first ?: other;
		n++;
		if (other == t)
			continue;
		same &= fentry_type__same(t->btf, btf__type_by_id(t->btf, t->type_id)->type,
					  other->btf,
					  btf__type_by_id(other->btf, other->type_id)->type);
	}
	if (t->untrue)
		return !n;
	if (t->same_name == 1 && same)
		return t == first;
	if (t->same_name && t->same_name < n)
		t->same_name = n;
	return true;
}

/*
 * Decide for each FUNC, all sorted by name, whether it is one symbol's. Functions of functions
 * files come in the place of FUNCs of their names, so the order has to be made anew.
 */
static int settle_funcs(struct fentry_index *idx)
{
	struct fentry_target *t = idx->targets, *end = t + idx->cnt, *group, *kept;
	bool *keep = calloc(idx->cnt + 1, sizeof(*keep));
	int err = keep ? 0 : -ENOMEM;

	for (group = t; !err && t < end; t++) {
		if (strcmp(group->name, t->name))
			group = t;
		for (kept = t; kept < end && !strcmp(kept->name, t->name); kept++)
			;
		keep[t - idx->targets] = !is_replaced(idx, t) && settle(t, group, kept);
	}
	for (kept = t = idx->targets; !err && t < end; t++) {
		if (t->same_name > 1)
			t->addr = 0;
		if (keep[t - idx->targets])
			*kept++ = *t;
		else if (ARRAY_GROW(idx->replaced, idx->replaced_cnt))
			idx->replaced[idx->replaced_cnt++] = *t;
		else
			err = -ENOMEM;
	}
	free(keep);
	if (err)
		return err;
	idx->cnt = kept - idx->targets;
	return ARRAY_APPEND(idx->targets, idx->cnt, idx->replacing, idx->replacing_cnt) ? 0 :
											  -ENOMEM;
}

/*
 * Fail if the user asked for the file, unless it is a missing file of a module. Else go on without
 * the file, and note what is wrong with it.
 */
static int give_up(struct fentry_index *idx, const struct fentry_object *obj, bool asked,
		   const struct fentry_error *why, struct fentry_error *error)
{
	if (why->err == -ENOENT && (!asked || obj->module))
		return 0;
	if (asked)
		return fentry_error__set(error, why->err, "%s", why->msg);
	if (!idx->inline_problem)
		idx->inline_problem = strdup(why->msg);
	return 0;
}

static int add_inlined(struct fentry_index *idx, struct fentry_object *obj,
		       const struct fentry_index_opts *opts, const char *btf_dir,
		       struct fentry_error *error)
{
	const char *object = obj->module ?: "vmlinux";
	size_t first = idx->inlined_cnt;
	struct fentry_error why;
	char path[4096] = "";
	int err;

	if (!first_path(opts, object, btf_dir, path, sizeof(path)))
		return 0;
	err = fentry_inline__open(path, obj, &obj->inlined, &why);
	if (err == -ENOENT && !opts->functions_path) {
		snprintf(path, sizeof(path), "%s/%s.inline", btf_dir, object);
		err = fentry_inline__open(path, obj, &obj->inlined, &why);
	}
	if (err)
		return give_up(idx, obj, opts->functions_path, &why, error);
	if (add_funcs(idx, obj, obj->inlined->btf, btf__type_cnt(obj->btf), &idx->inlined,
		      &idx->inlined_cnt))
		return fentry_error__no_memory(error);
	add_tags(idx, obj, obj->inlined->btf, btf__type_cnt(obj->btf), first);
	return take_entries(idx, obj, first) ? fentry_error__no_memory(error) : 0;
}

void fentry_index__free(struct fentry_index *idx)
{
	size_t i;

	if (!idx)
		return;
	while (idx->object_cnt) { /* vmlinux, the base, is the last */
		struct fentry_object *obj = &idx->objects[--idx->object_cnt];

		fentry_printer__free(obj->printer);
		fentry_printer__free(obj->inlined_printer);
		fentry_inline__free(obj->inlined);
		btf__free(obj->btf);
		free(obj->module);
	}
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
	free(idx->objects);
	free(idx->targets);
	free(idx);
}

/* Read the BTF of vmlinux or of a module, which may have been removed meanwhile. */
static int add_object(struct fentry_index *idx, const struct fentry_index_opts *opts,
		      const char *module, struct fentry_error *error)
{
	const char *dir = opts->btf_dir ?: DEFAULT_BTF_DIR;
	struct btf *base = module ? idx->objects[0].btf : NULL;
	struct fentry_object *obj;
	__u32 start = base ? btf__type_cnt(base) : 1;
	char path[4096];
	int err;

	if (!ARRAY_GROW(idx->objects, idx->object_cnt))
		return fentry_error__no_memory(error);
	obj = &idx->objects[idx->object_cnt];
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
	idx->object_cnt++; /* fentry_index__free() frees it from here on */
	err = fentry_btf__check(obj->btf, start, path, error);
	if (err)
		return err;
	obj->module = module ? strdup(module) : NULL;
	obj->first = idx->cnt;
	if ((module && !obj->module) ||
	    add_funcs(idx, obj, obj->btf, start, &idx->targets, &idx->cnt))
		return fentry_error__no_memory(error);
	obj->cnt = idx->cnt - obj->first;
	add_tags(idx, obj, obj->btf, start, idx->inlined_cnt);
	return add_inlined(idx, obj, opts, dir, error);
}

/* The folder may also have such files of the kernel, MODULE.inline. */
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

/* A function without a tag of its own for the file is defined in its unit. */
static void settle_files(struct fentry_target *targets, size_t cnt)
{
	size_t i;

	for (i = 0; i < cnt; i++)
		targets[i].file = targets[i].file ?: targets[i].unit;
}

static void sort(struct fentry_target *targets, size_t cnt)
{
	size_t i = 1;

	while (i < cnt && cmp_target(&targets[i - 1], &targets[i]) < 0)
		i++;
	if (i < cnt) /* newer BTF has its functions in the order of their names */
		qsort(targets, cnt, sizeof(*targets), cmp_target);
}

/* Sort by addresses, too. Functions of functions files have come behind those that are sorted. */
static void sort_again(struct fentry_index *idx)
{
	struct fentry_target *t = idx->targets, *end = t + idx->cnt, *group;

	if (idx->replacing_cnt) {
		sort(t, idx->cnt);
		return;
	}
	for (; t < end; t = group) {
		for (group = t + 1; group < end && !strcmp(group->name, t->name); group++)
			;
		if (group > t + 1)
			sort(t, group - t);
	}
}

/* Read what kallsyms has of objects without ids. */
static int read_symbols(struct fentry_index *idx, struct fentry_error *error)
{
	struct reader r = { .idx = idx, .path = idx->kallsyms_path, .error = error };
	int err = note_firsts(idx, &r.firsts) ?
			  fentry_kallsyms__read(r.path, take_symbol, &r, error) :
			  fentry_error__no_memory(error);

	free(r.firsts.slots);
	return err;
}

/*
 * A module that was built without btfaddr has BTF without addresses, also on a kernel that has
 * them. Those of its functions are in kallsyms, too, and those of vmlinux need not be read.
 */
static int read_modules(struct fentry_index *idx, struct fentry_error *error)
{
	struct fentry_target *t;
	size_t i;
	int err;

	for (i = 1; i < idx->object_cnt && (idx->objects[i].has_ids || !idx->objects[i].cnt); i++)
		;
	if (i >= idx->object_cnt)
		return 0;
	idx->objects[0].has_ids = true;
	err = read_symbols(idx, error);
	for (t = idx->targets; !err && t < idx->targets + idx->cnt; t++)
		t->addr = t->same_name > 1 ? 0 : t->addr;
	sort_again(idx);
	return err;
}

static int read_all(struct fentry_index *idx, const struct fentry_index_opts *opts,
		    struct fentry_error *error)
{
	const char *ids = opts->ids_path ?: DEFAULT_IDS_PATH;
	struct reader r = { .idx = idx, .path = ids, .error = error };
	int err;

	err = add_object(idx, opts, NULL, error) ?: add_modules(idx, opts, error);
	if (err)
		return err;
	settle_files(idx->targets, idx->cnt);
	settle_files(idx->inlined, idx->inlined_cnt);
	settle_files(idx->replacing, idx->replacing_cnt);
	sort(idx->inlined, idx->inlined_cnt);
	sort(idx->replacing, idx->replacing_cnt);
	err = fentry_kallsyms__read(ids, take_ids, &r, error);
	if (err != -ENOENT) {
		idx->exact = true;
		sort(idx->targets, idx->cnt);
		err = err ?: read_modules(idx, error);
		settle_aliases(idx);
		return err;
	}
	sort(idx->targets, idx->cnt);
	err = read_symbols(idx, error);
	if (err == -ENOENT)
		return fentry_error__set(
			error, -EOPNOTSUPP,
			"no %s: this kernel was built without CONFIG_KALLSYMS, or procfs isn't mounted",
			idx->kallsyms_path);
	if (!err && settle_funcs(idx))
		err = fentry_error__no_memory(error);
	if (!err)
		sort_again(idx);
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
		return fentry_error__no_memory(error);
	pthread_mutex_init(&idx->lock, NULL);
	idx->unverified = known.unverified;
	idx->kallsyms_path = strdup(known.kallsyms_path ?: DEFAULT_KALLSYMS_PATH);
	err = idx->kallsyms_path ? read_all(idx, &known, error) : fentry_error__no_memory(error);
	if (err) {
		fentry_index__free(idx);
		return err;
	}
	*ret = idx;
	return 0;
}
