// SPDX-License-Identifier: GPL-2.0
/*
 * The signature that a function has at its address, which need not be the one in
 * its source: compilers remove parameters and replace aggregates by members in
 * functions whose callers they all know.
 *
 * DWARF says where each parameter is at entry. A signature is taken if the
 * kernel's trampoline, which counts argument registers from BTF alone, looks for
 * each parameter where DWARF has it:
 *
 *	static int f(struct s *p, int unused, long n)	as compiled: f.isra.0
 *	p: rdi	unused: nowhere	n: rsi
 *	f(p, n) puts p in rdi and n in rsi: agrees; f(p, unused, n) doesn't
 *
 * For a parameter without a place at entry, the compiler's habits count: see
 * struct compiler. What stays open is no signature.
 *
 * GCC may pass members of what a pointer points to instead of the pointer, and
 * DWARF doesn't say which. Those are raw parameters, 64 bits of unknown meaning:
 *
 *	static int g(struct s *p, long n)		as compiled: g.isra.0
 *	p: nowhere	n: rsi
 *	g(p__isra0, n)
 */
#include <stdio.h>

#include "dwarf/location.h"
#include "signature/abi.h"
#include "signature/signature.h"

const char *const reason_text[NR_REASONS] = {
	[REASON_NO_DWARF] = "no DWARF function at this address",
	[REASON_LANGUAGE] = "not written in C",
	[REASON_NAME] = "name that BTF cannot have",
	[REASON_SEVERAL] = "several different DWARF functions at this address",
	[REASON_LOCATION] = "damaged parameter list or locations",
	[REASON_REGISTERS] = "parameters not where the calling convention has them",
	[REASON_SPLIT] = "may pass parts of what a pointer points to",
	[REASON_UNDECIDED] = "parameters without location",
	[REASON_FLOAT] = "floating-point or unknown parameter type",
	[REASON_TOO_MANY] = "too many parameters",
	[REASON_TYPE_MISSING] = "type not in BTF",
	[REASON_TYPE_AMBIGUOUS] = "several BTF types look like the type",
	[REASON_TYPE_BAD] = "damaged type",
	[REASON_TYPE_UNSUPPORTED] = "type that C does not have",
	[REASON_OFFSET] = "not within 4 GiB after _text",
};

const char *const reason_key[NR_REASONS] = {
	[REASON_NO_DWARF] = "no_dwarf",
	[REASON_LANGUAGE] = "language",
	[REASON_NAME] = "name",
	[REASON_SEVERAL] = "several_dwarf",
	[REASON_LOCATION] = "location",
	[REASON_REGISTERS] = "registers",
	[REASON_SPLIT] = "split_pointer",
	[REASON_UNDECIDED] = "undecided",
	[REASON_FLOAT] = "float",
	[REASON_TOO_MANY] = "too_many",
	[REASON_TYPE_MISSING] = "type_missing",
	[REASON_TYPE_AMBIGUOUS] = "type_ambiguous",
	[REASON_TYPE_BAD] = "type_bad",
	[REASON_TYPE_UNSUPPORTED] = "type_unsupported",
	[REASON_OFFSET] = "offset",
};

/* A parameter of the source, and where it arrives. */
struct src_param {
	const char *name;
	Dwarf_Die type;
	struct abi_type abi;
	struct loc loc;
};

/* What became of it in a candidate signature. */
enum fate { KEPT, REMOVED, REDUCED };

/**
 * struct search - looking for the signature that agrees with all locations
 * @may_change: the compiler may have changed the signature
 * @may_hide: a parameter without location may have been kept all the same
 * @fates: of the candidate at hand
 * @found: of the one that agrees
 * @nr_regs: argument registers of that one
 * @nr_found: how many agree; more than one is too many
 */
struct search {
	struct src_param params[MAX_PARAMS];
	u32 nr;
	bool may_change;
	bool may_hide;
	enum fate fates[MAX_PARAMS];
	enum fate found[MAX_PARAMS];
	u32 nr_found;
	u32 nr_regs;
	u32 steps;
};

#define MAX_STEPS 4096

/* Next free argument register and stack byte, as the trampoline counts them. */
struct place {
	u32 reg;
	u32 stack;
};

void compiler_read(Dwarf_Die *unit, struct compiler *cc)
{
	Dwarf_Attribute attr;
	const char *s = NULL, *clang;
	int major = 0;

	memset(cc, 0, sizeof(*cc));
	if (dwarf_attr(unit, DW_AT_producer, &attr))
		s = dwarf_formstring(&attr);
	if (!s)
		return;
	cc->gcc = !strncmp(s, "GNU C", 5);
	clang = strstr(s, "clang version ");
	if (clang && sscanf(clang, "clang version %d", &major) == 1)
		cc->clang_marks = major >= 15;
}

/* Does a name have a suffix that says: this is a changed copy? */
static bool has_suffix(const char *symbol, const char *suffix)
{
	const char *s = strstr(symbol, suffix);
	size_t len = strlen(suffix);

	return s && s != symbol && (!s[len] || s[len] == '.');
}

static bool marked_changed(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Word val;

	return dwarf_attr_integrate(die, DW_AT_calling_convention, &attr) &&
	       !dwarf_formudata(&attr, &val) && val == DW_CC_nocall;
}

static bool may_change(Dwarf_Die *die, const struct compiler *cc, const char *symbol)
{
	if (cc->gcc)
		return has_suffix(symbol, ".isra") || has_suffix(symbol, ".constprop") ||
		       has_suffix(symbol, ".part") || has_suffix(symbol, ".simdclone");
	if (marked_changed(die))
		return true;
	return !cc->clang_marks && !die_flag(die, DW_AT_external);
}

/* The DIE with the parameter list of the source. */
static int abstract_die(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attr;
	int depth = 0;

	*ret = *die;
	while (dwarf_attr(ret, DW_AT_abstract_origin, &attr) ||
	       dwarf_attr(ret, DW_AT_specification, &attr)) {
		if (!dwarf_formref_die(&attr, ret) || ++depth > 8)
			return -1;
	}
	return 0;
}

/* The child of the concrete DIE that stands for a parameter, a child of @source. */
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

static enum reason read_param(Dwarf_Die *die, Dwarf_Die *source, Dwarf_Die *param, u64 entry,
			      u64 entry_end, struct src_param *ret)
{
	Dwarf_Die concrete;

	memset(ret, 0, sizeof(*ret));
	ret->name = die_name(param);
	if (die_type(param, &ret->type) || abi_type_read(&ret->type, &ret->abi))
		return REASON_TYPE_BAD;
	if (ret->abi.class == ABI_OTHER)
		return REASON_FLOAT;
	if (concrete_param(die, source, param, &concrete))
		loc_at_entry(die, &concrete, entry, entry_end, &ret->loc);
	return ret->loc.kind == LOC_BAD ? REASON_LOCATION : REASON_NONE;
}

static enum reason read_params(Dwarf_Die *die, u64 entry, u64 entry_end, struct search *search,
			       struct signature *sig)
{
	Dwarf_Die source, child;
	enum reason reason;
	int more;

	if (abstract_die(die, &source) || die_type(die, &sig->ret))
		return REASON_LOCATION;
	for (more = dwarf_child(&source, &child); !more; more = dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
			sig->variadic = true;
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		/* one is left for `...` */
		if (search->nr == MAX_PARAMS - 1)
			return REASON_TOO_MANY;
		reason = read_param(die, &source, &child, entry, entry_end,
				    &search->params[search->nr++]);
		if (reason)
			return reason;
	}
	return more < 0 ? REASON_LOCATION : REASON_NONE;
}

/* Do the bytes that DWARF has in registers stand where register @reg on does? */
static bool pieces_agree(const struct loc *loc, u32 reg)
{
	u32 i;

	for (i = 0; i < loc->nr_pieces; i++) {
		if (loc->pieces[i].reg != reg + loc->pieces[i].off / 8)
			return false;
	}
	return true;
}

static bool whole(const struct src_param *p)
{
	u32 i, sum = 0;

	for (i = 0; i < p->loc.nr_pieces; i++)
		sum += p->loc.pieces[i].size ? p->loc.pieces[i].size : p->abi.size;
	return sum >= p->abi.size;
}

/* Give a kept parameter its place; false if DWARF has it elsewhere. */
static bool place_kept(const struct search *search, const struct src_param *p,
		       struct place *place)
{
	u32 nr = (p->abi.size + 7) / 8;
	bool in_regs = p->abi.class == ABI_INT && place->reg + nr <= NR_ARG_REGS;

	/* an empty struct is passed nowhere, wherever DWARF has it */
	if (!nr)
		return true;
	switch (p->loc.kind) {
	case LOC_REGS:
		if (!in_regs || !pieces_agree(&p->loc, place->reg))
			return false;
		break;
	case LOC_STACK:
		if (in_regs || p->loc.stack_off != place->stack)
			return false;
		break;
	case LOC_HOME:
		break;
	case LOC_NONE:
	case LOC_LATE:
	case LOC_ODD:
		if (search->may_change && !search->may_hide)
			return false;
		break;
	case LOC_BAD:
		return false;
	}
	if (in_regs)
		place->reg += nr;
	else
		place->stack += nr * 8;
	return true;
}

/* One register for each piece; the pieces are what is left of the aggregate. */
static bool place_reduced(const struct src_param *p, struct place *place)
{
	u32 i;

	if (!p->abi.aggregate || p->loc.kind != LOC_REGS)
		return false;
	for (i = 0; i < p->loc.nr_pieces; i++) {
		if (!p->loc.pieces[i].size || p->loc.pieces[i].size > 8 ||
		    p->loc.pieces[i].reg != place->reg++)
			return false;
	}
	return place->reg <= NR_ARG_REGS;
}

static void try_param(struct search *search, u32 i, struct place place);

static void try_fate(struct search *search, u32 i, enum fate fate, struct place place)
{
	const struct src_param *p = &search->params[i];
	bool ok = true;

	if (fate == KEPT)
		ok = place_kept(search, p, &place);
	else if (fate == REDUCED)
		ok = place_reduced(p, &place);
	search->fates[i] = fate;
	if (ok)
		try_param(search, i + 1, place);
}

/* Try everything that may have become of parameter @i and those after it. */
static void try_param(struct search *search, u32 i, struct place place)
{
	const struct src_param *p = &search->params[i];

	if (++search->steps > MAX_STEPS)
		return;
	if (i == search->nr) {
		/* removal is tried first and the likelier of two that agree */
		if (!search->nr_found++) {
			memcpy(search->found, search->fates, sizeof(search->found));
			search->nr_regs = place.reg;
		}
		return;
	}
	if (search->may_change && p->loc.kind != LOC_REGS && p->loc.kind != LOC_STACK &&
	    p->loc.kind != LOC_HOME)
		try_fate(search, i, REMOVED, place);
	if (search->may_change && p->loc.kind == LOC_REGS && !whole(p))
		try_fate(search, i, REDUCED, place);
	try_fate(search, i, KEPT, place);
}

/* @type: NULL for a raw parameter. */
static int add_param(struct signature *sig, const char *name, bool own, Dwarf_Die *type)
{
	struct sig_param *param = &sig->params[sig->nr];

	if (sig->nr == MAX_PARAMS - 1) {
		if (own)
			free((char *)name);
		return -1;
	}
	memset(param, 0, sizeof(*param));
	param->name = name;
	param->own = own;
	param->raw = !type;
	if (type)
		param->type = *type;
	sig->nr++;
	return 0;
}

static enum reason add_reduced(struct signature *sig, const struct src_param *p)
{
	Dwarf_Die type;
	char *name;
	u32 i;

	for (i = 0; i < p->loc.nr_pieces; i++) {
		if (abi_find_member(&p->abi, p->loc.pieces[i].off, p->loc.pieces[i].size,
				    p->name, &name, &type))
			return REASON_REGISTERS;
		if (add_param(sig, name, true, &type))
			return REASON_TOO_MANY;
	}
	return REASON_NONE;
}

static bool unplaced(const struct src_param *p)
{
	return p->abi.size && (p->loc.kind == LOC_NONE || p->loc.kind == LOC_LATE ||
			       p->loc.kind == LOC_ODD);
}

/*
 * Compilers may pass what a pointer points to in place of the pointer, which then
 * has no location, and the value that is passed has no DWARF at all. (To leave an
 * argument out of BTF is not harmless: the trampoline would not preserve it.)
 *
 * A pointer that stood before a parameter whose register leaves no gap is gone
 * for certain. After a trailing one, the code must be asked: sets sig->open. If
 * one seems to be still there for the gap it leaves, the value may be in the gap.
 */
static enum reason check_split(const struct search *search, const struct compiler *cc,
			       const char *symbol, struct signature *sig)
{
	bool trailing = true;
	u32 i, nr_gone = 0;

	if (!search->may_change || (cc->gcc && !has_suffix(symbol, ".isra")))
		return REASON_NONE;
	for (i = search->nr; i--;) {
		const struct src_param *p = &search->params[i];

		if (search->found[i] != REMOVED)
			trailing = false;
		nr_gone += trailing;
		if (!p->abi.pointer && !p->abi.aggregate)
			continue;
		if (search->found[i] == KEPT && unplaced(p))
			return REASON_SPLIT;
		if (search->found[i] == REMOVED && trailing) {
			sig->open = true;
			sig->open_name = p->name;
		}
	}
	if (nr_gone > 1)
		sig->open_name = NULL;
	return REASON_NONE;
}

/*
 * What the compiler changed if all parameters are still there: the return value,
 * which is dropped if no caller wants it.
 */
static void settle_return(const struct search *search, const char *symbol, bool nocall,
			  struct signature *sig)
{
	u32 i;

	if (!has_suffix(symbol, ".isra") && !nocall)
		return;
	for (i = 0; i < search->nr; i++) {
		if (search->found[i] != KEPT)
			return;
	}
	if (sig->ret.addr)
		sig->changed = true;
	memset(&sig->ret, 0, sizeof(sig->ret));
}

static enum reason build(const struct search *search, struct signature *sig)
{
	enum reason reason;
	u32 i;

	for (i = 0; i < search->nr; i++) {
		struct src_param p = search->params[i];

		sig->changed |= search->found[i] != KEPT;
		if (search->found[i] == REMOVED)
			continue;
		if (search->found[i] == REDUCED) {
			reason = add_reduced(sig, &p);
			if (reason)
				return reason;
			continue;
		}
		if (add_param(sig, p.name, false, &p.type))
			return REASON_TOO_MANY;
	}
	return REASON_NONE;
}

/* Fill the registers up to @end, which members of parameter @of are in. */
static int add_raw(struct signature *sig, const char *of, u32 end)
{
	for (; sig->nr_regs < end; sig->nr_regs++) {
		if (add_param(sig, xasprintf("%s__isra%u", of ? of : "", sig->nr_raw++), true,
			      NULL))
			return -1;
	}
	return 0;
}

int signature_close(struct signature *sig, u32 nr_regs)
{
	sig->open = false;
	sig->changed |= nr_regs > sig->nr_regs;
	return add_raw(sig, sig->open_name, nr_regs);
}

/**
 * struct gone - parameters without a place, since the last that has one
 * @nr: of all
 * @nr_split: pointers and aggregates, which members may be passed of
 * @name: of the last of these
 */
struct gone {
	u32 nr, nr_split;
	const char *name;
};

static const char *gone_name(const struct gone *gone)
{
	return gone->nr == 1 ? gone->name : NULL;
}

/* Add a parameter that DWARF has in registers, and what precedes it there. */
static enum reason add_located(struct signature *sig, struct search *search, u32 i,
			       const struct gone *gone)
{
	struct src_param *p = &search->params[i];
	struct place place = { .reg = p->loc.pieces[0].reg };
	bool ok;

	if (place.reg < sig->nr_regs || (place.reg > sig->nr_regs && !gone->nr_split))
		return REASON_REGISTERS;
	if (add_raw(sig, gone_name(gone), place.reg))
		return REASON_TOO_MANY;
	ok = whole(p) ? place_kept(search, p, &place) : place_reduced(p, &place);
	if (!ok)
		return REASON_REGISTERS;
	sig->nr_regs = place.reg;
	if (!whole(p))
		return add_reduced(sig, p);
	return add_param(sig, p->name, false, &p->type) ? REASON_TOO_MANY : REASON_NONE;
}

/*
 * If no signature of known parameters agrees: one with raw ones in the registers
 * that are left between those that DWARF has. Parameters keep their order.
 */
static enum reason build_raw(struct search *search, struct place start, struct signature *sig)
{
	struct gone gone = {};
	enum reason reason;
	u32 i;

	sig->changed = true;
	sig->nr_regs = start.reg;
	for (i = 0; i < search->nr; i++) {
		struct src_param *p = &search->params[i];

		switch (p->loc.kind) {
		case LOC_REGS:
			reason = add_located(sig, search, i, &gone);
			if (reason)
				return reason;
			memset(&gone, 0, sizeof(gone));
			break;
		case LOC_NONE:
		case LOC_LATE:
		case LOC_ODD:
			gone.nr++;
			if (!p->abi.pointer && !p->abi.aggregate)
				break;
			gone.nr_split++;
			gone.name = p->name;
			break;
		default:
			return REASON_REGISTERS;
		}
	}
	sig->open = gone.nr_split;
	sig->open_name = gone_name(&gone);
	return REASON_NONE;
}

static enum reason build_known(struct search *search, const struct compiler *cc,
			       const char *symbol, bool nocall, struct signature *sig)
{
	enum reason reason;

	if (search->nr_found > 1 && !nocall)
		return REASON_UNDECIDED;
	reason = check_split(search, cc, symbol, sig);
	if (reason)
		return reason;
	sig->nr_regs = search->nr_regs;
	reason = build(search, sig);
	if (!reason)
		settle_return(search, symbol, nocall, sig);
	return reason;
}

enum reason signature_read(Dwarf_Die *die, const struct compiler *cc, const char *symbol,
			   u64 entry, const u8 *code, size_t len, struct signature *sig)
{
	struct search search = {};
	struct place start = {};
	struct abi_type abi;
	enum reason reason;
	bool nocall;

	memset(sig, 0, sizeof(*sig));
	reason = read_params(die, entry, entry + prologue_len(code, len < 64 ? len : 64),
			     &search, sig);
	if (reason)
		return reason;
	/* rdi has the address for a return value in memory */
	if (sig->ret.addr && !abi_type_read(&sig->ret, &abi) && abi.class == ABI_MEMORY)
		start.reg = 1;
	nocall = !cc->gcc && marked_changed(die);
	search.may_change = may_change(die, cc, symbol);
	search.may_hide = !cc->gcc && !nocall;
	try_param(&search, 0, start);
	if (search.nr_found)
		reason = build_known(&search, cc, symbol, nocall, sig);
	else if (cc->gcc && has_suffix(symbol, ".isra") && !sig->variadic)
		reason = build_raw(&search, start, sig);
	else
		reason = REASON_REGISTERS;
	if (reason)
		signature_free(sig);
	return reason;
}

void signature_free(struct signature *sig)
{
	u32 i;

	for (i = 0; i < sig->nr; i++) {
		if (sig->params[i].own)
			free((char *)sig->params[i].name);
	}
	sig->nr = 0;
}
