// SPDX-License-Identifier: GPL-2.0-only
/*
 * Types in C are written from the inside out, around the name that is declared. So each is
 * put in two halves:
 *
 *	int (*(*name)(void))[4]		name: pointer to function returning pointer to array
 *	int (*(*     )(void))[4]
 *	before       behind
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

#include "dwarf/declaration.h"

/* Types in damaged DWARF may have no end. Declarations in kernels take a few hundred bytes. */
#define MAX_DEPTH 32
#define MAX_LEN	  65536

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
		if (die_type(ret, &next) || ++depth > MAX_DEPTH)
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

	if (die_type(die, &type) || !type.addr || put_before(out, &type, 0, depth + 1))
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

/* Are the brackets of a type nearer to the name than the star of a pointer to it? */
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
		if (die_type(&die, &target) || put_before(out, &target, 0, depth + 1))
			return -1;
		put_word(out, needs_parentheses(&target) ? "(*" : "*");
		put_qualifiers(out, quals);
		return 0;
	case DW_TAG_array_type:
		return die_type(&die, &target) ? -1 : put_before(out, &target, quals, depth + 1);
	case DW_TAG_subroutine_type:
		return die_type(&die, &target) ? -1 : put_before(out, &target, 0, depth + 1);
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
		if (die_type(&die, &target))
			return -1;
		if (needs_parentheses(&target))
			put(out, ")");
		return put_behind(out, &target, depth + 1);
	case DW_TAG_array_type:
		if (die_type(&die, &target))
			return -1;
		put_dimensions(out, &die);
		return put_behind(out, &target, depth + 1);
	case DW_TAG_subroutine_type:
		if (die_type(&die, &target) || put_params(out, &die, false, depth + 1))
			return -1;
		return put_behind(out, &target, depth + 1);
	default:
		return 0;
	}
}

char *die_declaration(Dwarf_Die *func, bool variadic)
{
	struct buf out = {};
	Dwarf_Die origin, ret;

	if (!die_origin(func, &origin) && !die_type(func, &ret) && !put_before(&out, &ret, 0, 0)) {
		put_word(&out, die_name(func));
		if (!put_params(&out, &origin, variadic, 0) && !put_behind(&out, &ret, 0)) {
			buf_add(&out, "", 1);
			return (char *)out.data;
		}
	}
	buf_free(&out);
	return NULL;
}
