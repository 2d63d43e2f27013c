// SPDX-License-Identifier: GPL-2.0-only
/*
 * Small readers of DWARF entries. For all of them a missing or damaged attribute is an ordinary
 * case, and not an error.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

#include "dwarf/dwarf_die.h"

/* May another unit have the type that @type stands for? DWARF 5, 5.7.1 and 3.1.4 */
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

#define MAX_DEPTH 32

/* The type with _Atomic, if that is part of it. */
static int type_as_written(Dwarf_Die *die, Dwarf_Die *type_ret)
{
	Dwarf_Attribute attr;
	bool has = dwarf_attr_integrate(die, DW_AT_type, &attr);
	Dwarf_Die type;

	/* this may be @die */
	memset(type_ret, 0, sizeof(*type_ret));
	if (!has)
		return 0;
	if (!dwarf_formref_die(&attr, &type))
		return -1;
	if (may_be_elsewhere(&type) && dwarf_attr(&type, DW_AT_signature, &attr) &&
	    !dwarf_formref_die(&attr, &type))
		return -1;
	*type_ret = type;
	return 0;
}

int die_type(Dwarf_Die *die, Dwarf_Die *type_ret)
{
	int depth = 0, ret = type_as_written(die, type_ret);

	while (!ret && type_ret->addr && dwarf_tag(type_ret) == DW_TAG_atomic_type &&
	       depth++ < MAX_DEPTH)
		ret = type_as_written(type_ret, type_ret);
	return ret;
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

static bool has_tag(Dwarf_Die *die, int tag)
{
	int own = dwarf_tag(die);

	return own == tag || (tag == TAG_ANY_PARAM && (own == DW_TAG_formal_parameter ||
						       own == DW_TAG_unspecified_parameters));
}

bool die_next(Dwarf_Die *die, unsigned int tag, Dwarf_Die *ret)
{
	Dwarf_Die cur = *die, next;

	while (!dwarf_siblingof(&cur, &next)) {
		if (has_tag(&next, tag)) {
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
	if (has_tag(&child, tag)) {
		*ret = child;
		return true;
	}
	return die_next(&child, tag, ret);
}

/* Number of elements in one dimension of an array. */
static u64 die_range_count(Dwarf_Die *range)
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

/*
 * Types in C are written from the inside out, around the name that is declared. So each is
 * put in two halves:
 *
 *	int (*(*name)(void))[4]		name: pointer to function returning pointer to array
 *	int (*(*     )(void))[4]
 *	before       behind
 */

/* Types in damaged DWARF may have no end. Declarations in kernels take a few hundred bytes. */
#define MAX_LEN 65536

enum { CONST = 1, VOLATILE = 2, RESTRICT = 4, ATOMIC = 8 };

static void put(struct buf *out, const char *s)
{
	buf_add(out, s, strlen(s));
}

/* Append a word, after a space if it would run into the name or keyword before it. */
static void put_word(struct buf *out, const char *s)
{
	u8 last = out->len ? out->data[out->len - 1] : ' ';

	if (isalnum(last) || last == '_' || last == '}')
		put(out, " ");
	put(out, s);
}

static void put_qualifiers(struct buf *out, u32 quals)
{
	static const char *const names[] = { "const", "volatile", "restrict", "_Atomic" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (quals & 1u << i)
			put_word(out, names[i]);
	}
}

/* Take the qualifiers off a type. The order that they have in DWARF means nothing. */
static int unqualify(const Dwarf_Die *type, Dwarf_Die *ret, u32 *quals)
{
	Dwarf_Die next;
	int depth = 0;

	for (*ret = *type; ret->addr; *ret = next) {
		switch (dwarf_tag(ret)) {
		case DW_TAG_const_type:
			*quals |= CONST;
			break;
		case DW_TAG_volatile_type:
			*quals |= VOLATILE;
			break;
		case DW_TAG_restrict_type:
			*quals |= RESTRICT;
			break;
		case DW_TAG_atomic_type:
			*quals |= ATOMIC;
			break;
		default:
			return 0;
		}
		if (type_as_written(ret, &next) || ++depth > MAX_DEPTH)
			return -1;
	}
	return 0;
}

/* GCC's names of base types as people and clang write them. */
static const char *base_name(Dwarf_Die *base)
{
	static const char *const names[][2] = {
		{ "long int", "long" },
		{ "long unsigned int", "unsigned long" },
		{ "long long int", "long long" },
		{ "long long unsigned int", "unsigned long long" },
		{ "short int", "short" },
		{ "short unsigned int", "unsigned short" },
		{ "__int128 unsigned", "unsigned __int128" },
	};
	const char *name = die_name(base);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(name, names[i][0]))
			return names[i][1];
	}
	return name;
}

static int put_before(struct buf *out, const Dwarf_Die *type, u32 quals, int depth);
static int put_behind(struct buf *out, const Dwarf_Die *type, int depth);

/* Declare a parameter, or a member. */
static int put_declared(struct buf *out, Dwarf_Die *die, int depth)
{
	Dwarf_Die type;

	if (type_as_written(die, &type) || !type.addr || put_before(out, &type, 0, depth + 1))
		return -1;
	if (*die_name(die))
		put_word(out, die_name(die));
	return put_behind(out, &type, depth + 1);
}

/* @die: a function, or the type of one */
static int put_params(struct buf *out, Dwarf_Die *die, bool variadic, int depth)
{
	const char *comma = "";
	Dwarf_Die child;
	int more;

	put(out, "(");
	for (more = dwarf_child(die, &child); !more; more = dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
			variadic = true;
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		put(out, comma);
		if (put_declared(out, &child, depth))
			return -1;
		comma = ", ";
	}
	/* in C before C23, "()" would leave the parameters open */
	if (*comma)
		put(out, variadic ? ", ...)" : ")");
	else
		put(out, variadic ? ")" : "void)");
	return more < 0 ? -1 : 0;
}

static void put_dimensions(struct buf *out, Dwarf_Die *array)
{
	Dwarf_Die range;
	char text[32];
	u64 nr;

	for_each_child(array, DW_TAG_subrange_type, &range) {
		nr = die_range_count(&range);
		snprintf(text, sizeof(text), nr ? "[%" PRIu64 "]" : "[]", nr);
		put(out, text);
	}
}

/* Does the star of a pointer to the type need parentheses, since [] or () binds tighter? */
static bool needs_parentheses(const Dwarf_Die *type)
{
	Dwarf_Die die;
	u32 quals = 0;

	if (unqualify(type, &die, &quals) || !die.addr)
		return false;
	return dwarf_tag(&die) == DW_TAG_array_type || dwarf_tag(&die) == DW_TAG_subroutine_type;
}

static int put_word_with(struct buf *out, u32 quals, const char *s)
{
	put_qualifiers(out, quals);
	put_word(out, s);
	return 0;
}

static int put_enumerators(struct buf *out, Dwarf_Die *die)
{
	const char *comma = " ";
	Dwarf_Die child;

	for_each_child(die, DW_TAG_enumerator, &child) {
		put(out, comma);
		put(out, die_name(&child));
		comma = ", ";
	}
	return 0;
}

static int put_members(struct buf *out, Dwarf_Die *die, int depth)
{
	struct member_place place;
	Dwarf_Die child;
	char bits[16];

	for_each_child(die, DW_TAG_member, &child) {
		put(out, " ");
		if (put_declared(out, &child, depth))
			return -1;
		die_member_place(&child, &place);
		snprintf(bits, sizeof(bits), place.bit_size ? " : %u;" : ";", place.bit_size);
		put(out, bits);
	}
	return 0;
}

/* A struct, union or enum: its name or, if it has none, what is in it. */
static int put_tagged(struct buf *out, const char *keyword, Dwarf_Die *die, u32 quals, int depth)
{
	const char *name = die_name(die);
	int ret;

	put_word_with(out, quals, keyword);
	if (*name)
		return put_word_with(out, 0, name);
	put(out, " {");
	ret = dwarf_tag(die) == DW_TAG_enumeration_type ? put_enumerators(out, die) :
							  put_members(out, die, depth);
	put(out, " }");
	return ret;
}

/* @quals: qualifiers of the array that this is an element of */
static int put_before(struct buf *out, const Dwarf_Die *type, u32 quals, int depth)
{
	Dwarf_Die die, target;

	if (depth > MAX_DEPTH || out->len > MAX_LEN || unqualify(type, &die, &quals))
		return -1;
	if (!die.addr)
		return put_word_with(out, quals, "void");
	switch (dwarf_tag(&die)) {
	case DW_TAG_base_type:
		return put_word_with(out, quals, base_name(&die));
	case DW_TAG_typedef:
	case DW_TAG_unspecified_type:
		return put_word_with(out, quals, die_name(&die));
	case DW_TAG_structure_type:
		return put_tagged(out, "struct", &die, quals, depth);
	case DW_TAG_union_type:
		return put_tagged(out, "union", &die, quals, depth);
	case DW_TAG_enumeration_type:
		return put_tagged(out, "enum", &die, quals, depth);
	case DW_TAG_pointer_type:
		if (type_as_written(&die, &target) || put_before(out, &target, 0, depth + 1))
			return -1;
		put_word(out, needs_parentheses(&target) ? "(*" : "*");
		put_qualifiers(out, quals);
		return 0;
	case DW_TAG_array_type:
		return type_as_written(&die, &target) ? -1 :
							put_before(out, &target, quals, depth + 1);
	case DW_TAG_subroutine_type:
		return type_as_written(&die, &target) ? -1 : put_before(out, &target, 0, depth + 1);
	default:
		return -1;
	}
}

static int put_behind(struct buf *out, const Dwarf_Die *type, int depth)
{
	Dwarf_Die die, target;
	u32 quals = 0;

	if (depth > MAX_DEPTH || out->len > MAX_LEN || unqualify(type, &die, &quals))
		return -1;
	if (!die.addr)
		return 0;
	switch (dwarf_tag(&die)) {
	case DW_TAG_pointer_type:
	case DW_TAG_array_type:
	case DW_TAG_subroutine_type:
		break;
	default:
		return 0;
	}
	if (type_as_written(&die, &target))
		return -1;
	if (dwarf_tag(&die) == DW_TAG_array_type)
		put_dimensions(out, &die);
	else if (dwarf_tag(&die) == DW_TAG_pointer_type)
		put(out, needs_parentheses(&target) ? ")" : "");
	else if (put_params(out, &die, false, depth + 1))
		return -1;
	return put_behind(out, &target, depth + 1);
}

char *die_declaration(Dwarf_Die *func, bool variadic)
{
	struct buf out = {};
	Dwarf_Die origin, ret;

	if (!die_origin(func, &origin) && !type_as_written(func, &ret) &&
	    !put_before(&out, &ret, 0, 0)) {
		put_word(&out, die_name(func));
		if (!put_params(&out, &origin, variadic, 0) && !put_behind(&out, &ret, 0)) {
			buf_add(&out, "", 1);
			return (char *)out.data;
		}
	}
	buf_free(&out);
	return NULL;
}
