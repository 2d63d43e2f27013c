// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The addresses of an index's functions, and which FUNC without an address is which symbol's. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "index.h"
#include "kallsyms.h"
#include "type.h"
#include "util.h"

static int cmp_target(const void *a, const void *b)
{
	const struct fentry_target *x = a, *y = b;
	int diff = strcmp(x->name, y->name) ?: cmp_int(x->addr, y->addr);

	diff = diff ?: cmp_int(x->type_id, y->type_id);
	return diff ?: strcmp(x->module ?: "", y->module ?: "");
}

static int cmp_id(const void *id, const void *target)
{
	__u32 a = *(const __u32 *)id;
	__u32 b = ((const struct fentry_target *)target)->type_id;

	return cmp_int(a, b);
}

struct fentry_target *fentry_targets__find_id(struct fentry_target *targets, size_t first,
					      size_t cnt, __u32 id)
{
	/* there may be no targets at all, and bsearch() takes no NULL */
	return cnt ? bsearch(&id, targets + first, cnt, sizeof(*targets), cmp_id) : NULL;
}

void fentry_targets__sort(struct fentry_target *targets, size_t cnt)
{
	/* newer BTF has its functions in the order of their names */
	array_sort(targets, cnt, sizeof(*targets), cmp_target);
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

/* strtoul() takes several times as long. Returns where the digits end; NULL if there are none. */
static const char *read_number(const char *at, __u32 *ret)
{
	const char *start = at;

	for (*ret = 0; *at >= '0' && *at <= '9'; at++)
		*ret = *ret * 10 + (*at - '0');
	return at > start ? at : NULL;
}

/* "1:4711", and nothing behind it. */
static bool parse_ids(const char *text, __u32 *obj_id, __u32 *type_id)
{
	text = read_number(text, obj_id);
	if (!text || *text != ':')
		return false;
	text = read_number(text + 1, type_id);
	return text && !*text;
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
	target = fentry_targets__find_id(r->idx->targets, obj->first, obj->cnt, type_id);
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
	struct fentry_index *idx = r->idx;
	size_t i = *find_first(&r->firsts, idx->targets, l->name);
	struct fentry_object *obj = i ? line_object(r, l) : NULL;

	if (!obj || obj->has_ids)
		return 0;
	for (; i <= idx->cnt && !strcmp(idx->targets[i - 1].name, l->name); i++) {
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
 * A functions file describes functions anew, as BTF without addresses has no FUNC, a false one, or
 * one for several symbols: see index_open.c.
 */

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

/* Sort by addresses, too. Functions of functions files have come behind those that are sorted. */
static void sort_again(struct fentry_index *idx)
{
	struct fentry_target *t = idx->targets, *end = t + idx->cnt, *group;

	if (idx->replacing_cnt) {
		fentry_targets__sort(t, idx->cnt);
		return;
	}
	for (; t < end; t = group) {
		for (group = t + 1; group < end && !strcmp(group->name, t->name); group++)
			;
		if (group > t + 1)
			fentry_targets__sort(t, group - t);
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

/* Take functions from the files of modules that have no BTF in the kernel. */
static int add_modules_without_btf(struct fentry_index *idx)
{
	struct fentry_target *t;

	for_each(t, idx->replacing, idx->replacing_cnt) {
		if (fentry_index__object(idx, t->module)->cnt)
			continue;
		if (!ARRAY_GROW(idx->targets, idx->cnt))
			return -ENOMEM;
		idx->targets[idx->cnt++] = *t;
	}
	fentry_targets__sort(idx->targets, idx->cnt);
	return 0;
}

int fentry_index__read_addresses(struct fentry_index *idx, const char *ids,
				 struct fentry_error *error)
{
	struct reader r = { .idx = idx, .path = ids, .error = error };
	int err;

	err = fentry_kallsyms__read(ids, take_ids, &r, error);
	if (err != -ENOENT) {
		idx->exact = true;
		fentry_targets__sort(idx->targets, idx->cnt);
		err = err ?: read_modules(idx, error);
		if (!err && idx->replacing_cnt && add_modules_without_btf(idx))
			err = fentry_error__no_memory(error);
		settle_aliases(idx);
		return err;
	}
	fentry_targets__sort(idx->targets, idx->cnt);
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
