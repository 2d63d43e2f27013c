// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walking over the DIEs of a unit, without a look at those that aren't wanted. The bytes are as
 * sections 7.5.2 to 7.5.6 of DWARF 5 say.
 */
#include "dwarf/unit_walk.h"

/*
 * How to get over attributes: those of fixed size are added up, as long as the sum is less than
 * STEP_ULEB. A block has its size in front of it.
 */
enum step {
	STEP_ULEB = 0xf0,
	STEP_STRING,
	STEP_SIBLING,	/* DW_AT_sibling, of 4 bytes */
	STEP_BLOCK1,
	STEP_BLOCK2,
	STEP_BLOCK4,
	STEP_BLOCK,
	STEP_BAD,	/* not a form that is known */
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

static void add_step(struct unit_walk *walk, const struct abbrev *abbrev, u8 step)
{
	u8 *last = walk->nr_steps > abbrev->steps ? &walk->steps[walk->nr_steps - 1] : NULL;

	if (last && *last < STEP_ULEB && step < STEP_ULEB && *last + step < STEP_ULEB) {
		*last += step;
		return;
	}
	GROW(walk->steps, walk->nr_steps, walk->cap_steps);
	walk->steps[walk->nr_steps++] = step;
}

/* Most types have attributes of fixed size only, and at most one DW_AT_sibling. */
static void set_fixed(const struct unit_walk *walk, struct abbrev *abbrev)
{
	const u8 *step = walk->steps + abbrev->steps;
	u32 len = 0, sibling = 0;

	for (; *step < STEP_ULEB || (*step == STEP_SIBLING && !sibling); step++) {
		if (*step == STEP_SIBLING)
			sibling = len + 1;
		len += *step == STEP_SIBLING ? 4 : *step;
	}
	if (*step != STEP_END || len > UINT8_MAX)
		return;
	abbrev->fixed = len;
	abbrev->sibling = sibling;
}

static void read_abbrev(struct unit_walk *walk, struct bytes *b, const struct widths *widths,
			struct abbrev *ret)
{
	u64 attr, form;

	ret->tag = read_uleb(b);
	ret->children = read_fixed(b, 1);
	ret->steps = walk->nr_steps;
	while (attr = read_uleb(b), form = read_uleb(b), attr || form) {
		ret->has_code |= attr == DW_AT_low_pc || attr == DW_AT_ranges;
		ret->declares |= attr == DW_AT_declaration;
		ret->has_place |= attr == DW_AT_location;
		if (form == DW_FORM_implicit_const)
			read_uleb(b);
		if (attr == DW_AT_sibling && form == DW_FORM_ref4)
			add_step(walk, ret, STEP_SIBLING);
		else
			add_step(walk, ret, form_step(form, widths));
	}
	add_step(walk, ret, STEP_END);
	set_fixed(walk, ret);
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
			GROW(walk->abbrevs, walk->nr_abbrevs, walk->cap_abbrevs);
			walk->abbrevs[walk->nr_abbrevs++] = (struct abbrev){};
		}
		walk->abbrevs[code] = abbrev;
	}
}

void unit_walk_begin(struct unit_walk *walk, const struct units *units, u32 unit)
{
	struct bytes b = { .p = units->abbrevs, .end = units->abbrevs + units->abbrevs_size };
	Dwarf_Die *cu = &units->units[unit].die;
	Dwarf_Off off = dwarf_dieoffset(cu), next, abbrevs;
	struct widths widths;

	memset(walk, 0, sizeof(*walk));
	if (dwarf_next_unit(dwarf_cu_getdwarf(cu->cu), off - dwarf_cuoffset(cu), &next, NULL,
			    &widths.version, &abbrevs, &widths.address, &widths.offset, NULL,
			    NULL))
		return;
	/* libdw takes the length that the unit has in its header */
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

void unit_walk_end(struct unit_walk *walk)
{
	free(walk->abbrevs);
	free(walk->steps);
}

/* Get over the attributes of a DIE. Returns the offset in its unit of its sibling, 0 if unknown. */
static u32 skip_attrs(struct bytes *b, const struct abbrev *abbrev, const u8 *step)
{
	u32 sibling = 0;

	if (abbrev->fixed && abbrev->fixed <= b->end - b->p) {
		if (abbrev->sibling)
			memcpy(&sibling, b->p + abbrev->sibling - 1, sizeof(sibling));
		b->p += abbrev->fixed;
		return sibling;
	}

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

/* May there be inlined functions below it? */
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
 * Get over the DIE at @walk->next, and all below it if it says where its sibling is. Returns its
 * abbreviation, NULL if it only ends a list of siblings. Ends the walk if it is damaged.
 */
static const struct abbrev *step_over(struct unit_walk *walk)
{
	struct bytes b = { .p = walk->next, .end = walk->end };
	u64 code = read_uleb(&b), after;
	const struct abbrev *abbrev;
	u32 sibling;

	/* a kernel has 200 MB of this, which would have to be waited for */
	__builtin_prefetch(walk->next + 2048);
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
	if (b.bad)
		return NULL;
	after = b.p - walk->unit;
	if (abbrev->children && walk->level && sibling > after &&
	    sibling <= walk->end - walk->unit && !(walk->deep && holds_code(abbrev))) {
		walk->next = walk->unit + sibling;
		return abbrev;
	}
	walk->next = b.p;
	walk->level += abbrev->children;
	return abbrev;
}

const struct abbrev *unit_walk_next(struct unit_walk *walk, u32 tag, Dwarf_Die *die)
{
	const struct abbrev *abbrev;
	const u8 *start;
	u32 level;

	while (walk->next < walk->end) {
		start = walk->next;
		level = walk->level;
		abbrev = step_over(walk);
		if (!abbrev || level != 1 || abbrev->tag != tag)
			continue;
		*die = (Dwarf_Die){ .addr = (void *)start, .cu = walk->cu };
		return abbrev;
	}
	return NULL;
}

const struct abbrev *unit_walk_next_code(struct unit_walk *walk, Dwarf_Die *die, u32 *level)
{
	const struct abbrev *abbrev;
	const u8 *start;

	while (walk->next < walk->end) {
		start = walk->next;
		*level = walk->level;
		abbrev = step_over(walk);
		if (!abbrev || !*level)
			continue;
		if (abbrev->tag != DW_TAG_formal_parameter &&
		    abbrev->tag != DW_TAG_lexical_block &&
		    abbrev->tag != DW_TAG_inlined_subroutine &&
		    (abbrev->tag != DW_TAG_subprogram || *level != 1))
			continue;
		*die = (Dwarf_Die){ .addr = (void *)start, .cu = walk->cu };
		return abbrev;
	}
	return NULL;
}
