// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adding types that DWARF has and the BTF lacks.
 *
 * First, all types that the wanted one needs are listed and numbered; then they are written. It
 * takes two steps because a struct may point to itself, and libbpf wants the members of a struct
 * right after it.
 */
#include <errno.h>

#include "annotate/add_types.h"
#include "btf/check.h"

#define SEVERAL_CUS ((Dwarf_CU *)1)

/**
 * struct entry - a type to be added
 * @die: the type's DIE; for a type tag, that of the pointer which has the tag
 * @tag: name of the type tag, or NULL if this is none
 * @ref: for a pointer or a tag, the id of the type that it refers to
 */
struct entry {
	Dwarf_Die die;
	const char *tag;
	u32 ref;
};

/**
 * struct addition - types that libbpf adds on top of the input
 * @types: finds the input's types
 * @base: the input, NULL before there is anything to add
 * @planned: maps die_key() to id, for all types that were added
 * @cu: the unit that these are from, NULL at first; SEVERAL_CUS if there are several, as some types
 *	may be equal then
 * @now: as @planned, for the type that is being added and what it needs
 * @entries: these types, from id @first_id on
 */
struct addition {
	struct types *types;
	struct btf *base, *split;
	struct u64map planned, now;
	Dwarf_CU *cu;
	struct entry *entries;
	u32 nr, first_id;
};

static int plan(struct addition *a, Dwarf_Die *die, u32 *id_ret, int depth);

static u32 new_entry(struct addition *a, Dwarf_Die *die, const char *tag)
{
	PUSH(a->entries, a->nr, .die = *die, .tag = tag);
	return a->first_id + a->nr - 1;
}

static int plan_type_of(struct addition *a, Dwarf_Die *die, u32 *id_ret, int depth)
{
	Dwarf_Die type;

	return die_type(die, &type) ? -1 : plan(a, &type, id_ret, depth + 1);
}

static int plan_children(struct addition *a, Dwarf_Die *die, unsigned int tag, int depth)
{
	Dwarf_Die child;
	u32 id;

	for_each_child(die, tag, &child) {
		if (plan_type_of(a, &child, &id, depth))
			return -1;
	}
	return 0;
}

/* A pointer's type tags stand between the pointer and what it points to. */
static int plan_pointer(struct addition *a, Dwarf_Die *die, u32 entry, int depth)
{
	const char *tags[MAX_TYPE_TAGS];
	int i, nr = die_type_tags(die, tags, MAX_TYPE_TAGS);
	u32 id, at = entry;

	for (i = 0; i < nr; i++) {
		id = new_entry(a, die, tags[i]);
		a->entries[at].ref = id;
		at = id - a->first_id;
	}
	if (plan_type_of(a, die, &id, depth))
		return -1;
	a->entries[at].ref = id;
	return 0;
}

static int plan_needs(struct addition *a, Dwarf_Die *die, u32 entry, int depth)
{
	u32 id;

	switch (dwarf_tag(die)) {
	case DW_TAG_base_type:
	case DW_TAG_enumeration_type:
		return 0;
	case DW_TAG_pointer_type:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_typedef:
		return plan_pointer(a, die, entry, depth);
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		if (die_flag(die, DW_AT_declaration))
			return 0;
		return plan_children(a, die, DW_TAG_member, depth);
	case DW_TAG_array_type:
		return plan_type_of(a, die, &id, depth) ||
		       plan_children(a, die, DW_TAG_subrange_type, depth);
	case DW_TAG_subroutine_type:
		return plan_type_of(a, die, &id, depth) ||
		       plan_children(a, die, DW_TAG_formal_parameter, depth);
	default:
		return -1;
	}
}

/* Find the id that a type has, or will have when it is added. */
static int plan(struct addition *a, Dwarf_Die *die, u32 *id_ret, int depth)
{
	enum type_status status = types_resolve(a->types, die, id_ret);
	u32 entry;
	u64 key;

	if (status == TYPE_OK)
		return 0;
	if (status != TYPE_MISSING || depth > TYPE_MAX_DEPTH)
		return -1;
	key = die_key(die);
	*id_ret = u64map_get(&a->planned, key);
	if (!*id_ret)
		*id_ret = u64map_get(&a->now, key);
	if (*id_ret)
		return 0;
	*id_ret = new_entry(a, die, NULL);
	entry = *id_ret - a->first_id;
	u64map_set(&a->now, key, *id_ret);
	return plan_needs(a, die, entry, depth);
}

/* All types are planned by now, so this does not fail. */
static u32 id_of_type(struct addition *a, Dwarf_Die *die)
{
	u32 id = 0;

	plan_type_of(a, die, &id, 0);
	return id;
}

static int emit_base(struct addition *a, Dwarf_Die *die)
{
	u32 size = die_udata(die, DW_AT_byte_size, 0);
	int encoding = 0;

	if (!die_is_integer(die))
		return btf__add_float(a->split, die_name(die), size);
	switch (die_udata(die, DW_AT_encoding, 0)) {
	case DW_ATE_boolean:
		encoding = BTF_INT_BOOL;
		break;
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		encoding = BTF_INT_SIGNED;
		break;
	}
	return btf__add_int(a->split, die_name(die), size, encoding);
}

static bool needs_enum64(Dwarf_Die *die)
{
	Dwarf_Die child;
	int64_t val;

	for_each_child(die, DW_TAG_enumerator, &child) {
		val = die_sdata(&child, DW_AT_const_value, 0);
		if (val > UINT32_MAX || val < INT32_MIN)
			return true;
	}
	return false;
}

static int emit_enum(struct addition *a, Dwarf_Die *die)
{
	u32 size = die_udata(die, DW_AT_byte_size, 4);
	bool big = needs_enum64(die);
	Dwarf_Die child;
	int64_t val;
	int id, ret;

	id = big ? btf__add_enum64(a->split, die_name(die), size, false) :
		   btf__add_enum(a->split, die_name(die), size);
	for_each_child(die, DW_TAG_enumerator, &child) {
		if (id < 0)
			break;
		val = die_sdata(&child, DW_AT_const_value, 0);
		ret = big ? btf__add_enum64_value(a->split, die_name(&child), val) :
			    btf__add_enum_value(a->split, die_name(&child), val);
		if (ret)
			return ret;
	}
	return id;
}

static int emit_struct(struct addition *a, Dwarf_Die *die)
{
	bool is_union = dwarf_tag(die) == DW_TAG_union_type;
	u32 size = die_udata(die, DW_AT_byte_size, 0);
	struct member_place place;
	Dwarf_Die child;
	int id, ret;

	if (die_flag(die, DW_AT_declaration))
		return btf__add_fwd(a->split, die_name(die),
				    is_union ? BTF_FWD_UNION : BTF_FWD_STRUCT);
	id = is_union ? btf__add_union(a->split, die_name(die), size) :
			btf__add_struct(a->split, die_name(die), size);
	for_each_child(die, DW_TAG_member, &child) {
		if (id < 0)
			break;
		die_member_place(&child, &place);
		if (place.bit_off > UINT32_MAX)
			return -EINVAL;
		ret = btf__add_field(a->split, die_name(&child), id_of_type(a, &child),
				     place.bit_off, place.bit_size);
		if (ret)
			return ret;
	}
	return id;
}

static int emit_array(struct addition *a, Dwarf_Die *die)
{
	Dwarf_Die range;
	u32 index = 0;

	if (die_first(die, DW_TAG_subrange_type, &range))
		index = id_of_type(a, &range);
	return btf__add_array(a->split, index, id_of_type(a, die), die_nr_elements(die));
}

static int emit_proto(struct addition *a, Dwarf_Die *die)
{
	int id = btf__add_func_proto(a->split, id_of_type(a, die)), ret = 0;
	Dwarf_Die child;

	for_each_child(die, TAG_ANY_PARAM, &child) {
		if (id < 0 || ret)
			break;
		ret = dwarf_tag(&child) == DW_TAG_formal_parameter ?
			      btf__add_func_param(a->split, die_name(&child),
						  id_of_type(a, &child)) :
			      btf__add_func_param(a->split, NULL, 0);
	}
	return ret ?: id;
}

static int emit(struct addition *a, struct entry *entry)
{
	Dwarf_Die *die = &entry->die;

	if (entry->tag)
		return btf__add_type_tag(a->split, entry->tag, entry->ref);
	switch (dwarf_tag(die)) {
	case DW_TAG_base_type:
		return emit_base(a, die);
	case DW_TAG_pointer_type:
		return btf__add_ptr(a->split, entry->ref);
	case DW_TAG_const_type:
		return btf__add_const(a->split, entry->ref);
	case DW_TAG_volatile_type:
		return btf__add_volatile(a->split, entry->ref);
	case DW_TAG_restrict_type:
		return btf__add_restrict(a->split, entry->ref);
	case DW_TAG_typedef:
		return btf__add_typedef(a->split, die_name(die), entry->ref);
	case DW_TAG_enumeration_type:
		return emit_enum(a, die);
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return emit_struct(a, die);
	case DW_TAG_array_type:
		return emit_array(a, die);
	default:
		return emit_proto(a, die);
	}
}

static int emit_all(struct addition *a)
{
	int id;
	u32 i;

	for (i = 0; i < a->nr; i++) {
		id = emit(a, &a->entries[i]);
		/* libbpf refuses some types, such as those of size 0 */
		if (id < 0 || (u32)id != a->first_id + i)
			return -1;
	}
	return 0;
}

/*
 * Add a type that the input lacks, and all types that it needs. Each DIE is added once, and
 * btf__dedup() merges equal types in the end.
 *
 * Return: 0, also if the type can't be described, and nothing was added; -1 if libbpf refuses a
 * type, such as an integer of 3 bytes: @a->split is spoilt then.
 */
static int add_type(struct addition *a, Dwarf_Die *die)
{
	const struct u64map_slot *slot;
	const struct entry *entry;
	int ret;
	u32 id;

	a->first_id = btf__type_cnt(a->split);
	a->nr = 0;
	if (plan(a, die, &id, 0))
		a->nr = 0;
	ret = emit_all(a);
	for_each(entry, a->entries, a->nr)
		a->cu = !a->cu || a->cu == entry->die.cu ? entry->die.cu : SEVERAL_CUS;
	for_each(slot, a->now.slots, a->nr ? a->now.cap : 0) {
		if (slot->val)
			u64map_set(&a->planned, slot->key, slot->val);
	}
	u64map_free(&a->now);
	return ret;
}

/* Does a function lack a type? Then its prototype is neither found nor the only thing lacking. */
static bool needs_types(const struct func *func)
{
	return !func->reason && !func->proto && !func->lacking;
}

/*
 * The DIE of type @i of a signature, if the BTF lacks the type; else NULL. The last type is that of
 * the return value.
 */
static Dwarf_Die *missing_type(struct annotator *a, struct signature *sig, u32 i)
{
	Dwarf_Die *die = i < sig->nr ? &sig->params[i].type : &sig->ret;
	u32 id;

	if (i < sig->nr && sig->params[i].raw)
		return NULL;
	return types_resolve(&a->types, die, &id) == TYPE_MISSING ? die : NULL;
}

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
	free(add->entries);
	*add = (struct addition){ .types = add->types };
}

/*
 * Add the types that @func needs and the BTF lacks. Returns how many functions must be left out: 1
 * if libbpf refuses a type, else 0; -1 on error.
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
		if (add_type(add, die)) {
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
	struct func *func;

	for_each(func, a->funcs->funcs, a->funcs->nr) {
		ret = needs_types(func) ? add_func_types(a, func, add, name) : 0;
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
 * Leave out the functions whose added types the kernel would refuse. Returns how many there are; -1
 * on error.
 */
static int leave_out_bad(struct annotator *a, const struct addition *add)
{
	const struct btf_image before = *a->img;
	struct func *func;
	int left_out = 0;
	bool *bad;

	if (append(a, add))
		return -1;
	bad = added_types_check(a->img, before.nr_types);
	btf_image_cut(a->img, &before);
	for_each(func, a->funcs->funcs, a->funcs->nr) {
		if (needs_types(func) && needs_bad_type(a, func, &add->planned, bad)) {
			func->reason = REASON_TYPE_BAD;
			left_out++;
		}
	}
	free(bad);
	return left_out;
}

/* Raw parameters need unsigned long, which a small BTF may lack. */
static int add_raw_type(struct annotator *a, struct addition *add, const char *name)
{
	const struct func *func;
	u32 raw = 0;

	for_each(func, a->funcs->funcs, a->funcs->nr)
		raw += needs_types(func) ? func->sig->nr_raw : 0;
	if (!raw || a->ulong_id)
		return 0;
	if (open_addition(add, a, name))
		return -1;
	return btf__add_int(add->split, "long unsigned int", 8, 0) > 0 ? 0 : err("out of memory");
}

/* Returns how many functions were left out: if any, it must be done again. -1 on error. */
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
 * A file of BTF may be from another build. Structs that differ a little are added. But if most
 * functions need types that the file lacks, it is another kernel's. Small files are often made by
 * hand.
 */
static int check_build(const struct annotator *a, const char *name)
{
	enum { SMALL = 100 };
	const struct func *func;
	u32 nr = 0, lacking = 0;

	for_each(func, a->funcs->funcs, a->funcs->nr) {
		nr += !func->reason;
		lacking += needs_types(func);
	}
	if (!a->img->separate || nr < SMALL || lacking <= nr / 2)
		return 0;
	return err(
		"%s: lacks types of %u of the %u functions of %s: give the BTF of the same build",
		name, lacking, nr, a->file->path);
}

/*
 * Add the types that the input lacks, before anything else: btf__dedup() changes ids, so nothing
 * may refer to these types yet.
 */
int add_types(struct annotator *a, const char *name)
{
	struct addition add = { .types = &a->types };
	int ret;

	if (check_build(a, name))
		return -1;
	/* again only if DWARF is damaged */
	while ((ret = try_to_add_types(a, &add, name)) > 0)
		close_addition(&add);
	if (!ret && add.base)
		ret = finish(a, &add);
	close_addition(&add);
	return ret;
}
