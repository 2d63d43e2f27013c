// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adding the types that signatures need and the input lacks.
 */
#include "annotate/add_types.h"
#include "btf/added.h"

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

/*
 * Add what the signature of @func needs and the BTF lacks. Returns -1 if libbpf
 * refuses a type, such as an integer of 3 bytes: @a->split is spoilt then.
 */
static int add_func_types(struct annotator *a, struct func *func, struct u64map *planned,
			  Dwarf_CU **cu)
{
	Dwarf_Die *die;
	u32 i;

	for (i = 0; i <= func->sig->nr; i++) {
		die = missing_type(a, func->sig, i);
		if (die && types_add_missing(&a->types, a->split, planned, cu, die) < -1)
			return -1;
	}
	return 0;
}

/* How many functions there are whose types libbpf refused to add. They are left out. */
static u32 add_all_types(struct annotator *a, struct u64map *planned, Dwarf_CU **cu)
{
	struct func *func;
	u32 i, refused = 0;

	*cu = NULL;
	for (i = 0; i < a->funcs->nr; i++) {
		func = &a->funcs->funcs[i];
		if (func->reason == REASON_NONE && add_func_types(a, func, planned, cu)) {
			func->reason = REASON_TYPE_BAD;
			refused++;
		}
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

/*
 * How many functions there are whose types were added, but the kernel would refuse them; -1 on
 * error. They are left out.
 */
static int leave_out_bad(struct annotator *a, const struct u64map *planned)
{
	const struct btf_image before = *a->img;
	struct func *func;
	int left_out = 0;
	bool *bad;
	u32 i;

	if (annotator_flatten(a))
		return -1;
	bad = added_types_check(a->img, before.nr_types);
	btf_image_cut(a->img, &before);
	for (i = 0; i < a->funcs->nr; i++) {
		func = &a->funcs->funcs[i];
		if (func->reason == REASON_NONE && needs_bad_type(a, func, planned, bad)) {
			func->reason = REASON_TYPE_BAD;
			left_out++;
		}
	}
	free(bad);
	return left_out;
}

/* Raw parameters need one type, which a small BTF may lack. */
static int add_raw_type(struct annotator *a)
{
	const struct func *func;
	u32 i, raw = 0;

	for (i = 0; i < a->funcs->nr; i++) {
		func = &a->funcs->funcs[i];
		raw += func->reason == REASON_NONE ? func->sig->nr_raw : 0;
	}
	if (!raw || a->ulong_id > 0)
		return 0;
	a->ulong_id = btf__add_int(a->split, "long unsigned int", 8, 0);
	return a->ulong_id > 0 ? 0 : err("out of memory");
}

/* Returns how many functions must be left out before this can be done again; -1 on error. */
static int try_to_add_types(struct annotator *a, Dwarf_CU **cu)
{
	struct u64map planned = {};
	int ret = add_raw_type(a);

	if (!ret)
		ret = add_all_types(a, &planned, cu);
	if (!ret && btf__type_cnt(a->split) > a->img->nr_types)
		ret = leave_out_bad(a, &planned);
	u64map_free(&planned);
	return ret;
}

/*
 * Types that the input lacks. They get their own round of split BTF, because
 * only types without users can be deduplicated without losing track of ids.
 */
int add_types(struct annotator *a, const char *name)
{
	u32 before = a->img->nr_types;
	Dwarf_CU *cu;
	int ret;

	/* again only if DWARF is damaged */
	while ((ret = try_to_add_types(a, &cu)) > 0) {
		if (annotator_reload(a, name))
			return -1;
	}
	if (ret)
		return -1;
	if (btf__type_cnt(a->split) == before)
		return 0;
	a->stats->types_added = btf__type_cnt(a->split) - before;
	if (cu != SEVERAL_CUS) {
		types_index_added(&a->types, a->split);
		return 0;
	}
	ret = btf__dedup(a->split, NULL);
	if (ret)
		return err("cannot deduplicate added types: %s", strerror(-ret));
	ret = annotator_flatten(a);
	a->stats->types_added = a->img->nr_types - before;
	return ret || annotator_reload(a, name) ? -1 : 0;
}
