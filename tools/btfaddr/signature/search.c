// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which signature does a function have, of those that the compiler may have made of the source's?
 *
 * The kernel's trampoline counts argument registers from BTF alone (get_nr_used_regs() in
 * arch/x86/net/bpf_jit_comp.c), in the order of psABI 3.2.3. A signature agrees if
 * it looks for each parameter where DWARF has it:
 *
 *	static int f(struct s *p, int unused, long n)	as compiled: f.isra.0
 *	p: rdi	unused: nowhere	n: rsi
 *	f(p, n) puts p in rdi and n in rsi: agrees; f(p, unused, n) doesn't
 *
 * The code must agree, too, if it is looked at: it may read no register that the signature leaves
 * out, and not that of a pointer without a place in DWARF, as that may hold something else.
 */
#include "arch/arch.h"
#include "signature/search.h"

#define MAX_STEPS 4096

static u32 reg_mask(u32 first, u32 nr)
{
	return ((1u << nr) - 1) << first;
}

/* Does DWARF have the bytes of a parameter in the registers from @reg on? */
static bool pieces_agree(const struct loc *loc, u32 reg)
{
	u32 i;

	for (i = 0; i < loc->nr_pieces; i++) {
		if (loc->pieces[i].reg != reg + loc->pieces[i].off / 8)
			return false;
	}
	return true;
}

bool param_is_whole(const struct src_param *p)
{
	u32 i, sum = 0;

	for (i = 0; i < p->loc.nr_pieces; i++)
		sum += p->loc.pieces[i].size ? p->loc.pieces[i].size : p->abi.size;
	return sum >= p->abi.size;
}

static u32 nr_words(const struct src_param *p)
{
	return p->abi.class == ABI_REF ? 1 : (p->abi.size + 7) / 8;
}

static bool in_regs(const struct source *src, const struct src_param *p, const struct place *place)
{
	return (p->abi.class == ABI_INT || p->abi.class == ABI_REF) &&
	       place->reg + nr_words(p) <= src->arch->nr_args;
}

bool param_is_misplaced(const struct source *src, const struct src_param *p, u32 nr_regs)
{
	if (src->arch->even_pairs && p->abi.aligned && p->abi.size <= MAX_REG_SIZE)
		return nr_regs % 2 || nr_regs + nr_words(p) > src->arch->nr_args;
	return p->abi.class == ABI_MEMORY && p->abi.size <= MAX_REG_SIZE &&
	       nr_regs + nr_words(p) <= src->arch->nr_args;
}

/* Is it certain that the code doesn't use the place that a parameter would have? */
static bool param_is_unused(const struct search *search, const struct src_param *p,
			    const struct place *place)
{
	if (!search->code)
		return false;
	if (in_regs(search->src, p, place))
		return !(may_use(&search->code->use) & reg_mask(place->reg, nr_words(p)));
	return search->code->stack_known && place->stack >= search->code->stack;
}

/* LLVM removes no parameter of a variadic function; it only drops the return value. */
static bool removes_none(const struct source *src)
{
	return src->variadic && !src->gcc;
}

/*
 * May a parameter have been kept although DWARF has no place for it? If a pointer's register is
 * used, it may also hold a member instead of the pointer, which LLVM passes without a mark, unless
 * others may call the function.
 */
static bool hidden_agrees(const struct search *search, const struct src_param *p,
			  const struct place *place)
{
	if (search->src->fixed || removes_none(search->src))
		return true;
	if (search->src->may_change && !search->src->may_hide)
		return false;
	return !search->code || !abi_is_pointer(&p->abi) || param_is_unused(search, p, place);
}

bool param_is_stored_elsewhere(const struct src_param *p, u32 reg)
{
	const u8 *words = p->loc.words;
	u32 nr = nr_words(p);

	if (p->loc.kind != LOC_HOME || nr > ARRAY_SIZE(p->loc.words))
		return false;
	if (words[0] && words[0] != reg + 1)
		return true;
	/* if only half of an aggregate is stored, the other half isn't passed */
	return nr == 2 && words[1] != reg + 2 && (words[0] || words[1]);
}

bool place_kept(const struct search *search, const struct src_param *p, struct place *place)
{
	u32 nr = nr_words(p);
	bool regs = in_regs(search->src, p, place);

	/* an empty struct isn't passed, even if DWARF has a place for it */
	if (!nr)
		return true;
	if (param_is_misplaced(search->src, p, place->reg))
		return false;
	switch (p->loc.kind) {
	case LOC_REGS:
		if (!regs || !pieces_agree(&p->loc, place->reg))
			return false;
		break;
	case LOC_STACK:
		if (regs || p->loc.stack_off != place->stack)
			return false;
		break;
	case LOC_HOME:
		/*
		 * A parameter in the frame was saved there from its register. If nothing reads that
		 * register, DWARF means something else in the frame.
		 */
		if (search->src->may_change && param_is_unused(search, p, place))
			return false;
		if (search->src->may_change && regs && param_is_stored_elsewhere(p, place->reg))
			return false;
		/* it may be a constant there, if not all of the code could be followed */
		if (search->src->may_change && regs && !p->loc.homed && search->code &&
		    is_in_doubt(&search->code->use, reg_mask(place->reg, nr)))
			return false;
		if (search->src->marked && !regs && !(search->code && search->code->stack_known))
			return false;
		break;
	case LOC_NONE:
	case LOC_LATE:
	case LOC_ODD:
		/* DWARF may have the parameter's address in a register later: it came in one */
		if (!(p->loc.ref && p->abi.class == ABI_REF) && !hidden_agrees(search, p, place))
			return false;
		break;
	case LOC_BAD:
		return false;
	}
	if (regs) {
		place->reg += nr;
	} else {
		place->stack += nr * 8;
		if (!search->src->arch->fills_back)
			place->reg = search->src->arch->nr_args;
	}
	return true;
}

bool place_reduced(const struct source *src, const struct src_param *p, struct place *place)
{
	u32 i;

	if (!p->abi.aggregate || p->loc.kind != LOC_REGS)
		return false;
	for (i = 0; i < p->loc.nr_pieces; i++) {
		if (!p->loc.pieces[i].size || p->loc.pieces[i].size > 8 ||
		    p->loc.pieces[i].reg != place->reg++)
			return false;
	}
	return place->reg <= src->arch->nr_args;
}

/* May members be passed, in more registers, instead of a pointer or aggregate at the end? */
static bool ends_open(const struct search *search)
{
	u32 i;

	if (!search->src->may_split)
		return false;
	for (i = search->src->nr; i-- && search->fates[i] == REMOVED;) {
		if (search->src->params[i].abi.aggregate ||
		    abi_is_pointer(&search->src->params[i].abi))
			return true;
	}
	return false;
}

/*
 * May the compiler pass members of a parameter for which DWARF has no place? They may take more
 * registers than the parameter would. But LLVM passes no members without a mark if the pointer
 * itself is stored somewhere.
 */
static bool may_be_replaced(const struct source *src, const struct src_param *p)
{
	if (p->loc.kind == LOC_HOME && !src->may_change && abi_is_pointer(&p->abi))
		return false;
	return src_param_is_open(p) &&
	       (p->abi.aggregate || p->abi.class != ABI_INT || abi_is_pointer(&p->abi));
}

bool params_may_be_on_stack(const struct source *src)
{
	u32 i, behind = src->arch->nr_args;

	for (i = src->nr; i-- && src->params[i].loc.kind != LOC_STACK;) {
		const struct src_param *p = &src->params[i];

		if (p->loc.kind == LOC_REGS)
			behind = p->loc.pieces[0].reg;
		if (!src_param_is_open(p) ||
		    (p->abi.class == ABI_INT && behind + nr_words(p) <= src->arch->nr_args))
			continue;
		if (p->abi.class != ABI_INT || p->abi.size > 8)
			return true;
	}
	return false;
}

/*
 * Is it certain that no members are passed behind the last parameter that DWARF has somewhere?
 * Members of those before it would move it.
 */
static bool none_replaced(const struct source *src)
{
	u32 i;

	for (i = src->nr; src->may_split && i-- && !src_param_is_placed(&src->params[i]);) {
		if (may_be_replaced(src, &src->params[i]))
			return false;
	}
	return !params_may_be_on_stack(src);
}

/*
 * Does the code use nothing behind the last parameter? Compilers add no parameters except members
 * instead of a pointer, see ends_open(). So a register there may be in doubt, such as one that an
 * indirect call may use. But if the code reads one for certain, this is not the signature.
 */
static bool uses_no_more(const struct search *search, const struct place *end)
{
	const struct livein *code = search->code;

	if (!code || search->src->variadic || ends_open(search))
		return true;
	if (code->use.reads & search->src->arch->args & ~reg_mask(0, end->reg))
		return false;
	return code->stack <= end->stack && (code->stack_known || none_replaced(search->src));
}

/* All parameters of the candidate have a place, up to @end. */
static void try_candidate(struct search *search, const struct place *end)
{
	if (!uses_no_more(search, end) || search->nr_found++)
		return;
	memcpy(search->found, search->fates, sizeof(search->found));
	search->nr_regs = end->reg;
	search->stack = end->stack;
}

/* A parameter wasn't removed if DWARF has it in the register that it was passed in. */
static bool may_be_removed(const struct search *search, const struct src_param *p,
			   const struct place *place)
{
	if (!search->src->may_change || !src_param_is_open(p) || removes_none(search->src))
		return false;
	return p->loc.kind != LOC_HOME || param_is_unused(search, p, place) ||
	       (in_regs(search->src, p, place) && param_is_stored_elsewhere(p, place->reg));
}

static void try_param(struct search *search, u32 i, struct place place);

static void try_fate(struct search *search, u32 i, enum fate fate, struct place place)
{
	const struct src_param *p = &search->src->params[i];
	bool ok = true;

	if (fate == KEPT)
		ok = place_kept(search, p, &place);
	else if (fate == REDUCED)
		ok = place_reduced(search->src, p, &place);
	search->fates[i] = fate;
	if (ok)
		try_param(search, i + 1, place);
}

/* Try each thing that the compiler may have done with parameter @i and those after it. */
static void try_param(struct search *search, u32 i, struct place place)
{
	const struct src_param *p;

	if (++search->steps > MAX_STEPS)
		return;
	if (i == search->src->nr) {
		try_candidate(search, &place);
		return;
	}
	p = &search->src->params[i];
	if (may_be_removed(search, p, &place))
		try_fate(search, i, REMOVED, place);
	if (search->src->may_change && p->loc.kind == LOC_REGS && !param_is_whole(p))
		try_fate(search, i, REDUCED, place);
	try_fate(search, i, KEPT, place);
}

enum reason search_run(struct search *search, const struct source *src, const struct livein *code)
{
	struct place start = { .reg = src->first_reg };

	memset(search, 0, sizeof(*search));
	search->src = src;
	search->code = code;
	try_param(search, 0, start);
	return search->steps > MAX_STEPS ? REASON_UNDECIDED : REASON_NONE;
}
