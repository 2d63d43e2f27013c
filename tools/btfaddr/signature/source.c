// SPDX-License-Identifier: GPL-2.0-only
/*
 * What DWARF says of a function: its parameters in the source, and where each is at entry.
 */
#include <stdio.h>

#include "arch/arch.h"
#include "signature/source.h"

/*
 * Argument classes (psABI 3.2.3, "Classification"), as far as C in a kernel goes.
 */

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
 * @aligned: a scalar of 16 bytes was
 * @seen: place_key() of aggregates, as nested unions lead to each one many times
 */
struct walk {
	const struct arch *arch;
	enum abi_class class;
	bool aligned;
	struct u64map seen;
};

/* An unknown class outweighs the class of memory, which outweighs all others. */
static void add_class(struct walk *w, enum abi_class class)
{
	if (class > w->class)
		w->class = class;
}

/* The key of an aggregate at offset @off in a small one. */
static u64 place_key(const Dwarf_Die *aggregate, u64 off)
{
	return die_key(aggregate) * 32 + off % 32;
}

static void walk_type(struct walk *w, Dwarf_Die *type, u64 off, bool bit_field, int depth);

/* On x86, a scalar that isn't at a multiple of its size puts the struct in memory. */
static void walk_scalar(struct walk *w, Dwarf_Die *scalar, u64 off, bool bit_field)
{
	u64 size = die_udata(scalar, DW_AT_byte_size, 8);

	w->aligned |= size == 16;
	if (w->arch->unaligned_on_stack && !bit_field && size && off % size)
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

static void classify(const struct arch *arch, struct abi_type *ret)
{
	struct walk w = { .arch = arch, .class = ABI_INT };

	walk_type(&w, &ret->die, 0, false, 0);
	u64map_free(&w.seen);
	ret->class = w.class;
	ret->aligned = w.aligned;
}

bool abi_is_pointer(const struct abi_type *abi)
{
	Dwarf_Die die = abi->die, target;

	return die.addr && dwarf_tag(&die) == DW_TAG_pointer_type &&
	       (die_type(&die, &target) || strip(&target, &target) || !target.addr ||
		dwarf_tag(&target) != DW_TAG_subroutine_type);
}

int abi_type_read(const struct arch *arch, Dwarf_Die *type, struct abi_type *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (strip(type, &ret->die) || !ret->die.addr)
		return -1;
	switch (dwarf_tag(&ret->die)) {
	case DW_TAG_pointer_type:
		ret->size = 8;
		return 0;
	case DW_TAG_base_type:
	case DW_TAG_enumeration_type:
		ret->size = die_udata(&ret->die, DW_AT_byte_size, 0);
		classify(arch, ret);
		if (ret->size > MAX_REG_SIZE)
			ret->class = ABI_OTHER;
		return ret->size ? 0 : -1;
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		if (die_flag(&ret->die, DW_AT_declaration))
			return -1;
		ret->aggregate = true;
		ret->size = die_udata(&ret->die, DW_AT_byte_size, 0);
		/* AAPCS64 has up to four floating-point members in their own registers */
		if (ret->size <= MAX_REG_SIZE || (arch->by_reference && ret->size <= 64))
			classify(arch, ret);
		if (ret->size > MAX_REG_SIZE && ret->class != ABI_OTHER)
			ret->class = arch->by_reference ? ABI_REF : ABI_MEMORY;
		return 0;
	case DW_TAG_unspecified_type: /* C23's nullptr_t */
		ret->class = ABI_OTHER;
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
	const struct arch *arch;
	u32 off, size;
	u32 nr;
	char *name;
	Dwarf_Die type;
	struct u64map seen;
};

static void find_members(struct member_search *s, Dwarf_Die *aggregate, u32 base,
			 const char *prefix, int depth);

/* Nested unions lead to each aggregate many times, with the same result. */
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
		/* other bits of these bytes are something else */
		if (place.bit_size && base * 8 + place.bit_off > s->off * 8 &&
		    base * 8 + place.bit_off < (s->off + s->size) * 8)
			s->nr = 2;
		if (s->nr > 1 || die_type(&member, &type) || abi_type_read(s->arch, &type, &abi))
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

int abi_find_member(const struct arch *arch, const struct abi_type *type, u32 off, u32 size,
		    const char *prefix, char **name_ret, Dwarf_Die *type_ret)
{
	struct member_search s = { .arch = arch, .off = off, .size = size };
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

void compiler_read(Dwarf_Die *unit, const struct arch *arch, struct compiler *cc)
{
	const char *s = die_string(unit, DW_AT_producer), *clang;
	int major = 0;

	*cc = (struct compiler){ .arch = arch };
	if (!s)
		return;
	/* "GNU C11 12.2.0 ...", and what GCC's link-time optimizer calls itself */
	cc->gcc = starts_with(s, "GNU C") || starts_with(s, "GNU GIMPLE");
	clang = strstr(s, "clang version ");
	if (clang && sscanf(clang, "clang version %d", &major) == 1)
		cc->clang_marks = major >= 15;
}

bool symbol_has_suffix(const char *name, const char *suffix)
{
	/* no suffix begins with the first character, and most names have none */
	const char *dot = *name ? strchr(name + 1, '.') : NULL;
	const char *s = dot ? strstr(dot, suffix) : NULL;
	size_t len = strlen(suffix);

	return s && (!s[len] || s[len] == '.');
}

/* DW_CC_normal, DW_CC_nocall if the compiler changed the function, or another convention. */
static u64 convention(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Word val;

	if (dwarf_attr_integrate(die, DW_AT_calling_convention, &attr) &&
	    !dwarf_formudata(&attr, &val))
		return val;
	return DW_CC_normal;
}

/* May the compiler have changed the signature, and its return value? */
static void read_marks(Dwarf_Die *die, const struct compiler *cc, const char *symbol,
		       struct source *src)
{
	if (cc->gcc) {
		src->may_split = symbol_has_suffix(symbol, ".isra");
		src->may_drop_return = src->may_split || symbol_has_suffix(symbol, ".part");
		src->marked = src->may_drop_return || symbol_has_suffix(symbol, ".constprop") ||
			      symbol_has_suffix(symbol, ".simdclone");
		src->may_change = src->marked;
		return;
	}
	src->marked = convention(die) == DW_CC_nocall;
	src->may_change = src->marked || (!cc->clang_marks && !die_flag(die, DW_AT_external));
	src->may_split = true;
	src->may_drop_return = src->may_change;
	src->may_hide = !src->marked;
}

/* Find the child of the concrete DIE @die that stands for @param, a child of @source. */
static bool concrete_param(Dwarf_Die *die, Dwarf_Die *source, Dwarf_Die *param, Dwarf_Die *ret)
{
	u64 key = die_key(param);
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	*ret = *param;
	if (source->addr == die->addr)
		return true;
	for_each_child(die, DW_TAG_formal_parameter, ret) {
		if (dwarf_attr(ret, DW_AT_abstract_origin, &attr) &&
		    dwarf_formref_die(&attr, &origin) && die_key(&origin) == key)
			return true;
	}
	return false;
}

static enum reason read_param(Dwarf_Die *die, const struct source *src, Dwarf_Die *source,
			      Dwarf_Die *param, u64 entry, struct src_param *ret)
{
	Dwarf_Die concrete;

	memset(ret, 0, sizeof(*ret));
	ret->name = die_name(param);
	if (die_type(param, &ret->type) || abi_type_read(src->arch, &ret->type, &ret->abi))
		return REASON_TYPE_BAD;
	if (ret->abi.class == ABI_OTHER)
		return REASON_FLOAT;
	if (concrete_param(die, source, param, &concrete))
		loc_at_entry(die, src->arch, &concrete, entry, src->body, &ret->loc);
	/*
	 * An address in a register is the place of nothing else. GCC has one register for the whole
	 * function, which gets the address behind the entry, and maybe from another one.
	 */
	if (ret->loc.ref && (ret->abi.class != ABI_REF || (src->gcc && ret->loc.everywhere)))
		ret->loc.kind = LOC_ODD;
	return ret->loc.kind == LOC_BAD ? REASON_LOCATION : REASON_NONE;
}

/*
 * Does a child of a function come after all parameters? Only GCC writes them so: LLVM puts
 * parameters that it has lost behind everything else.
 */
bool source_is_body(Dwarf_Die *child)
{
	switch (dwarf_tag(child)) {
	case DW_TAG_variable:
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_call_site:
	case DW_TAG_GNU_call_site:
	case DW_TAG_label:
		return true;
	default:
		return false;
	}
}

static enum reason read_params(Dwarf_Die *die, u64 entry, struct source *src)
{
	Dwarf_Die source, child;
	enum reason reason;
	int more;

	/* clang may have `...` in the concrete DIE, and not in the one with the parameters */
	src->variadic = !src->gcc && die_first(die, DW_TAG_unspecified_parameters, &child);
	if (die_origin(die, &source) || die_type(die, &src->ret))
		return REASON_LOCATION;
	for (more = dwarf_child(&source, &child); !more; more = dwarf_siblingof(&child, &child)) {
		if (src->gcc && source_is_body(&child))
			break;
		if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
			src->variadic = true;
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		/* one is left for `...` */
		if (src->nr == MAX_PARAMS - 1)
			return REASON_TOO_MANY;
		reason = read_param(die, src, &source, &child, entry, &src->params[src->nr++]);
		if (reason)
			return reason;
	}
	if (more < 0)
		return REASON_LOCATION;
	/* gcc -g1 only says where a function is */
	return src->nr || src->ret.addr || die_flag(&source, DW_AT_prototyped) ? REASON_NONE :
										 REASON_UNSTATED;
}

/* Are parameters in registers in another order than the convention has? */
static bool is_out_of_order(const struct source *src)
{
	const struct src_param *p;
	u32 last = 0;

	for_each(p, src->params, src->nr) {
		if (p->loc.kind != LOC_REGS)
			continue;
		if (p->loc.pieces[0].reg < last)
			return true;
		last = p->loc.pieces[0].reg;
	}
	return false;
}

enum reason source_read(Dwarf_Die *die, const struct compiler *cc, const char *symbol, u64 entry,
			bool others_call, const u8 *code, size_t len, struct source *ret)
{
	const struct arch *arch = cc->arch;
	enum reason reason;

	memset(ret, 0, offsetof(struct source, params));
	ret->arch = arch;
	ret->gcc = cc->gcc;
	ret->body = entry + arch->prologue_len(code, len < 64 ? len : 64, &ret->pushes);
	reason = read_params(die, entry, ret);
	if (reason)
		return reason;
	if (is_out_of_order(ret))
		return REASON_CONVENTION;
	if (!cc->gcc && convention(die) != DW_CC_normal && convention(die) != DW_CC_nocall)
		return REASON_CONVENTION;
	if (ret->ret.addr && abi_type_read(arch, &ret->ret, &ret->ret_abi))
		return REASON_TYPE_BAD;
	/* pahole takes nullptr_t for void, and a function returns one */
	if (ret->ret.addr && dwarf_tag(&ret->ret_abi.die) == DW_TAG_unspecified_type)
		return REASON_TYPE_UNSUPPORTED;
	if (arch->ret_is_arg && ret->ret.addr && ret->ret_abi.class == ABI_MEMORY)
		ret->first_reg = 1;
	read_marks(die, cc, symbol, ret);
	ret->may_return_garbage = !cc->gcc && !others_call;
	ret->fixed = (others_call || ret->variadic) && !ret->marked;
	return REASON_NONE;
}

int source_nr_regs(const struct source *src)
{
	const struct src_param *p;
	u32 nr, reg = src->first_reg;

	for_each(p, src->params, src->nr) {
		nr = (p->abi.size + 7) / 8;
		if (p->abi.class == ABI_REF)
			nr = 1;
		else if (p->abi.class != ABI_INT)
			return -1;
		if (src->arch->even_pairs && p->abi.aligned && nr == 2)
			reg += reg % 2;
		if (reg + nr > src->arch->nr_args)
			return -1;
		reg += nr;
	}
	return reg;
}
