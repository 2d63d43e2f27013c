// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions of the source that a unit tells of: those in it and those that it has from headers.
 */
#include "btf/types_same.h"
#include "inline/definition.h"
#include "inline/format.h"
#include "signature/source.h"

/*
 * A value of by_type, for one type: its size and sign are in the low bits. The flags above say that
 * several types have the name that it ends at, that the type is known, and that it is const itself.
 */
#define TYPE_SIGNED  0x20u
#define TYPE_UNCLEAR 0x40u
#define TYPE_KNOWN   0x80u
#define TYPE_CONST   0x100u
#define SIZE_MASK    0x1fu

void definitions_free(struct definitions *defs)
{
	u64map_free(&defs->by_die);
	u64map_free(&defs->by_param);
	u64map_free(&defs->by_type);
}

const char *die_file(Dwarf_Die *die, u64 file)
{
	Dwarf_Files *files;
	Dwarf_Die cu;
	size_t nr;

	if (!dwarf_diecu(die, &cu, NULL, NULL) || dwarf_getsrcfiles(&cu, &files, &nr) || file >= nr)
		return NULL;
	return dwarf_filesrc(files, file, NULL, NULL);
}

/* The number of the path of a DIE's unit, which may be another unit than the one being read. */
static u32 path_of(const struct definitions *defs, Dwarf_Die *die)
{
	const struct units *units = &defs->funcs->units;
	u32 low = 0, high = units->nr, mid;
	Dwarf_Die cu;
	Dwarf_Off off;

	if (die->cu == units->units[defs->unit].die.cu || !dwarf_diecu(die, &cu, NULL, NULL))
		return units->units[defs->unit].path;
	off = dwarf_dieoffset(&cu);
	while (high - low > 1) {
		mid = (low + high) / 2;
		if (units->units[mid].off <= off)
			low = mid;
		else
			high = mid;
	}
	return units->units[low].path;
}

/* Does the BTF have several types of this kind and name? */
static bool is_unclear(const struct btf_index *idx, Dwarf_Die *type)
{
	const char *name = die_name(type);
	u32 kind = die_btf_kind(type), id, nr = 0;
	const struct btf_type *t;

	if (!kind || !*name)
		return true;
	for (id = btf_index_first(idx, btf_key_named(kind, name)); id; id = idx->next[id]) {
		t = type_by_id(idx->img, id);
		nr += !strcmp(type_name(idx->img, t), name) &&
		      (btf_kind(t) == kind || btf_is_any_enum(t));
	}
	return nr > 1;
}

static u32 size_of(Dwarf_Die *type)
{
	Dwarf_Word size;

	if (dwarf_tag(type) == DW_TAG_pointer_type)
		return 8;
	return dwarf_aggregate_size(type, &size) || size > MAX_LOC_SIZE ? 0 : size;
}

static bool is_signed(Dwarf_Die *type)
{
	switch (die_udata(type, DW_AT_encoding, 0)) {
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		return true;
	default:
		return false;
	}
}

/* Qualifiers, typedefs and pointers lead to another type. */
static bool leads_on(Dwarf_Die *type)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_pointer_type:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_typedef:
		return true;
	default:
		return false;
	}
}

static u32 read_type(struct definitions *defs, Dwarf_Die *type, int depth);

/* What a function's type is unclear by: the types of what it takes. */
static u32 read_taken(struct definitions *defs, Dwarf_Die *type, int depth)
{
	Dwarf_Die child, next;
	u32 facts = 0;

	for_each_child(type, DW_TAG_formal_parameter, &child) {
		if (!die_type(&child, &next) && next.addr)
			facts |= read_type(defs, &next, depth + 1) & TYPE_UNCLEAR;
	}
	return facts;
}

/* All but the size. @next: the type that it refers to, if there is one */
static u32 read_facts(struct definitions *defs, Dwarf_Die *type, Dwarf_Die *next, int depth)
{
	u32 facts = next->addr ? read_type(defs, next, depth + 1) : 0, is_enum;

	switch (dwarf_tag(type)) {
	case DW_TAG_pointer_type:
		return facts & TYPE_UNCLEAR;
	case DW_TAG_const_type:
		return facts | TYPE_CONST;
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
		return facts;
	case DW_TAG_typedef:
		/* a typedef can give a name to a structure without one */
		return (facts & (TYPE_SIGNED | TYPE_CONST)) |
		       (is_unclear(defs->idx, type) ? TYPE_UNCLEAR : 0);
	case DW_TAG_subroutine_type:
		return (facts & TYPE_UNCLEAR) | read_taken(defs, type, depth);
	default:
		/* an enum has the sign of its integer type, if the compiler wrote one */
		is_enum = dwarf_tag(type) == DW_TAG_enumeration_type;
		return (is_enum		? facts & TYPE_SIGNED :
			is_signed(type) ? TYPE_SIGNED :
					  0) |
		       (is_unclear(defs->idx, type) ? TYPE_UNCLEAR : 0);
	}
}

/* Size, sign and clarity of a type. */
static u32 read_type(struct definitions *defs, Dwarf_Die *type, int depth)
{
	u32 facts = u64map_get(&defs->by_type, die_key(type));
	Dwarf_Die next;

	if (facts)
		return facts;
	/* only damaged DWARF has a type that leads back to itself */
	u64map_set(&defs->by_type, die_key(type), TYPE_KNOWN | TYPE_UNCLEAR);
	if (depth > TYPE_MAX_DEPTH || die_type(type, &next))
		return TYPE_KNOWN | TYPE_UNCLEAR;
	facts = TYPE_KNOWN | (read_facts(defs, type, &next, depth) & ~SIZE_MASK) | size_of(type);
	u64map_set(&defs->by_type, die_key(type), facts);
	return facts;
}

/* How a type is spelled, up to the first name that isn't a typedef's. */
static u64 spelling(Dwarf_Die *type, u64 hash)
{
	Dwarf_Die cur = *type, next;
	int depth = 0;

	while (cur.addr && depth++ < TYPE_MAX_DEPTH) {
		hash = hash_mix(hash, dwarf_tag(&cur));
		hash = hash_mix(hash, hash_str(die_name(&cur)));
		if (!leads_on(&cur) || die_type(&cur, &next))
			break;
		cur = next;
	}
	return hash_mix(hash, cur.addr != NULL);
}

/* Add the type of a parameter, or of what is returned, to the hash of @def. */
static u32 add_type(struct definitions *defs, struct definition *def, Dwarf_Die *die, bool *clear)
{
	Dwarf_Die type;
	u32 facts = 0;

	if (die_type(die, &type))
		return 0;
	if (type.addr)
		facts = read_type(defs, &type, 0);
	*clear &= !(facts & TYPE_UNCLEAR);
	def->types = spelling(&type, def->types);
	return facts;
}

static void read_params(struct definitions *defs, struct definition *def, bool *clear)
{
	struct unit_sites *out = defs->out;
	Dwarf_Die child;
	u32 facts;
	int more;

	for (more = dwarf_child(&def->die, &child); !more; more = dwarf_siblingof(&child, &child)) {
		if (defs->gcc && source_is_body(&child))
			break;
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		facts = add_type(defs, def, &child, clear);
		def->types = hash_mix(def->types, hash_str(die_name(&child)));
		GROW(out->types, out->nr_types, out->cap_types);
		out->types[out->nr_types++] = (struct loc_type){
			.size = facts & SIZE_MASK,
			.is_signed = facts & TYPE_SIGNED,
			.is_const = facts & TYPE_CONST,
		};
		u64map_set(&defs->by_param, die_key(&child), out->nr_types);
		def->nr_params++;
	}
}

static u32 add_definition(struct definitions *defs, Dwarf_Die *die)
{
	struct unit_sites *out = defs->out;
	struct definition def = {
		.die = *die,
		.name = die_name(die),
		.line = die_udata(die, DW_AT_decl_line, 0),
		.file = die_file(die, die_udata(die, DW_AT_decl_file, UINT64_MAX)),
		.path = path_of(defs, die),
		.types = 1,
		.first_param = out->nr_types,
	};
	bool clear = true;

	add_type(defs, &def, die, &clear);
	read_params(defs, &def, &clear);
	def.types = clear ? def.types | 1 : 0;
	GROW(out->defs, out->nr_defs, out->cap_defs);
	out->defs[out->nr_defs++] = def;
	return out->nr_defs;
}

u32 definition_of(struct definitions *defs, Dwarf_Die *die)
{
	u32 i = u64map_get(&defs->by_die, die_key(die));
	Dwarf_Die origin;

	if (i || die_origin(die, &origin) || dwarf_tag(&origin) != DW_TAG_subprogram)
		return i;
	i = u64map_get(&defs->by_die, die_key(&origin)) ?: add_definition(defs, &origin);
	u64map_set(&defs->by_die, die_key(&origin), i);
	u64map_set(&defs->by_die, die_key(die), i);
	return i;
}
