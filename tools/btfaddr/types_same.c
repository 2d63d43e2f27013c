// SPDX-License-Identifier: GPL-2.0
/*
 * Comparing a DWARF type with a BTF type, to tell apart types of one name.
 */
#include "types.h"

static bool same_base(Dwarf_Die *die, const struct btf_type *t)
{
	u64 encoding = die_udata(die, DW_AT_encoding, 0);
	bool is_float = encoding == DW_ATE_float;

	if (is_float != (btf_kind(t) == BTF_KIND_FLOAT))
		return false;
	if (!is_float && btf_kind(t) != BTF_KIND_INT)
		return false;
	return t->size == die_udata(die, DW_AT_byte_size, 0);
}

/* Bits that a constant's form holds: whether it has a sign is not told. */
static u64 form_mask(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	switch (dwarf_whatform(dwarf_attr(die, DW_AT_const_value, &attr))) {
	case DW_FORM_data1:
		return UINT8_MAX;
	case DW_FORM_data2:
		return UINT16_MAX;
	case DW_FORM_data4:
		return UINT32_MAX;
	default:
		return UINT64_MAX;
	}
}

static bool same_enum(const struct btf *btf, Dwarf_Die *die, const struct btf_type *t)
{
	u32 i = 0, vlen = btf_vlen(t);
	const char *name;
	Dwarf_Die child;
	u64 have, val, mask;

	if (t->size != die_udata(die, DW_AT_byte_size, 0))
		return false;
	for_each_child(die, DW_TAG_enumerator, &child) {
		if (i == vlen)
			return false;
		val = die_sdata(&child, DW_AT_const_value, 0);
		mask = form_mask(&child);
		if (btf_is_enum64(t)) {
			name = btf__name_by_offset(btf, btf_enum64(t)[i].name_off);
			have = btf_enum64_value(&btf_enum64(t)[i]);
		} else {
			name = btf__name_by_offset(btf, btf_enum(t)[i].name_off);
			have = (u32)btf_enum(t)[i].val;
			mask &= UINT32_MAX;
		}
		if ((have & mask) != (val & mask) || strcmp(name, die_name(&child)))
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

bool types_same_shape(struct types *types, Dwarf_Die *die, const struct btf_type *t)
{
	const struct btf *btf = types->idx.btf;
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
static bool is_only(struct types *types, u32 id)
{
	const struct btf *btf = types->idx.btf;
	const struct btf_type *t = btf__type_by_id(btf, id), *other;
	const char *name = btf_type_name(btf, t);
	u32 i;

	if (!*name)
		return false;
	for (i = btf_index_first(&types->idx, btf_key_named(btf_kind(t), name)); i;
	     i = types->idx.next[i]) {
		other = btf__type_by_id(btf, i);
		if (i != id && btf_kind(other) == btf_kind(t) &&
		    !strcmp(btf_type_name(btf, other), name))
			return false;
	}
	return true;
}

static bool same_composite(struct types *types, Dwarf_Die *die, u32 id, bool strict, int depth)
{
	const struct btf_type *t = btf__type_by_id(types->idx.btf, id);
	const struct btf_member *m = btf_members(t);
	Dwarf_Die child, type;
	u64 pair;
	u32 i = 0;

	if (!types_same_shape(types, die, t))
		return false;
	if (btf_is_any_enum(t) || (depth && is_only(types, id)))
		return true;
	pair = hash_mix(dwarf_dieoffset(die), id);
	if (u64map_get(&types->assumed, pair))
		return true;
	u64map_set(&types->assumed, pair, 1);
	for_each_child(die, DW_TAG_member, &child) {
		if (die_type(&child, &type) ||
		    !types_same(types, &type, m[i++].type, strict, depth + 1))
			return false;
	}
	return true;
}

static bool same_fwd(struct types *types, Dwarf_Die *die, u32 id, bool strict)
{
	const struct btf_type *t = btf__type_by_id(types->idx.btf, id);
	u32 kind = die_btf_kind(die);

	if (strcmp(btf_type_name(types->idx.btf, t), die_name(die)))
		return false;
	if (btf_is_fwd(t))
		return btf_kflag(t) == (kind == BTF_KIND_UNION);
	if (kind == BTF_KIND_ENUM)
		return btf_is_any_enum(t);
	return btf_kind(t) == kind && (!strict || is_only(types, id));
}

static bool same_proto(struct types *types, Dwarf_Die *die, const struct btf_type *t,
		       bool strict, int depth)
{
	const struct btf_param *p = btf_params(t);
	Dwarf_Die child, type;
	u32 i = 0;
	int more;

	if (die_type(die, &type) || !types_same(types, &type, t->type, strict, depth + 1))
		return false;
	for (more = dwarf_child(die, &child); !more; more = dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter &&
		    dwarf_tag(&child) != DW_TAG_unspecified_parameters)
			continue;
		if (i == btf_vlen(t))
			return false;
		if (die_type(&child, &type) ||
		    !types_same(types, &type, p[i++].type, strict, depth + 1))
			return false;
	}
	return i == btf_vlen(t);
}

static bool same_ref(struct types *types, Dwarf_Die *die, const struct btf_type *t,
		     bool strict, int depth)
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
		tag = btf__type_by_id(types->idx.btf, id);
		if (!btf_is_type_tag(tag) ||
		    strcmp(btf_type_name(types->idx.btf, tag), tags[i]))
			return false;
		id = tag->type;
	}
	return types_same(types, &type, id, strict, depth + 1);
}

static bool same_array(struct types *types, Dwarf_Die *die, const struct btf_type *t,
		       bool strict, int depth)
{
	Dwarf_Die type;

	return btf_is_array(t) && btf_array(t)->nelems == die_nr_elements(die) &&
	       !die_type(die, &type) &&
	       types_same(types, &type, btf_array(t)->type, strict, depth + 1);
}

static bool same_typedef(struct types *types, Dwarf_Die *die, const struct btf_type *t,
			 bool strict, int depth)
{
	Dwarf_Die type;

	return btf_is_typedef(t) && !strcmp(btf_type_name(types->idx.btf, t), die_name(die)) &&
	       !die_type(die, &type) && types_same(types, &type, t->type, strict, depth + 1);
}

bool types_same(struct types *types, Dwarf_Die *die, u32 id, bool strict, int depth)
{
	const struct btf_type *t;

	if (!die->addr || !id || dwarf_tag(die) == DW_TAG_unspecified_type)
		return (!die->addr || dwarf_tag(die) == DW_TAG_unspecified_type) && !id;
	t = btf__type_by_id(types->idx.btf, id);
	if (!t || depth > TYPE_MAX_DEPTH)
		return false;
	switch (die_btf_kind(die)) {
	case BTF_KIND_INT:
		return types_same_shape(types, die, t);
	case BTF_KIND_PTR:
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
		return same_ref(types, die, t, strict, depth);
	case BTF_KIND_TYPEDEF:
		return same_typedef(types, die, t, strict, depth);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
		if (die_flag(die, DW_AT_declaration))
			return same_fwd(types, die, id, strict);
		return same_composite(types, die, id, strict, depth);
	case BTF_KIND_ARRAY:
		return same_array(types, die, t, strict, depth);
	case BTF_KIND_FUNC_PROTO:
		return btf_is_func_proto(t) && same_proto(types, die, t, strict, depth);
	default:
		return false;
	}
}
