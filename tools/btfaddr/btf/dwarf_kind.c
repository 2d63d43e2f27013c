// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which kinds of BTF stand for a DWARF type.
 */
#include "btf/dwarf_kind.h"

/* What pahole writes for a tag. */
u32 die_btf_kind(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_base_type:
		return BTF_KIND_INT;
	case DW_TAG_pointer_type:
		return BTF_KIND_PTR;
	case DW_TAG_const_type:
		return BTF_KIND_CONST;
	case DW_TAG_volatile_type:
		return BTF_KIND_VOLATILE;
	case DW_TAG_restrict_type:
		return BTF_KIND_RESTRICT;
	case DW_TAG_typedef:
		return BTF_KIND_TYPEDEF;
	case DW_TAG_structure_type:
		return BTF_KIND_STRUCT;
	case DW_TAG_union_type:
		return BTF_KIND_UNION;
	case DW_TAG_enumeration_type:
		return BTF_KIND_ENUM;
	case DW_TAG_array_type:
		return BTF_KIND_ARRAY;
	case DW_TAG_subroutine_type:
		return BTF_KIND_FUNC_PROTO;
	default:
		return 0;
	}
}

int die_type_tags(Dwarf_Die *pointer, const char **tags, int max)
{
	Dwarf_Attribute attr;
	Dwarf_Die child;
	int nr = 0;

	for_each_child(pointer, TAG_LLVM_ANNOTATION, &child) {
		if (nr == max || strcmp(die_name(&child), "btf_type_tag"))
			continue;
		if (dwarf_attr(&child, DW_AT_const_value, &attr) && dwarf_formstring(&attr))
			tags[nr++] = dwarf_formstring(&attr);
	}
	return nr;
}
