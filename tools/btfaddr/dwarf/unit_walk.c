// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walking over the DIEs of a unit, skipping those that aren't wanted. Sections 7.5.2 to 7.5.6 of
 * DWARF 5 describe the bytes.
 */
#include "dwarf/unit_walk.h"

/*
 * How to skip attributes: a step below STEP_ULEB is the size of one or several attributes of fixed
 * size. A block has its size in front of it.
 */
enum step {
	STEP_ULEB = 0xf0,
	STEP_STRING,
	STEP_SIBLING, /* DW_AT_sibling, of 4 bytes */
	STEP_BLOCK1,
	STEP_BLOCK2,
	STEP_BLOCK4,
	STEP_BLOCK,
	STEP_BAD, /* unknown form */
	STEP_END,
};

/* Bytes that are left to read; reading more than there are leaves none, and sets @bad. */
struct bytes {
	const u8 *p, *end;
	bool bad;
};

static void skip(struct bytes *b, u64 len)
{
	b->bad |= len > (u64)(b->end - b->p);
	b->p = b->bad ? b->end : b->p + len;
}

static u64 read_long_uleb(struct bytes *b)
{
	u32 shift = 0;
	u64 val = 0;
	u8 byte;

	do {
		if (b->p == b->end) {
			b->bad = true;
			return 0;
		}
		byte = *b->p++;
		if (shift < 64)
			val |= (u64)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return val;
}

/* Most have one byte. */
static inline u64 read_uleb(struct bytes *b)
{
	return b->p < b->end && !(*b->p & 0x80) ? *b->p++ : read_long_uleb(b);
}

/* Little-endian. */
static u32 read_fixed(struct bytes *b, u32 len)
{
	const u8 *p = b->p;
	u32 val = 0;

	skip(b, len);
	if (!b->bad)
		memcpy(&val, p, len);
	return val;
}

/* How wide some forms are depends on the unit. */
struct widths {
	u8 address, offset;
	Dwarf_Half version;
};

static u8 form_step(u64 form, const struct widths *w)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return w->address;
	case DW_FORM_ref_addr:
		return w->version == 2 ? w->address : w->offset;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
		return w->offset;
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
		return STEP_ULEB;
	case DW_FORM_string:
		return STEP_STRING;
	case DW_FORM_block1:
		return STEP_BLOCK1;
	case DW_FORM_block2:
		return STEP_BLOCK2;
	case DW_FORM_block4:
		return STEP_BLOCK4;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		return STEP_BLOCK;
	default:
		return STEP_BAD;
	}
}

static void add_step(struct unit_walk *walk, u8 step)
{
	PUSH(walk->steps, walk->nr_steps, step);
}

/**
 * struct layout - the attributes of an abbreviation, as far as they have been read
 * @at: size of the attributes so far, if @fixed
 * @fixed: all attributes so far have a fixed size
 * @pending: bytes that are in no step yet
 * @other_entry: an attribute besides DW_AT_low_pc says where the code begins
 * @named: there is DW_AT_name
 */
struct layout {
	u32 at, pending;
	bool fixed, other_entry, named;
};

/* Offset + 1 of the next attribute, if its form fits and all DIEs have it there; else 0. */
static u8 place_if(const struct layout *layout, bool form_fits)
{
	return form_fits && layout->fixed && layout->at < UINT8_MAX ? layout->at + 1 : 0;
}

static void note_attr(struct abbrev *abbrev, struct layout *layout, u64 attr, u64 form,
		      const struct widths *widths)
{
	switch (attr) {
	case DW_AT_name:
		layout->named = true;
		abbrev->name = place_if(layout, form == DW_FORM_strp && widths->offset == 4);
		break;
	case DW_AT_abstract_origin:
		abbrev->origin = place_if(layout, form == DW_FORM_ref4);
		break;
	case DW_AT_low_pc:
		abbrev->has_code = true;
		abbrev->low_pc = place_if(layout, form == DW_FORM_addr && widths->address == 8);
		break;
	case DW_AT_call_return_pc:
		abbrev->low_pc = place_if(layout, form == DW_FORM_addr && widths->address == 8);
		break;
	case DW_AT_ranges:
		abbrev->has_code = true;
		/* fallthrough */
	case DW_AT_entry_pc:
		layout->other_entry = true;
		break;
	case DW_AT_declaration:
		abbrev->declares = true;
		break;
	case DW_AT_location:
		abbrev->has_place = true;
		break;
	}
}

/* Join a step of fixed size with the step before, if one byte can hold both. */
static void add_fixed(struct unit_walk *walk, struct layout *layout, u8 len)
{
	if (layout->pending + len >= STEP_ULEB) {
		add_step(walk, layout->pending);
		layout->pending = 0;
	}
	layout->pending += len;
	layout->at += len;
}

static void add_variable(struct unit_walk *walk, struct layout *layout, u8 step)
{
	if (layout->pending)
		add_step(walk, layout->pending);
	layout->pending = 0;
	add_step(walk, step);
}

static void add_sibling(struct unit_walk *walk, struct abbrev *abbrev, struct layout *layout)
{
	add_variable(walk, layout, STEP_SIBLING);
	if (abbrev->sibling || layout->at >= UINT8_MAX)
		layout->fixed = false;
	abbrev->sibling = layout->at + 1;
	layout->at += 4;
}

static void read_abbrev(struct unit_walk *walk, struct bytes *b, const struct widths *widths,
			struct abbrev *ret)
{
	struct layout layout = { .fixed = true };
	u64 attr, form;
	u8 step;

	ret->tag = read_uleb(b);
	ret->children = read_fixed(b, 1);
	ret->steps = walk->nr_steps;
	while (attr = read_uleb(b), form = read_uleb(b), attr || form) {
		if (form == DW_FORM_implicit_const)
			read_uleb(b);
		note_attr(ret, &layout, attr, form, widths);
		step = form_step(form, widths);
		if (attr == DW_AT_sibling && form == DW_FORM_ref4) {
			add_sibling(walk, ret, &layout);
		} else if (step < STEP_ULEB) {
			add_fixed(walk, &layout, step);
		} else {
			add_variable(walk, &layout, step);
			layout.fixed = false;
		}
	}
	add_variable(walk, &layout, STEP_END);
	if (ret->tag && layout.fixed && layout.at <= UINT8_MAX)
		ret->fixed = layout.at;
	if (layout.other_entry)
		ret->low_pc = 0;
	if (layout.named)
		ret->origin = 0;
}

/* Compilers number abbreviations from 1 on. */
#define MAX_CODE 65535

static void read_abbrevs(struct unit_walk *walk, struct bytes *b, const struct widths *widths)
{
	struct abbrev abbrev;
	u64 code;

	while ((code = read_uleb(b)) && code <= MAX_CODE) {
		abbrev = (struct abbrev){};
		read_abbrev(walk, b, widths, &abbrev);
		while (walk->nr_abbrevs <= code) {
			PUSH(walk->abbrevs, walk->nr_abbrevs, .tag = 0);
		}
		walk->abbrevs[code] = abbrev;
	}
}

void unit_walk_again(struct unit_walk *walk, const struct units *units, u32 unit)
{
	struct bytes b = { .p = units->abbrevs, .end = units->abbrevs + units->abbrevs_size };
	Dwarf_Die *cu = &units->units[unit].die;
	Dwarf_Off off = dwarf_dieoffset(cu), next, abbrevs;
	struct widths widths;

	walk->next = walk->end = NULL;
	walk->level = walk->nr_abbrevs = walk->nr_steps = 0;
	walk->strs = units->strs;
	walk->strs_size = units->strs_size;
	if (dwarf_next_unit(dwarf_cu_getdwarf(cu->cu), off - dwarf_cuoffset(cu), &next, NULL,
			    &widths.version, &abbrevs, &widths.address, &widths.offset, NULL, NULL))
		return;
	/* libdw trusts the length in the unit's header */
	if (next > units->info_size)
		next = units->info_size;
	if (next < off)
		return;
	walk->cu = cu->cu;
	walk->next = cu->addr;
	walk->end = walk->next + (next - off);
	walk->unit = walk->next - dwarf_cuoffset(cu);
	skip(&b, abbrevs);
	read_abbrevs(walk, &b, &widths);
}

void unit_walk_begin(struct unit_walk *walk, const struct units *units, u32 unit)
{
	memset(walk, 0, sizeof(*walk));
	unit_walk_again(walk, units, unit);
}

void unit_walk_end(struct unit_walk *walk)
{
	free(walk->abbrevs);
	free(walk->steps);
}

/* Skip the attributes of a DIE. Returns the offset of its sibling in the unit, 0 if unknown. */
static u32 skip_attrs(struct bytes *b, const struct abbrev *abbrev, const u8 *step)
{
	u32 sibling = 0;

	for (; *step != STEP_END; step++) {
		switch (*step) {
		case STEP_ULEB:
			read_uleb(b);
			break;
		case STEP_STRING:
			skip(b, strnlen((const char *)b->p, b->end - b->p) + 1);
			break;
		case STEP_SIBLING:
			sibling = read_fixed(b, 4);
			break;
		case STEP_BLOCK1:
			skip(b, read_fixed(b, 1));
			break;
		case STEP_BLOCK2:
			skip(b, read_fixed(b, 2));
			break;
		case STEP_BLOCK4:
			skip(b, read_fixed(b, 4));
			break;
		case STEP_BLOCK:
			skip(b, read_uleb(b));
			break;
		case STEP_BAD:
			b->bad = true;
			break;
		default:
			skip(b, *step);
		}
	}
	return sibling;
}

/* May a DIE of this tag have inlined functions below it? */
static bool holds_code(const struct abbrev *abbrev)
{
	switch (abbrev->tag) {
	case DW_TAG_subprogram:
		return abbrev->has_code;
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine:
		return true;
	default:
		return false;
	}
}

/*
 * Go on after a DIE whose attributes end at @after. If @sibling is known, skip the DIE's children,
 * unless they are wanted.
 */
static const struct abbrev *go_on(struct unit_walk *walk, const struct abbrev *abbrev,
				  const u8 *after, u32 sibling)
{
	walk->next = after;
	if (!abbrev->children)
		return abbrev;
	if (walk->level && sibling > after - walk->unit && sibling <= walk->end - walk->unit &&
	    !(walk->deep && holds_code(abbrev)))
		walk->next = walk->unit + sibling;
	else
		walk->level++;
	return abbrev;
}

/* As step_over(), for any DIE. */
static const struct abbrev *step_over_any(struct unit_walk *walk)
{
	struct bytes b = { .p = walk->next, .end = walk->end };
	const struct abbrev *abbrev;
	u64 code = read_uleb(&b);
	u32 sibling;

	abbrev = code < walk->nr_abbrevs ? &walk->abbrevs[code] : NULL;
	if (!code && !b.bad && walk->level > 1) {
		walk->next = b.p;
		walk->level--;
		return NULL;
	}
	walk->next = walk->end;
	if (!code || !abbrev || !abbrev->tag)
		return NULL;
	sibling = skip_attrs(&b, abbrev, walk->steps + abbrev->steps);
	return b.bad ? NULL : go_on(walk, abbrev, b.p, sibling);
}

/*
 * Move the walk past the DIE at @walk->next, see go_on(). Returns the DIE's abbreviation, NULL if
 * the DIE only ends a list of siblings. If it is damaged, the walk ends.
 */
static const struct abbrev *step_over(struct unit_walk *walk)
{
	const struct abbrev *abbrev;
	const u8 *p = walk->next;
	u32 sibling = 0;

	/* a kernel's DIEs take 200 MB: without this, the walk would wait for memory */
	__builtin_prefetch(p + 2048);
	if (*p & 0x80 || *p >= walk->nr_abbrevs)
		return step_over_any(walk);
	/* most DIEs have a code of one byte, and attributes of fixed size only */
	abbrev = &walk->abbrevs[*p];
	if (!abbrev->fixed || abbrev->fixed >= walk->end - p)
		return step_over_any(walk);
	p++;
	if (abbrev->sibling)
		memcpy(&sibling, p + abbrev->sibling - 1, sizeof(sibling));
	return go_on(walk, abbrev, p + abbrev->fixed, sibling);
}

/* Where in .debug_str is the name of a DIE whose attributes are at @b? */
static const char *read_name(const struct unit_walk *walk, const struct abbrev *abbrev,
			     struct bytes *b)
{
	u32 off;

	if (!abbrev->name)
		return NULL;
	skip(b, abbrev->name - 1);
	off = read_fixed(b, sizeof(off));
	return !b->bad && off < walk->strs_size ? walk->strs + off : NULL;
}

const char *unit_walk_name(const struct unit_walk *walk, const struct abbrev *abbrev,
			   const Dwarf_Die *die)
{
	struct bytes b = { .p = die->addr, .end = walk->end };
	u64 code;

	read_uleb(&b);
	if (!abbrev->origin)
		return read_name(walk, abbrev, &b);
	skip(&b, abbrev->origin - 1);
	code = read_fixed(&b, sizeof(u32));
	b.p = walk->unit;
	skip(&b, code);
	code = read_uleb(&b);
	return code < walk->nr_abbrevs ? read_name(walk, &walk->abbrevs[code], &b) : NULL;
}

u64 unit_walk_low_pc(const struct abbrev *abbrev, const Dwarf_Die *die)
{
	const u8 *p = die->addr;
	u64 addr = 0;

	if (!abbrev->low_pc)
		return 0;
	while (*p++ & 0x80)
		;
	memcpy(&addr, p + abbrev->low_pc - 1, sizeof(addr));
	return addr;
}

/* Does the caller of unit_walk_next() want DIEs of this abbreviation, at this level? */
static bool is_wanted(const struct unit_walk *walk, const struct abbrev *abbrev, u32 level)
{
	switch (abbrev->tag) {
	case DW_TAG_subprogram:
		return level == 1;
	case DW_TAG_formal_parameter:
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_call_site:
	case DW_TAG_GNU_call_site:
		return walk->deep && level;
	default:
		return false;
	}
}

const struct abbrev *unit_walk_next(struct unit_walk *walk, Dwarf_Die *die, u32 *level)
{
	const struct abbrev *abbrev;

	while (walk->next < walk->end) {
		*die = (Dwarf_Die){ .addr = (void *)walk->next, .cu = walk->cu };
		*level = walk->level;
		abbrev = step_over(walk);
		if (abbrev && is_wanted(walk, abbrev, *level))
			return abbrev;
	}
	return NULL;
}
