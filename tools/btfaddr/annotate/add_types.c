// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adding the types that signatures need and the input lacks.
 */
#include <errno.h>

#include "annotate/add_types.h"
#include "btf/added.h"

/* Function number @i lacks a type, as nothing is known of its prototype. */
static bool needs_types(const struct annotator *a, u32 i)
{
	const struct func *func = &a->funcs->funcs[i];

	return func->reason == REASON_NONE && !func->proto && !a->lacking[i];
}

/*
 * Type @i of a signature, of which the last is what the function returns: its DIE, if the BTF
 * lacks the type.
 */
static Dwarf_Die *missing_type(struct annotator *a, struct signature *sig, u32 i)
{
	Dwarf_Die *die = i < sig->nr ? &sig->params[i].type : &sig->ret;
	u32 id;

	if (i < sig->nr && sig->params[i].raw)
		return NULL;
	return types_resolve(&a->types, die, &id) == TYPE_MISSING ? die : NULL;
}

/**
 * struct addition - types that libbpf has added on top of the input
 * @base: the input, NULL before there is anything to add
 * @planned: maps die_key() to id
 * @cu: as types_add_missing() has it
 */
struct addition {
	struct btf *base, *split;
	struct u64map planned;
	Dwarf_CU *cu;
};

static int open_addition(struct addition *add, const struct annotator *a, const char *name)
{
	if (add->base)
		return 0;
	add->base = btf_image_open(a->img);
	if (!add->base)
		return err("%s: .BTF is damaged: %s", name, strerror(errno));
	add->split = btf__new_empty_split(add->base);
	return add->split ? 0 : err("out of memory");
}

static void close_addition(struct addition *add)
{
	btf__free(add->split);
	btf__free(add->base);
	u64map_free(&add->planned);
	memset(add, 0, sizeof(*add));
}

/*
 * Add what the signature of @func needs and the BTF lacks. Returns how many functions must be left
 * out: 1 if libbpf refuses a type, such as an integer of 3 bytes, and @add->split is spoilt then.
 */
static int add_func_types(struct annotator *a, struct func *func, struct addition *add,
			  const char *name)
{
	Dwarf_Die *die;
	u32 i;

	for (i = 0; i <= func->sig->nr; i++) {
		die = missing_type(a, func->sig, i);
		if (!die)
			continue;
		if (open_addition(add, a, name))
			return -1;
		if (types_add_missing(&a->types, add->split, &add->planned, &add->cu, die) < -1) {
			func->reason = REASON_TYPE_BAD;
			return 1;
		}
	}
	return 0;
}

/* The same for all functions. */
static int add_all_types(struct annotator *a, struct addition *add, const char *name)
{
	int ret, refused = 0;
	u32 i;

	for (i = 0; i < a->funcs->nr; i++) {
		ret = needs_types(a, i) ? add_func_types(a, &a->funcs->funcs[i], add, name) : 0;
		if (ret < 0)
			return -1;
		refused += ret;
	}
	return refused;
}

/* Does the signature of @func need a type that was added and is @bad? */
static bool needs_bad_type(struct annotator *a, struct func *func, const struct u64map *planned,
			   const bool *bad)
{
	u32 i, id, first = a->img->nr_types;
	Dwarf_Die *die;

	for (i = 0; i <= func->sig->nr; i++) {
		die = missing_type(a, func->sig, i);
		id = die ? u64map_get(planned, die_key(die)) : 0;
		if (id && bad[id - first])
			return true;
	}
	return false;
}

/* Append what libbpf has added to the image. */
static int append(struct annotator *a, const struct addition *add)
{
	struct btf_image types = {};
	const void *data;
	u32 len;
	int ret;

	data = btf__raw_data(add->split, &len);
	if (!data)
		return err("out of memory");
	ret = btf_image_parse(&types, "added types", data, len, true);
	if (!ret)
		btf_image_append(a->img, &types);
	btf_image_free(&types);
	return ret;
}

/*
 * How many functions there are whose types were added, but the kernel would refuse them; -1 on
 * error. They are left out.
 */
static int leave_out_bad(struct annotator *a, const struct addition *add)
{
	const struct btf_image before = *a->img;
	struct func *func;
	int left_out = 0;
	bool *bad;
	u32 i;

	if (append(a, add))
		return -1;
	bad = added_types_check(a->img, before.nr_types);
	btf_image_cut(a->img, &before);
	for (i = 0; i < a->funcs->nr; i++) {
		func = &a->funcs->funcs[i];
		if (needs_types(a, i) && needs_bad_type(a, func, &add->planned, bad)) {
			func->reason = REASON_TYPE_BAD;
			left_out++;
		}
	}
	free(bad);
	return left_out;
}

/* Raw parameters need one type, which a small BTF may lack. */
static int add_raw_type(struct annotator *a, struct addition *add, const char *name)
{
	u32 i, raw = 0;

	for (i = 0; i < a->funcs->nr; i++)
		raw += needs_types(a, i) ? a->funcs->funcs[i].sig->nr_raw : 0;
	if (!raw || a->ulong_id)
		return 0;
	if (open_addition(add, a, name))
		return -1;
	return btf__add_int(add->split, "long unsigned int", 8, 0) > 0 ? 0 : err("out of memory");
}

/* Returns how many functions must be left out before this can be done again; -1 on error. */
static int try_to_add_types(struct annotator *a, struct addition *add, const char *name)
{
	int ret = add_raw_type(a, add, name);

	if (!ret)
		ret = add_all_types(a, add, name);
	if (!ret && add->base && btf__type_cnt(add->split) > a->img->nr_types)
		ret = leave_out_bad(a, add);
	return ret;
}

/* Equal types may be there several times if they are from several units. */
static int finish(struct annotator *a, struct addition *add)
{
	u32 before = a->img->nr_types;
	int ret = add->cu == SEVERAL_CUS ? btf__dedup(add->split, NULL) : 0;

	if (ret)
		return err("cannot deduplicate added types: %s", strerror(-ret));
	ret = append(a, add);
	a->stats->types_added = a->img->nr_types - before;
	annotator_update(a);
	return ret;
}

/*
 * Types that the input lacks. They come before all else, because only types without users can be
 * deduplicated without losing track of ids.
 */
int add_types(struct annotator *a, const char *name)
{
	struct addition add = {};
	int ret;

	/* again only if DWARF is damaged */
	while ((ret = try_to_add_types(a, &add, name)) > 0)
		close_addition(&add);
	if (!ret && add.base)
		ret = finish(a, &add);
	close_addition(&add);
	return ret;
}
