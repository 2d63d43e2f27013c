// SPDX-License-Identifier: GPL-2.0
/*
 * Comparing a DWARF type with a BTF type, to tell apart types of one name.
 */
#include "btf/dwarf_kind.h"
#include "btf/types_same.h"

/**
 * struct same - state of types_same()
 * @die_nr: die_key() to a number, counted from 1
 * @assumed: pairs of that number and an id that are taken as equal because they are
 *	being compared further up: types are cyclic
 */
struct same {
	const struct btf_index *idx;
	bool strict;
	struct u64map die_nr;
	struct u64map assumed;
};

static bool same_type(struct same *same, Dwarf_Die *die, u32 id, int depth);

static bool same_base(Dwarf_Die *die, const struct btf_type *t)
{
	/* pahole makes a float of everything that is no integer */
	if (btf_kind(t) != (die_is_integer(die) ? BTF_KIND_INT : BTF_KIND_FLOAT))
		return false;
	return t->size == die_udata(die, DW_AT_byte_size, 0);
}

static bool same_enum(const struct btf *btf, Dwarf_Die *die, const struct btf_type *t)
{
	u32 i = 0, vlen = btf_vlen(t);
	const char *name;
	Dwarf_Die child;
	u64 have, val;

	if (t->size != die_udata(die, DW_AT_byte_size, 0))
		return false;
	for_each_child(die, DW_TAG_enumerator, &child) {
		if (i == vlen)
			return false;
		val = die_sdata(&child, DW_AT_const_value, 0);
		if (btf_is_enum64(t)) {
			name = btf__name_by_offset(btf, btf_enum64(t)[i].name_off);
			have = btf_enum64_value(&btf_enum64(t)[i]);
		} else {
			name = btf__name_by_offset(btf, btf_enum(t)[i].name_off);
			have = (u32)btf_enum(t)[i].val;
			val = (u32)val;
		}
		if (have != val || strcmp(name, die_name(&child)))
			return false;
		i++;
	}
	return i == vlen;
}

static bool same_members(const struct btf *btf, Dwarf_Die *die, const struct btf_type *t)
{
	const struct btf_member *m = btf_members(t);
	u32 i = 0, vlen = btf_vlen(t);
	struct member_place place;
	Dwarf_Die child;

	if (t->size != die_udata(die, DW_AT_byte_size, 0))
		return false;
	for_each_child(die, DW_TAG_member, &child) {
		if (i == vlen || strcmp(btf__name_by_offset(btf, m[i].name_off), die_name(&child)))
			return false;
		die_member_place(&child, &place);
		if (btf_member_bit_offset(t, i) != place.bit_off)
			return false;
		if (btf_kflag(t) && btf_member_bitfield_size(t, i) != place.bit_size)
			return false;
		i++;
	}
	return i == vlen;
}

bool types_same_shape(const struct btf *btf, Dwarf_Die *die, const struct btf_type *t)
{
	u32 kind = btf_kind(t);

	if (strcmp(btf_type_name(btf, t), die_name(die)))
		return false;
	switch (die_btf_kind(die)) {
	case BTF_KIND_INT:
		return same_base(die, t);
	case BTF_KIND_ENUM:
		return (kind == BTF_KIND_ENUM || kind == BTF_KIND_ENUM64) &&
		       same_enum(btf, die, t);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return kind == die_btf_kind(die) && same_members(btf, die, t);
	default:
		return false;
	}
}

/* Is @id the only struct or union of its kind and name? */
static bool is_only(struct same *same, u32 id)
{
	const struct btf *btf = same->idx->btf;
	const struct btf_type *t = btf__type_by_id(btf, id), *other;
	const char *name = btf_type_name(btf, t);
	u32 i;

	if (!*name)
		return false;
	for (i = btf_index_first(same->idx, btf_key_named(btf_kind(t), name)); i;
	     i = same->idx->next[i]) {
		other = btf__type_by_id(btf, i);
		if (i != id && btf_kind(other) == btf_kind(t) &&
		    !strcmp(btf_type_name(btf, other), name))
			return false;
	}
	return true;
}

/* Take the two as equal from here on. Returns whether they were already. */
static bool assume(struct same *same, Dwarf_Die *die, u32 id)
{
	u32 nr = u64map_get(&same->die_nr, die_key(die));
	u64 pair;

	if (!nr) {
		nr = same->die_nr.nr + 1;
		u64map_set(&same->die_nr, die_key(die), nr);
	}
	pair = (u64)nr << 32 | id;
	if (u64map_get(&same->assumed, pair))
		return true;
	u64map_set(&same->assumed, pair, 1);
	return false;
}

static bool same_composite(struct same *same, Dwarf_Die *die, u32 id, int depth)
{
	const struct btf_type *t = btf__type_by_id(same->idx->btf, id);
	const struct btf_member *m = btf_members(t);
	Dwarf_Die child, type;
	u32 i = 0;

	if (!types_same_shape(same->idx->btf, die, t))
		return false;
	if (btf_is_any_enum(t) || (depth && is_only(same, id)))
		return true;
	if (assume(same, die, id))
		return true;
	for_each_child(die, DW_TAG_member, &child) {
		if (die_type(&child, &type) ||
		    !same_type(same, &type, m[i++].type, depth + 1))
			return false;
	}
	return true;
}

static bool same_fwd(struct same *same, Dwarf_Die *die, u32 id)
{
	const struct btf_type *t = btf__type_by_id(same->idx->btf, id);
	u32 kind = die_btf_kind(die);

	if (strcmp(btf_type_name(same->idx->btf, t), die_name(die)))
		return false;
	if (btf_is_fwd(t))
		return btf_kflag(t) == (kind == BTF_KIND_UNION);
	if (kind == BTF_KIND_ENUM)
		return btf_is_any_enum(t);
	return btf_kind(t) == kind && (!same->strict || is_only(same, id));
}

static bool same_proto(struct same *same, Dwarf_Die *die, const struct btf_type *t, int depth)
{
	const struct btf_param *p = btf_params(t);
	Dwarf_Die child, type;
	u32 i = 0;
	int more;

	if (die_type(die, &type) || !same_type(same, &type, t->type, depth + 1))
		return false;
	for (more = dwarf_child(die, &child); !more; more = dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter &&
		    dwarf_tag(&child) != DW_TAG_unspecified_parameters)
			continue;
		if (i == btf_vlen(t))
			return false;
		if (die_type(&child, &type) ||
		    !same_type(same, &type, p[i++].type, depth + 1))
			return false;
	}
	return i == btf_vlen(t);
}

static bool same_ref(struct same *same, Dwarf_Die *die, const struct btf_type *t,
		     int depth)
{
	const char *tags[MAX_TYPE_TAGS];
	const struct btf_type *tag;
	u32 id = t->type;
	Dwarf_Die type;
	int i, nr = 0;

	if (btf_kind(t) != die_btf_kind(die) || die_type(die, &type))
		return false;
	if (btf_is_ptr(t))
		nr = die_type_tags(die, tags, MAX_TYPE_TAGS);
	for (i = 0; i < nr; i++) {
		tag = btf__type_by_id(same->idx->btf, id);
		if (!btf_is_type_tag(tag) ||
		    strcmp(btf_type_name(same->idx->btf, tag), tags[i]))
			return false;
		id = tag->type;
	}
	return same_type(same, &type, id, depth + 1);
}

static bool same_array(struct same *same, Dwarf_Die *die, const struct btf_type *t, int depth)
{
	Dwarf_Die type;

	return btf_is_array(t) && btf_array(t)->nelems == die_nr_elements(die) &&
	       !die_type(die, &type) &&
	       same_type(same, &type, btf_array(t)->type, depth + 1);
}

static bool same_typedef(struct same *same, Dwarf_Die *die, const struct btf_type *t,
			 int depth)
{
	Dwarf_Die type;

	return btf_is_typedef(t) && !strcmp(btf_type_name(same->idx->btf, t), die_name(die)) &&
	       !die_type(die, &type) && same_type(same, &type, t->type, depth + 1);
}

static bool same_type(struct same *same, Dwarf_Die *die, u32 id, int depth)
{
	const struct btf_type *t;

	if (!die->addr || !id || dwarf_tag(die) == DW_TAG_unspecified_type)
		return (!die->addr || dwarf_tag(die) == DW_TAG_unspecified_type) && !id;
	t = btf__type_by_id(same->idx->btf, id);
	if (!t || depth > TYPE_MAX_DEPTH)
		return false;
	switch (die_btf_kind(die)) {
	case BTF_KIND_INT:
		return types_same_shape(same->idx->btf, die, t);
	case BTF_KIND_PTR:
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
		return same_ref(same, die, t, depth);
	case BTF_KIND_TYPEDEF:
		return same_typedef(same, die, t, depth);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
		if (die_flag(die, DW_AT_declaration))
			return same_fwd(same, die, id);
		return same_composite(same, die, id, depth);
	case BTF_KIND_ARRAY:
		return same_array(same, die, t, depth);
	case BTF_KIND_FUNC_PROTO:
		return btf_is_func_proto(t) && same_proto(same, die, t, depth);
	default:
		return false;
	}
}

bool types_same(const struct btf_index *idx, Dwarf_Die *die, u32 id, bool strict)
{
	struct same same = { .idx = idx, .strict = strict };
	bool ret = same_type(&same, die, id, 0);

	u64map_free(&same.die_nr);
	u64map_free(&same.assumed);
	return ret;
}
