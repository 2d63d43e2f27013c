// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading inline sites: the DIEs below those of functions, unit by unit.
 */
#include "btf/types.h"
#include "dwarf/unit_walk.h"
#include "inline/format.h"
#include "inline/sites.h"

/**
 * struct definitions - the functions of the source that a unit describes
 * @unit: the unit's index
 * @gcc: compiled by GCC
 * @by_die: the die_key() of a definition to its index in @out->defs + 1
 * @by_param: that of a parameter to its index in @out->types + 1
 * @by_type: that of a type to what is known of it
 * @by_spelling: that of a type to its index in @spellings + 1
 */
struct definitions {
	const struct funcs *funcs;
	const struct btf_index *idx;
	struct unit_sites *out;
	u32 unit;
	bool gcc;
	struct u64map by_die, by_param, by_type, by_spelling;
	u64 *spellings;
	size_t nr_spellings;
};

/*
 * The functions of the source that a unit describes: its own, and those that it has from headers.
 */

/*
 * A value in by_type. The low bits are the size of the type. UNCLEAR: the BTF has several types of
 * its name, or of the name of a type that it refers to. KNOWN: always set, as a map can't have 0.
 */
#define TYPE_SIGNED  0x20u
#define TYPE_UNCLEAR 0x40u
#define TYPE_KNOWN   0x80u
#define TYPE_CONST   0x100u
#define SIZE_MASK    0x1fu

static void definitions_free(struct definitions *defs)
{
	u64map_free(&defs->by_die);
	u64map_free(&defs->by_param);
	u64map_free(&defs->by_type);
	u64map_free(&defs->by_spelling);
	free(defs->spellings);
}

/* Does the BTF have several types of this kind and name? */
static bool is_unclear(const struct btf_index *idx, Dwarf_Die *type)
{
	const char *name = die_name(type);
	u32 kind = die_btf_kind(type), id;

	if (!kind || !*name)
		return true;
	id = btf_index_next(idx, kind, name, 0);
	return id && btf_index_next(idx, kind, name, id);
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

/* A function's type is unclear if the type of a parameter is. */
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

/* All facts but the size. @next: the type that @type refers to, if there is one */
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

/* Hash of how a type is spelled, up to the first type that doesn't lead on. */
static u64 spell(const Dwarf_Die *type)
{
	Dwarf_Die cur = *type, next;
	int depth = 0;
	u64 hash = 1;

	while (cur.addr && depth++ < TYPE_MAX_DEPTH) {
		hash = hash_mix(hash, dwarf_tag(&cur));
		hash = hash_mix(hash, hash_str(die_name(&cur)));
		if (!leads_on(&cur) || die_type(&cur, &next))
			break;
		cur = next;
	}
	return hash_mix(hash, cur.addr != NULL);
}

/* The same for a type that may have been asked for before. */
static u64 spelling(struct definitions *defs, const Dwarf_Die *type)
{
	u32 i = type->addr ? u64map_get(&defs->by_spelling, die_key(type)) : 0;

	if (!type->addr)
		return 0;
	if (!i) {
		PUSH(defs->spellings, defs->nr_spellings, spell(type));
		i = defs->nr_spellings;
		u64map_set(&defs->by_spelling, die_key(type), i);
	}
	return defs->spellings[i - 1];
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
	def->types = hash_mix(def->types, spelling(defs, &type));
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
		PUSH(out->types, out->nr_types, .size = facts & SIZE_MASK,
		     .is_signed = facts & TYPE_SIGNED, .is_const = facts & TYPE_CONST);
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
		.file = units_file(&defs->funcs->units, defs->unit, die,
				   die_udata(die, DW_AT_decl_file, UINT64_MAX)),
		.path = unit_path_of(&defs->funcs->units, defs->unit, die),
		.types = 1,
		.first_param = out->nr_types,
	};
	bool clear = true;

	add_type(defs, &def, die, &clear);
	read_params(defs, &def, &clear);
	def.types = clear ? def.types | 1 : 0;
	GROW(out->defs, out->nr_defs);
	out->defs[out->nr_defs++] = def;
	return out->nr_defs;
}

/*
 * The definition that a DIE stands for: the DIE itself or, if it is an inlined or concrete
 * function, its origin. Returns index + 1, 0 if the DIE is damaged.
 */
static u32 definition_of(struct definitions *defs, Dwarf_Die *die)
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

/* GCC's extensions; not every dwarf.h has them. */
#define AT_GNU_locviews	  0x2137
#define AT_GNU_entry_view 0x2138

/* Inlined functions that are nested deeper than this are not read. */
#define MAX_NESTED 256

struct sites_pass {
	struct funcs *funcs;
	struct elf_file *file;
	const struct btf_index *idx;
	const u8 *views;
	size_t nr_views;
	struct unit_sites *units;
};

/**
 * struct reader - reading one unit
 * @caller: index + 1 of the definition of the function that the walk is in; 0: it isn't of interest
 * @func: index + 1 of its symbol's function
 * @func_die: its DIE
 * @low/@high: where its code is, if that is one range; @high is 0 if it isn't
 * @nested: the sites that the walk is in, and their levels; 0 for one that is left out
 * @point: the site that the walk is in
 */
struct reader {
	const struct sites_pass *pass;
	struct unit_sites *out;
	struct definitions defs;
	u32 caller, func;
	Dwarf_Die func_die;
	u64 low, high;
	u32 nr_nested;
	struct {
		u32 level, site;
	} nested[MAX_NESTED];
	struct site_point point;
};

/* A function begins. Sites in discarded code or init text are left out. */
static void begin_function(struct reader *r, Dwarf_Die *die, const struct abbrev *abbrev)
{
	struct definition *def;
	const struct funcs *funcs = r->pass->funcs;
	const struct func *func;

	r->nr_nested = 0;
	r->caller = r->func = 0;
	if (!abbrev->has_code)
		return;
	r->func = scan_entry(funcs, die);
	r->caller = r->func ? definition_of(&r->defs, die) : 0;
	if (!r->caller)
		return;
	r->func_die = *die;
	if (dwarf_lowpc(die, &r->low) || dwarf_highpc(die, &r->high))
		r->high = 0;
	def = &r->out->defs[r->caller - 1];
	/* a symbol whose name has a suffix may be a changed copy */
	for_each_at(func, funcs, funcs->funcs[r->func - 1].sym->addr) {
		if (!strcmp(func->sym->name, def->name))
			def->func = func - funcs->funcs + 1;
	}
}

/**
 * struct site_attrs - attributes of an inlined function, or of a parameter of it
 * @origin: DW_AT_abstract_origin, and so on; without .cu if there is none
 * @high_pc: DW_AT_high_pc, if it is a size
 * @view: DW_AT_GNU_entry_view, NO_VIEWS if there is none
 * @views: DW_AT_GNU_locviews, the same
 */
struct site_attrs {
	Dwarf_Attribute origin, entry_pc, low_pc, ranges, location;
	Dwarf_Word high_pc, file, line, view, views;
};

static int read_attr(Dwarf_Attribute *attr, void *arg)
{
	struct site_attrs *attrs = arg;

	switch (dwarf_whatattr(attr)) {
	case DW_AT_abstract_origin:
		attrs->origin = *attr;
		break;
	case DW_AT_entry_pc:
		attrs->entry_pc = *attr;
		break;
	case DW_AT_low_pc:
		attrs->low_pc = *attr;
		break;
	case DW_AT_high_pc:
		dwarf_formudata(attr, &attrs->high_pc);
		break;
	case DW_AT_ranges:
		attrs->ranges = *attr;
		break;
	case DW_AT_location:
		attrs->location = *attr;
		break;
	case DW_AT_call_file:
		dwarf_formudata(attr, &attrs->file);
		break;
	case DW_AT_call_line:
		dwarf_formudata(attr, &attrs->line);
		break;
	case AT_GNU_entry_view:
		dwarf_formudata(attr, &attrs->view);
		break;
	case AT_GNU_locviews:
		dwarf_formudata(attr, &attrs->views);
		break;
	}
	return DWARF_CB_OK;
}

/* All attributes are read in one walk, because there are hundreds of thousands of DIEs. */
static void read_attrs(Dwarf_Die *die, struct site_attrs *ret)
{
	*ret = (struct site_attrs){
		.high_pc = UINT64_MAX,
		.file = UINT64_MAX,
		.view = NO_VIEWS,
		.views = NO_VIEWS,
	};
	dwarf_getattrs(die, read_attr, ret, 0);
}

/* The entry of an inlined function: DWARF 5, 2.18. */
static bool entry_addr(Dwarf_Die *die, struct site_attrs *attrs, u64 *ret)
{
	Dwarf_Addr base, end;
	Dwarf_Word off = 0;

	if (attrs->entry_pc.cu) {
		if (!dwarf_formaddr(&attrs->entry_pc, ret))
			return true;
		if (dwarf_formudata(&attrs->entry_pc, &off))
			return false;
	}
	if (attrs->low_pc.cu ? dwarf_formaddr(&attrs->low_pc, ret) :
			       dwarf_ranges(die, 0, &base, ret, &end) <= 0)
		return false;
	*ret += off;
	return true;
}

/* Is the address in code of the function, and in text that stays? */
static bool is_inside(struct reader *r, u64 addr)
{
	const struct code_section *code = elf_file_code_section(r->pass->file, addr);

	if (!code || !code->resident || addr - code->addr >= code->size)
		return false;
	return r->high ? addr >= r->low && addr < r->high : dwarf_haspc(&r->func_die, addr) == 1;
}

/* Add @nr places that are not known yet. Returns the index of the first. */
static u32 add_locs(struct unit_sites *out, u32 nr)
{
	u32 first = out->nr_locs;

	while (nr--) {
		PUSH(out->locs, out->nr_locs, .nr = 0);
	}
	return first;
}

/* Pieces of a site: Linux 7.3 has 53. In damaged DWARF, many sites may share a long list. */
#define MAX_RANGES 1024

/* Code in another section has no fixed distance from the site. */
static void add_range(struct unit_sites *out, const struct code_section *code, u64 start, u64 end)
{
	start -= code->addr;
	end -= code->addr;
	if (start >= end || end > code->size)
		return;
	PUSH(out->ranges, out->nr_ranges, start, end);
}

/*
 * Add where the code of a site is. Returns ORIGIN_SPLIT if that is in several places, ORIGIN_EMPTY
 * if there is none; else 0.
 */
static u32 read_ranges(struct reader *r, Dwarf_Die *die, struct site_attrs *attrs, u64 addr)
{
	const struct code_section *code = elf_file_code_section(r->pass->file, addr);
	Dwarf_Addr base, start, end;
	ptrdiff_t off = 0;
	u32 nr = 0;

	if (!attrs->ranges.cu) {
		if (attrs->high_pc != UINT64_MAX && !dwarf_formaddr(&attrs->low_pc, &start))
			add_range(r->out, code, start, start + attrs->high_pc);
		return attrs->high_pc ? 0 : ORIGIN_EMPTY;
	}
	while (nr < MAX_RANGES && (off = dwarf_ranges(die, off, &base, &start, &end)) > 0) {
		add_range(r->out, code, start, end);
		nr++;
	}
	return nr > 1 ? ORIGIN_SPLIT : 0;
}

static u32 add_site(struct reader *r, Dwarf_Die *die, struct site_attrs *attrs, u64 addr,
		    u32 parent)
{
	struct unit_sites *out = r->out;
	Dwarf_Die origin;
	struct site site;
	u32 def;

	def = attrs->origin.cu && dwarf_formref_die(&attrs->origin, &origin) ?
		      definition_of(&r->defs, &origin) :
		      0;
	if (!def)
		return 0;
	out->defs[def - 1].needed = true;
	site = (struct site){
		.first_range = out->nr_ranges,
		.addr = addr,
		.def = def - 1,
		.parent = parent,
		.caller = r->caller - 1,
		.func = r->func,
		.file = units_file(&r->pass->funcs->units, r->defs.unit, die, attrs->file),
		.line = attrs->line,
		.first_loc = add_locs(out, out->defs[def - 1].nr_params),
	};
	site.origin = read_ranges(r, die, attrs, addr);
	site.nr_ranges = out->nr_ranges - site.first_range;
	GROW(out->sites, out->nr_sites);
	out->sites[out->nr_sites++] = site;
	return out->nr_sites;
}

/* A site ends where the next DIE of its level begins, even if that is a block. */
static void end_sites(struct reader *r, u32 level)
{
	while (r->nr_nested && r->nested[r->nr_nested - 1].level >= level)
		r->nr_nested--;
}

/* An inlined function begins. */
static void begin_site(struct reader *r, Dwarf_Die *die, u32 level)
{
	/* index + 1 of the site that it is nested in; 0 if there is none, or if it is left out */
	u32 parent = r->nr_nested ? r->nested[r->nr_nested - 1].site : 0, site = 0;
	struct site_attrs attrs;
	u64 addr;

	read_attrs(die, &attrs);
	/* if the site around it is left out, nobody could say where the call is */
	if (r->nr_nested < MAX_NESTED && (parent || !r->nr_nested) &&
	    entry_addr(die, &attrs, &addr) && is_inside(r, addr))
		site = add_site(r, die, &attrs, addr, parent);
	if (r->nr_nested == MAX_NESTED)
		return;
	r->nested[r->nr_nested].level = level;
	r->nested[r->nr_nested++].site = site;
	if (!site)
		return;
	r->point.addr = addr;
	r->point.view = attrs.view;
	r->point.cfa = CFA_UNREAD;
	r->point.func = &r->func_die;
}

/* Find the parameter that a DIE stands for: its index in @r->out->types, or UINT32_MAX. */
static u32 find_param(struct reader *r, Dwarf_Attribute *attr)
{
	Dwarf_Die origin, other;
	u32 i;

	if (!attr->cu || !dwarf_formref_die(attr, &origin))
		return UINT32_MAX;
	i = u64map_get(&r->defs.by_param, die_key(&origin));
	if (!i && !die_origin(&origin, &other))
		i = u64map_get(&r->defs.by_param, die_key(&other));
	return i - 1;
}

static void read_param(struct reader *r, Dwarf_Die *die, u32 level)
{
	struct unit_sites *out = r->out;
	const struct definition *def;
	u32 nr = r->nr_nested, type;
	struct site_attrs attrs;
	const struct site *site;

	if (!nr || r->nested[nr - 1].level + 1 != level || !r->nested[nr - 1].site)
		return;
	site = &out->sites[r->nested[nr - 1].site - 1];
	def = &out->defs[site->def];
	read_attrs(die, &attrs);
	type = find_param(r, &attrs.origin);
	if (type < def->first_param || type - def->first_param >= def->nr_params)
		return;
	place_read(&r->point, &attrs.location, attrs.views, &out->types[type],
		   &out->locs[site->first_loc + type - def->first_param]);
}

/* Note where a call returns to, for call_sites_find(). DWARF 4 has that as GCC's extension. */
static void read_call(struct reader *r, Dwarf_Die *die, const struct abbrev *abbrev)
{
	Dwarf_Addr addr = unit_walk_low_pc(abbrev, die);
	const struct code_section *code;
	Dwarf_Attribute attr;

	if (!addr &&
	    (!dwarf_attr(die, abbrev->tag == DW_TAG_call_site ? DW_AT_call_return_pc : DW_AT_low_pc,
			 &attr) ||
	     dwarf_formaddr(&attr, &addr)))
		return;
	code = elf_file_code_section(r->pass->file, addr);
	/* units of several threads may share a byte */
	if (code && code->returns && addr - code->addr < code->size)
		__atomic_fetch_or(&code->returns[(addr - code->addr) / 8],
				  1 << (addr - code->addr) % 8, __ATOMIC_RELAXED);
}

static void read_functions(struct reader *r, u32 unit)
{
	const struct abbrev *abbrev;
	struct unit_walk walk;
	Dwarf_Die die;
	u32 level;

	unit_walk_begin(&walk, &r->pass->funcs->units, unit);
	walk.deep = true;
	while ((abbrev = unit_walk_next(&walk, &die, &level))) {
		end_sites(r, level);
		if (abbrev->tag == DW_TAG_call_site || abbrev->tag == DW_TAG_GNU_call_site)
			read_call(r, &die, abbrev);
		else if (abbrev->tag == DW_TAG_subprogram)
			begin_function(r, &die, abbrev);
		else if (r->caller && abbrev->tag == DW_TAG_inlined_subroutine)
			begin_site(r, &die, level);
		else if (r->caller && abbrev->has_place)
			read_param(r, &die, level);
	}
	unit_walk_end(&walk);
}

static void read_unit(void *ctx, u32 unit)
{
	struct sites_pass *pass = ctx;
	Dwarf_Die *cu = &pass->funcs->units.units[unit].die;
	struct reader r = {
		.pass = pass,
		.out = &pass->units[unit],
		.defs = {
			.funcs = pass->funcs,
			.idx = pass->idx,
			.out = &pass->units[unit],
			.unit = unit,
		},
		.point = {
			.text = pass->file->module ? 0 : pass->file->text,
			.views = pass->views,
			.nr_views = pass->nr_views,
		},
	};
	struct insn_decoder dec = {};
	struct compiler cc;

	if (dwarf_tag(cu) != DW_TAG_compile_unit || !die_is_c(cu))
		return;
	compiler_read(cu, pass->file->arch, &cc);
	r.defs.gcc = r.point.gcc = cc.gcc;
	r.point.file = pass->file;
	r.point.dec = &dec;
	r.point.cfi = dwarf_getcfi(dwarf_cu_getdwarf(cu->cu));
	read_functions(&r, unit);
	insn_decoder_close(&dec);
	definitions_free(&r.defs);
}

struct unit_sites *sites_read(struct funcs *funcs, struct elf_file *file,
			      const struct btf_index *types)
{
	struct sites_pass pass = { .funcs = funcs, .file = file, .idx = types };
	size_t i;

	for (i = 0; i < file->nr_code; i++) {
		/* a section without bytes may claim any size */
		if (file->code[i].data)
			file->code[i].returns = xcalloc(file->code[i].size / 8 + 1, 1);
	}
	ALLOC(pass.units, funcs->units.nr);
	pass.views = elf_file_section(file, ".debug_loclists", &pass.nr_views) ?:
			     elf_file_section(file, ".debug_loc", &pass.nr_views);
	units_each(&funcs->units, read_unit, &pass);
	return pass.units;
}

void sites_free(struct unit_sites *sites, u32 nr_units)
{
	u32 i;

	for (i = 0; sites && i < nr_units; i++) {
		free(sites[i].defs);
		free(sites[i].sites);
		free(sites[i].types);
		free(sites[i].locs);
		free(sites[i].ranges);
	}
	free(sites);
}
