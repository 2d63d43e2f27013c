// SPDX-License-Identifier: GPL-2.0-only
/*
 * Argument classes of the System V x86-64 ABI, as far as C in a kernel goes.
 */
#include "signature/abi.h"

#define MAX_DEPTH 16

/* Follow typedefs and qualifiers. */
static int strip(Dwarf_Die *type, Dwarf_Die *ret)
{
	Dwarf_Die next;
	int depth = 0;

	*ret = *type;
	while (ret->addr) {
		switch (dwarf_tag(ret)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
			if (die_type(ret, &next) || ++depth > MAX_DEPTH)
				return -1;
			*ret = next;
			break;
		default:
			return 0;
		}
	}
	return 0;
}

static enum abi_class classify_members(Dwarf_Die *aggregate, int depth);

static enum abi_class classify(Dwarf_Die *type, int depth)
{
	Dwarf_Die die, elem;

	if (depth > MAX_DEPTH || strip(type, &die) || !die.addr)
		return ABI_OTHER;
	switch (dwarf_tag(&die)) {
	case DW_TAG_base_type:
		return die_is_integer(&die) ? ABI_INT : ABI_OTHER;
	case DW_TAG_pointer_type:
	case DW_TAG_enumeration_type:
		return ABI_INT;
	case DW_TAG_array_type:
		return die_type(&die, &elem) ? ABI_OTHER : classify(&elem, depth + 1);
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return classify_members(&die, depth + 1);
	default:
		return ABI_OTHER;
	}
}

/* A scalar that isn't at a multiple of its size puts the struct in memory. */
static bool unaligned(Dwarf_Die *member, const struct member_place *place)
{
	Dwarf_Die type, die;
	u64 size;

	if (place->bit_size || die_type(member, &type) || strip(&type, &die) || !die.addr)
		return false;
	if (dwarf_tag(&die) != DW_TAG_base_type && dwarf_tag(&die) != DW_TAG_enumeration_type &&
	    dwarf_tag(&die) != DW_TAG_pointer_type)
		return false;
	size = die_udata(&die, DW_AT_byte_size, 8);
	return size && place->bit_off / 8 % size;
}

static enum abi_class classify_members(Dwarf_Die *aggregate, int depth)
{
	enum abi_class class = ABI_INT, member_class;
	struct member_place place;
	Dwarf_Die member, type;

	for_each_child(aggregate, DW_TAG_member, &member) {
		die_member_place(&member, &place);
		if (die_type(&member, &type))
			return ABI_OTHER;
		member_class = classify(&type, depth + 1);
		if (member_class == ABI_OTHER)
			return ABI_OTHER;
		if (member_class == ABI_MEMORY || unaligned(&member, &place))
			class = ABI_MEMORY;
	}
	return class;
}

int abi_type_read(Dwarf_Die *type, struct abi_type *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (strip(type, &ret->die) || !ret->die.addr)
		return -1;
	switch (dwarf_tag(&ret->die)) {
	case DW_TAG_pointer_type:
		ret->pointer = true;
		ret->size = 8;
		return 0;
	case DW_TAG_base_type:
	case DW_TAG_enumeration_type:
		ret->size = die_udata(&ret->die, DW_AT_byte_size, 0);
		ret->class = ret->size > 16 ? ABI_OTHER : classify(&ret->die, 0);
		return ret->size ? 0 : -1;
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		if (die_flag(&ret->die, DW_AT_declaration))
			return -1;
		ret->aggregate = true;
		ret->size = die_udata(&ret->die, DW_AT_byte_size, 0);
		ret->class = ret->size > 16 ? ABI_MEMORY : classify(&ret->die, 0);
		return 0;
	default:
		return -1;
	}
}

/* One level of abi_find_member(); counts the members that fit. A name is set if it's one. */
static int find_members(Dwarf_Die *aggregate, u32 base, u32 off, u32 size, const char *prefix,
			char **name_ret, Dwarf_Die *type_ret, int depth)
{
	struct member_place place;
	struct abi_type abi;
	Dwarf_Die member, type;
	int nr = 0;
	char *name;
	u32 at;

	for_each_child(aggregate, DW_TAG_member, &member) {
		die_member_place(&member, &place);
		at = base + place.bit_off / 8;
		if (die_type(&member, &type) || abi_type_read(&type, &abi))
			continue;
		if (off < at || off + size > at + abi.size)
			continue;
		/* a bit-field is the value of its bytes only if it is their lowest bits */
		if (place.bit_size && place.bit_off % 8)
			return 2;
		name = *die_name(&member) ? xasprintf("%s__%s", prefix, die_name(&member)) :
					    xstrdup(prefix);
		if (abi.aggregate && depth < MAX_DEPTH) {
			nr += find_members(&abi.die, at, off, size, name, name_ret, type_ret,
					   depth + 1);
		} else if (off == at && size == abi.size && !nr++) {
			*name_ret = name;
			*type_ret = type;
			continue;	/* name is the caller's now */
		}
		free(name);
	}
	return nr;
}

int abi_find_member(const struct abi_type *type, u32 off, u32 size, const char *prefix,
		    char **name_ret, Dwarf_Die *type_ret)
{
	Dwarf_Die die = type->die;
	char *name = NULL;

	if (find_members(&die, 0, off, size, prefix, &name, type_ret, 0) != 1) {
		free(name);
		return -1;
	}
	*name_ret = name;
	return 0;
}
