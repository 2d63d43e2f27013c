// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding the BTF type of a DWARF type.
 *
 * pahole has encoded the types of all units and deduplicated them, so the type should be there. If
 * just one type has the name, and its size is right, it is the one. If several types have the name,
 * their members are compared; so they are if the BTF is from a separate file, perhaps of another
 * build.
 */
#include "btf/types.h"

#define MEMO_ID	   16 /* above every enum type_status */
#define MEMO_RETRY (MEMO_ID - 1)

/* As types_resolve(), with a limit: type chains in damaged DWARF may be cyclic. */
static enum type_status resolve_at(struct types *types, Dwarf_Die *die, u32 *id_ret, int depth);

static enum type_status find_ref(struct types *types, u32 kind, u32 type, const char *tag,
				 u32 *id_ret)
{
	const struct btf_image *img = types->idx.img;
	const struct btf_type *t;
	u32 id;

	for (id = btf_index_first(&types->idx, btf_key_ref(kind, type)); id;
	     id = types->idx.next[id]) {
		t = type_by_id(img, id);
		if (btf_kind(t) != kind || t->type != type)
			continue;
		if (tag && strcmp(type_name(img, t), tag))
			continue;
		*id_ret = id;
		return TYPE_OK;
	}
	return TYPE_MISSING;
}

/* The tags of `int __rcu __user *p` stand between pointer and int. */
static enum type_status resolve_ref(struct types *types, Dwarf_Die *die, u32 *id_ret, int depth)
{
	const char *tags[MAX_TYPE_TAGS];
	enum type_status status;
	Dwarf_Die type;
	u32 id;
	int nr;

	if (die_type(die, &type))
		return TYPE_BAD;
	status = resolve_at(types, &type, &id, depth + 1);
	if (dwarf_tag(die) == DW_TAG_pointer_type) {
		nr = die_type_tags(die, tags, MAX_TYPE_TAGS);
		while (status == TYPE_OK && nr--)
			status = find_ref(types, BTF_KIND_TYPE_TAG, id, tags[nr], &id);
	}
	if (status != TYPE_OK)
		return status;
	return find_ref(types, die_btf_kind(die), id, NULL, id_ret);
}

static enum type_status resolve_array(struct types *types, Dwarf_Die *die, u32 *id_ret, int depth)
{
	const struct btf_image *img = types->idx.img;
	u32 id, elem, nr = die_nr_elements(die);
	const struct btf_type *t;
	enum type_status status;
	Dwarf_Die type;

	if (die_type(die, &type))
		return TYPE_BAD;
	status = resolve_at(types, &type, &elem, depth + 1);
	if (status != TYPE_OK)
		return status;
	for (id = btf_index_first(&types->idx, btf_key_array(elem, nr)); id;
	     id = types->idx.next[id]) {
		t = type_by_id(img, id);
		if (btf_is_array(t) && btf_array(t)->type == elem && btf_array(t)->nelems == nr) {
			*id_ret = id;
			return TYPE_OK;
		}
	}
	return TYPE_MISSING;
}

/* The type of a parameter. "..." is a parameter without type and name, as BTF has it. */
static enum type_status resolve_proto_param(struct types *types, Dwarf_Die *param, u32 *id_ret,
					    int depth)
{
	Dwarf_Die type;

	*id_ret = 0;
	if (dwarf_tag(param) == DW_TAG_unspecified_parameters)
		return TYPE_OK;
	if (die_type(param, &type) || !type.addr)
		return TYPE_BAD;
	return resolve_at(types, &type, id_ret, depth + 1);
}

#define MAX_PROTO_PARAMS 32

/* The type of a function pointer's target, whose parameters have no names. */
static enum type_status resolve_proto(struct types *types, Dwarf_Die *die, u32 *id_ret, int depth)
{
	const char *names[MAX_PROTO_PARAMS] = {};
	u32 ids[MAX_PROTO_PARAMS];
	struct proto_key key = { .types = ids, .names = names };
	enum type_status status;
	Dwarf_Die child, type;

	if (die_type(die, &type))
		return TYPE_BAD;
	status = resolve_at(types, &type, &key.ret, depth + 1);
	if (status != TYPE_OK)
		return status;
	for_each_child(die, TAG_ANY_PARAM, &child) {
		if (key.nr == MAX_PROTO_PARAMS)
			return TYPE_UNSUPPORTED;
		status = resolve_proto_param(types, &child, &ids[key.nr], depth);
		if (status != TYPE_OK)
			return status;
		names[key.nr++] = die_name(&child);
	}
	*id_ret = btf_index_find_proto(&types->idx, &key);
	return *id_ret ? TYPE_OK : TYPE_MISSING;
}

/*
 * Find the one candidate that is the same as the DWARF type. If there are several, there is no
 * telling which is meant, so none is taken. But a module may have a copy of a type of its base,
 * where libbpf's deduplication did not see that the two are equal. Either is right then, and the
 * copy is taken, as pahole mostly refers to that.
 */
static enum type_status pick(struct types *types, Dwarf_Die *die, const u32 *cands, u32 nr,
			     bool strict, u32 *id_ret)
{
	u32 i, found = 0, nr_found = 0;

	for (i = 0; i < nr; i++) {
		if (!types_same(&types->idx, &types->seen, die, cands[i], strict))
			continue;
		if (found < types->own && cands[i] >= types->own)
			nr_found = 0;
		found = cands[i];
		nr_found++;
	}
	*id_ret = found;
	if (nr_found > 1)
		return TYPE_AMBIGUOUS;
	return found ? TYPE_OK : TYPE_MISSING;
}

static enum type_status pick_best(struct types *types, Dwarf_Die *die, const u32 *cands, u32 nr,
				  u32 *id_ret)
{
	enum type_status status;

	if (!nr)
		return TYPE_MISSING;
	if (nr == 1 && !types->idx.img->separate) {
		*id_ret = cands[0];
		return TYPE_OK;
	}
	status = pick(types, die, cands, nr, true, id_ret);
	if (status == TYPE_MISSING)
		status = pick(types, die, cands, nr, false, id_ret);
	return status;
}

#define MAX_CANDIDATES 512

static u64 composite_key(Dwarf_Die *die, u32 kind)
{
	u32 vlen = 0, tag = kind == BTF_KIND_ENUM ? DW_TAG_enumerator : DW_TAG_member;
	const char *name = die_name(die);
	Dwarf_Die child;

	if (*name)
		return btf_key_named(kind, name);
	for_each_child(die, tag, &child)
		vlen++;
	return btf_key_anon(kind, die_udata(die, DW_AT_byte_size, 0), vlen);
}

/* The only type with the name of @die, if it has the size of @die; else 0. */
static u32 find_only(struct types *types, u32 kind, Dwarf_Die *die)
{
	const char *name = die_name(die);
	u32 id = *name ? btf_index_next(&types->idx, kind, name, 0) : 0;

	if (!id || btf_index_next(&types->idx, kind, name, id) ||
	    type_by_id(types->idx.img, id)->size != die_udata(die, DW_AT_byte_size, 0))
		return 0;
	return id;
}

static enum type_status resolve_composite(struct types *types, Dwarf_Die *die, u32 *id_ret)
{
	u32 cands[MAX_CANDIDATES], nr = 0, id, kind = die_btf_kind(die);
	u32 first = btf_index_first(&types->idx, composite_key(die, kind));

	*id_ret = types->idx.img->separate ? 0 : find_only(types, kind, die);
	if (*id_ret)
		return TYPE_OK;
	for (id = first; id; id = types->idx.next[id]) {
		if (!types_same_shape(types->idx.img, die, type_by_id(types->idx.img, id)))
			continue;
		if (nr == MAX_CANDIDATES)
			return TYPE_AMBIGUOUS;
		cands[nr++] = id;
	}
	return pick_best(types, die, cands, nr, id_ret);
}

/*
 * A mere declaration. btf__dedup() replaces a FWD by the struct of its name if there is just one;
 * otherwise the FWD stays.
 */
static enum type_status resolve_fwd(struct types *types, Dwarf_Die *die, u32 *id_ret)
{
	const char *name = die_name(die);
	u32 kind = die_btf_kind(die), id;

	*id_ret = btf_index_next(&types->idx, kind, name, 0);
	if (*id_ret && !btf_index_next(&types->idx, kind, name, *id_ret))
		return TYPE_OK;
	for_each_named(id, &types->idx, BTF_KIND_FWD, name) {
		if (btf_kflag(type_by_id(types->idx.img, id)) == (kind == BTF_KIND_UNION)) {
			*id_ret = id;
			return TYPE_OK;
		}
	}
	return TYPE_MISSING;
}

/* A typedef of the right name whose target is the right type. */
static enum type_status resolve_typedef(struct types *types, Dwarf_Die *die, u32 *id_ret, int depth)
{
	enum type_status status;
	Dwarf_Die type;
	u32 id, target;

	if (die_type(die, &type))
		return TYPE_BAD;
	status = resolve_at(types, &type, &target, depth + 1);
	if (status != TYPE_OK)
		return status;
	for_each_named(id, &types->idx, BTF_KIND_TYPEDEF, die_name(die)) {
		if (type_by_id(types->idx.img, id)->type == target) {
			*id_ret = id;
			return TYPE_OK;
		}
	}
	return TYPE_MISSING;
}

static enum type_status resolve_base(struct types *types, Dwarf_Die *die, u32 *id_ret)
{
	u32 id;

	for (id = btf_index_first(&types->idx, btf_key_named(BTF_KIND_INT, die_name(die))); id;
	     id = types->idx.next[id]) {
		if (types_same_shape(types->idx.img, die, type_by_id(types->idx.img, id))) {
			*id_ret = id;
			return TYPE_OK;
		}
	}
	return TYPE_MISSING;
}

static enum type_status resolve_new(struct types *types, Dwarf_Die *die, u32 *id_ret, int depth)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_base_type:
		return resolve_base(types, die, id_ret);
	case DW_TAG_pointer_type:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
		return resolve_ref(types, die, id_ret, depth);
	case DW_TAG_typedef:
		return resolve_typedef(types, die, id_ret, depth);
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		if (die_flag(die, DW_AT_declaration))
			return resolve_fwd(types, die, id_ret);
		return resolve_composite(types, die, id_ret);
	case DW_TAG_array_type:
		return resolve_array(types, die, id_ret, depth);
	case DW_TAG_subroutine_type:
		return resolve_proto(types, die, id_ret, depth);
	case DW_TAG_unspecified_type:
		*id_ret = 0;
		return TYPE_OK;
	case DW_TAG_invalid:
		return TYPE_BAD;
	default:
		return TYPE_UNSUPPORTED;
	}
}

static enum type_status resolve_at(struct types *types, Dwarf_Die *die, u32 *id_ret, int depth)
{
	enum type_status status;
	u32 id = 0;
	u64 key;

	if (!die->addr) {
		*id_ret = 0;
		return TYPE_OK;
	}
	if (depth > TYPE_MAX_DEPTH)
		return TYPE_BAD;
	key = die_key(die);
	id = u64map_get(&types->memo, key);
	if (id && id < MEMO_RETRY)
		return id;
	if (id < MEMO_ID) {
		status = resolve_new(types, die, &id, depth);
		if (status != TYPE_OK) {
			u64map_set(&types->memo, key, status);
			return status;
		}
		id += MEMO_ID;
		u64map_set(&types->memo, key, id);
	}
	*id_ret = id - MEMO_ID;
	return TYPE_OK;
}

enum type_status types_resolve(struct types *types, Dwarf_Die *die, u32 *id_ret)
{
	return resolve_at(types, die, id_ret, 0);
}

void types_index_added(struct types *types)
{
	struct u64map_slot *slot;

	while (types->idx.nr < types->idx.img->nr_types)
		btf_index_add(&types->idx, types->idx.nr);
	for_each(slot, types->memo.slots, types->memo.cap) {
		if (slot->val && slot->val < MEMO_ID)
			slot->val = MEMO_RETRY;
	}
	types_seen_free(&types->seen);
}

void types_init(struct types *types, const struct btf_image *img)
{
	memset(types, 0, sizeof(*types));
	types->own = img->first_id;
	btf_index_init(&types->idx, img);
}

void types_free(struct types *types)
{
	btf_index_free(&types->idx);
	u64map_free(&types->memo);
	types_seen_free(&types->seen);
}
