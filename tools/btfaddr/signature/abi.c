// SPDX-License-Identifier: GPL-2.0-only
/*
 * Argument classes of the System V x86-64 ABI (psABI 3.2.3, "Classification"), as far as C in a
 * kernel goes.
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

/**
 * struct walk - looking at all scalars in an aggregate, those of inner ones included
 * @class: of what was seen so far
 * @seen: aggregates, with their place: unions in unions lead to each one many times
 */
struct walk {
	enum abi_class class;
	struct u64map seen;
};

/* An unknown class outweighs the class of memory, which outweighs all others. */
static void add_class(struct walk *w, enum abi_class class)
{
	if (class > w->class)
		w->class = class;
}

/* An aggregate at some place of a small one. */
static u64 place_key(const Dwarf_Die *aggregate, u64 off)
{
	return die_key(aggregate) * 32 + off % 32;
}

static void walk_type(struct walk *w, Dwarf_Die *type, u64 off, bool bit_field, int depth);

/* A scalar that isn't at a multiple of its size puts the struct in memory. */
static void walk_scalar(struct walk *w, Dwarf_Die *scalar, u64 off, bool bit_field)
{
	u64 size = die_udata(scalar, DW_AT_byte_size, 8);

	if (!bit_field && size && off % size)
		add_class(w, ABI_MEMORY);
}

static void walk_array(struct walk *w, Dwarf_Die *array, u64 off, int depth)
{
	Dwarf_Die type, elem;
	u64 size;
	u32 i, nr;

	if (die_type(array, &type) || strip(&type, &elem) || !elem.addr) {
		add_class(w, ABI_OTHER);
		return;
	}
	size = die_udata(&elem, DW_AT_byte_size, dwarf_tag(&elem) == DW_TAG_pointer_type ? 8 : 0);
	nr = size ? die_nr_elements(array) : 1;
	/* a flexible array counts as one element; no more are looked at than fit */
	for (i = 0; i < (nr ? nr : 1) && i * size <= MAX_REG_SIZE; i++)
		walk_type(w, &elem, off + i * size, !nr, depth);
}

static void walk_members(struct walk *w, Dwarf_Die *aggregate, u64 off, int depth)
{
	u64 key = place_key(aggregate, off);
	struct member_place place;
	Dwarf_Die member, type;

	if (u64map_get(&w->seen, key))
		return;
	u64map_set(&w->seen, key, 1);
	for_each_child(aggregate, DW_TAG_member, &member) {
		die_member_place(&member, &place);
		if (die_type(&member, &type))
			add_class(w, ABI_OTHER);
		else
			walk_type(w, &type, off + place.bit_off / 8, place.bit_size, depth);
	}
}

static void walk_type(struct walk *w, Dwarf_Die *type, u64 off, bool bit_field, int depth)
{
	Dwarf_Die die;

	if (depth > MAX_DEPTH || strip(type, &die) || !die.addr) {
		add_class(w, ABI_OTHER);
		return;
	}
	switch (dwarf_tag(&die)) {
	case DW_TAG_base_type:
		if (!die_is_integer(&die))
			add_class(w, ABI_OTHER);
		/* fallthrough */
	case DW_TAG_pointer_type:
	case DW_TAG_enumeration_type:
		walk_scalar(w, &die, off, bit_field);
		return;
	case DW_TAG_array_type:
		walk_array(w, &die, off, depth + 1);
		return;
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		walk_members(w, &die, off, depth + 1);
		return;
	default:
		add_class(w, ABI_OTHER);
	}
}

static enum abi_class classify(Dwarf_Die *type)
{
	struct walk w = { .class = ABI_INT };

	walk_type(&w, type, 0, false, 0);
	u64map_free(&w.seen);
	return w.class;
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
		ret->class = ret->size > MAX_REG_SIZE ? ABI_OTHER : classify(&ret->die);
		return ret->size ? 0 : -1;
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		if (die_flag(&ret->die, DW_AT_declaration))
			return -1;
		ret->aggregate = true;
		ret->size = die_udata(&ret->die, DW_AT_byte_size, 0);
		ret->class = ret->size > MAX_REG_SIZE ? ABI_MEMORY : classify(&ret->die);
		return 0;
	default:
		return -1;
	}
}

/**
 * struct member_search - state of abi_find_member()
 * @off: the offset that the member must have
 * @size: the size that it must have
 * @nr: how many members fit
 * @name: name of the first one, if there is one
 * @type: its type
 * @seen: aggregates and their offsets: 1 if nothing fits there, 2 if something does
 */
struct member_search {
	u32 off, size;
	u32 nr;
	char *name;
	Dwarf_Die type;
	struct u64map seen;
};

static void find_members(struct member_search *s, Dwarf_Die *aggregate, u32 base,
			 const char *prefix, int depth);

/* Unions in unions lead to each one many times: what fits there does so again. */
static void find_inner(struct member_search *s, Dwarf_Die *aggregate, u32 base, const char *prefix,
		       int depth)
{
	u64 key = place_key(aggregate, base);
	u32 seen = u64map_get(&s->seen, key), before = s->nr;

	if (seen) {
		s->nr += seen - 1;
		return;
	}
	find_members(s, aggregate, base, prefix, depth);
	u64map_set(&s->seen, key, s->nr > before ? 2 : 1);
}

/* One level of abi_find_member(). */
static void find_members(struct member_search *s, Dwarf_Die *aggregate, u32 base,
			 const char *prefix, int depth)
{
	struct member_place place;
	struct abi_type abi;
	Dwarf_Die member, type;
	char *name;
	u32 at;

	for_each_child(aggregate, DW_TAG_member, &member) {
		die_member_place(&member, &place);
		at = base + place.bit_off / 8;
		if (s->nr > 1 || die_type(&member, &type) || abi_type_read(&type, &abi))
			continue;
		if (s->off < at || s->off + s->size > at + abi.size)
			continue;
		/* a bit-field is the value of its bytes only if it is their lowest bits */
		if (place.bit_size && place.bit_off % 8) {
			s->nr = 2;
			return;
		}
		name = *die_name(&member) ? xasprintf("%s__%s", prefix, die_name(&member)) :
					    xstrdup(prefix);
		if (abi.aggregate && depth < MAX_DEPTH) {
			find_inner(s, &abi.die, at, name, depth + 1);
		} else if (s->off == at && s->size == abi.size && !s->nr++) {
			s->name = name;
			s->type = type;
			continue; /* name is the search's now */
		}
		free(name);
	}
}

int abi_find_member(const struct abi_type *type, u32 off, u32 size, const char *prefix,
		    char **name_ret, Dwarf_Die *type_ret)
{
	struct member_search s = { .off = off, .size = size };
	Dwarf_Die die = type->die;

	find_members(&s, &die, 0, prefix, 0);
	u64map_free(&s.seen);
	if (s.nr != 1) {
		free(s.name);
		return -1;
	}
	*name_ret = s.name;
	*type_ret = s.type;
	return 0;
}
