// SPDX-License-Identifier: GPL-2.0-only
/*
 * Small readers of DWARF entries. To all of them a missing or damaged attribute is an ordinary
 * case, and not an error.
 */
#include "dwarf/dwarf_die.h"

/* May there be another unit that has the type itself? DWARF 5, 5.7.1 and 3.1.4 */
static bool may_be_elsewhere(Dwarf_Die *type)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_class_type:
		return true;
	default:
		return false;
	}
}

int die_type(Dwarf_Die *die, Dwarf_Die *type_ret)
{
	Dwarf_Attribute attr;
	Dwarf_Die type;

	memset(type_ret, 0, sizeof(*type_ret));
	if (!dwarf_attr_integrate(die, DW_AT_type, &attr))
		return 0;
	if (!dwarf_formref_die(&attr, &type))
		return -1;
	if (may_be_elsewhere(&type) && dwarf_attr(&type, DW_AT_signature, &attr) &&
	    !dwarf_formref_die(&attr, &type))
		return -1;
	*type_ret = type;
	return 0;
}

const char *die_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name;

	if (!dwarf_attr_integrate(die, DW_AT_name, &attr))
		return "";
	name = dwarf_formstring(&attr);
	return name ? name : "";
}

const char *die_string(Dwarf_Die *die, unsigned int attr)
{
	Dwarf_Attribute mem;

	return dwarf_attr(die, attr, &mem) ? dwarf_formstring(&mem) : NULL;
}

int die_origin(Dwarf_Die *func, Dwarf_Die *ret)
{
	Dwarf_Attribute attr;
	int depth = 0;

	*ret = *func;
	while (dwarf_attr(ret, DW_AT_abstract_origin, &attr) ||
	       dwarf_attr(ret, DW_AT_specification, &attr)) {
		if (!dwarf_formref_die(&attr, ret) || ++depth > 8)
			return -1;
	}
	return 0;
}

bool die_flag(Dwarf_Die *die, unsigned int attr)
{
	Dwarf_Attribute mem;
	bool flag;

	return dwarf_attr_integrate(die, attr, &mem) && !dwarf_formflag(&mem, &flag) && flag;
}

u64 die_udata(Dwarf_Die *die, unsigned int attr, u64 dflt)
{
	Dwarf_Attribute mem;
	Dwarf_Word val;

	if (!dwarf_attr(die, attr, &mem) || dwarf_formudata(&mem, &val))
		return dflt;
	return val;
}

int64_t die_sdata(Dwarf_Die *die, unsigned int attr, int64_t dflt)
{
	Dwarf_Attribute mem;
	Dwarf_Sword sval;
	Dwarf_Word uval;

	if (!dwarf_attr(die, attr, &mem))
		return dflt;
	switch (dwarf_whatform(&mem)) {
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
		return dwarf_formudata(&mem, &uval) ? dflt : (int64_t)uval;
	default:
		return dwarf_formsdata(&mem, &sval) ? dflt : sval;
	}
}

bool die_is_c(Dwarf_Die *unit)
{
	switch (die_udata(unit, DW_AT_language, 0)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case 0x2c: /* DW_LANG_C17 */
	case 0x3e: /* DW_LANG_C23 */
		return true;
	default:
		return false;
	}
}

bool die_is_integer(Dwarf_Die *base)
{
	switch (die_udata(base, DW_AT_encoding, 0)) {
	case DW_ATE_address:
	case DW_ATE_boolean:
	case DW_ATE_signed:
	case DW_ATE_signed_char:
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		return true;
	default:
		return false;
	}
}

bool die_next(Dwarf_Die *die, unsigned int tag, Dwarf_Die *ret)
{
	Dwarf_Die cur = *die, next;

	while (!dwarf_siblingof(&cur, &next)) {
		if (dwarf_tag(&next) == (int)tag) {
			*ret = next;
			return true;
		}
		cur = next;
	}
	return false;
}

bool die_first(Dwarf_Die *die, unsigned int tag, Dwarf_Die *ret)
{
	Dwarf_Die child;

	if (dwarf_child(die, &child))
		return false;
	if (dwarf_tag(&child) == (int)tag) {
		*ret = child;
		return true;
	}
	return die_next(&child, tag, ret);
}

u64 die_range_count(Dwarf_Die *range)
{
	u64 count = die_udata(range, DW_AT_count, UINT64_MAX);

	return count == UINT64_MAX ? (u64)die_sdata(range, DW_AT_upper_bound, -1) + 1 : count;
}

u32 die_nr_elements(Dwarf_Die *array)
{
	Dwarf_Die range;
	u64 nr = 1;

	for_each_child(array, DW_TAG_subrange_type, &range)
		nr *= die_range_count(&range);
	return nr;
}

/* What the attributes of a member say of its place. */
struct member_attrs {
	Dwarf_Word byte_off, bit_size, data_bit_off, bit_off;
};

static u64 member_byte_off(Dwarf_Attribute *attr)
{
	Dwarf_Word val;
	Dwarf_Op *ops;
	size_t nr;

	if (!dwarf_formudata(attr, &val))
		return val;
	/* in DWARF 2 and 3 it is an expression: "Data Member Entries" */
	if (!dwarf_getlocation(attr, &ops, &nr) && nr == 1 && ops[0].atom == DW_OP_plus_uconst)
		return ops[0].number;
	return UINT32_MAX;
}

static int read_member_attr(Dwarf_Attribute *attr, void *arg)
{
	struct member_attrs *attrs = arg;

	switch (dwarf_whatattr(attr)) {
	case DW_AT_data_member_location:
		attrs->byte_off = member_byte_off(attr);
		break;
	case DW_AT_bit_size:
		dwarf_formudata(attr, &attrs->bit_size);
		break;
	case DW_AT_data_bit_offset:
		dwarf_formudata(attr, &attrs->data_bit_off);
		break;
	case DW_AT_bit_offset:
		dwarf_formudata(attr, &attrs->bit_off);
		break;
	}
	return DWARF_CB_OK;
}

/* Size of the storage unit in which DWARF 2 and 3 count the bits of a bit-field. */
static u64 storage_bits(Dwarf_Die *member)
{
	u64 size = die_udata(member, DW_AT_byte_size, 0);
	Dwarf_Word word;
	Dwarf_Die type;

	if (!size && !die_type(member, &type) && type.addr && !dwarf_aggregate_size(&type, &word))
		size = word;
	return size * 8;
}

void die_member_place(Dwarf_Die *member, struct member_place *ret)
{
	struct member_attrs attrs = { .data_bit_off = UINT64_MAX, .bit_off = UINT64_MAX };

	/* one walk over the attributes, as there are many members */
	dwarf_getattrs(member, read_member_attr, &attrs, 0);
	ret->bit_size = attrs.bit_size;
	if (attrs.data_bit_off != UINT64_MAX) {
		ret->bit_off = attrs.data_bit_off;
		return;
	}
	ret->bit_off = attrs.byte_off * 8;
	/* DW_AT_bit_offset counts from the most significant bit: DWARF 3, "Data Member Entries" */
	if (attrs.bit_off != UINT64_MAX && ret->bit_size)
		ret->bit_off += storage_bits(member) - attrs.bit_off - ret->bit_size;
}
