// SPDX-License-Identifier: GPL-2.0-only
/*
 * The signature that a function has at its address, which need not be the one in its
 * source: compilers remove parameters and replace aggregates by members in functions whose
 * callers they all know. search.c finds the one that agrees with DWARF and with the code.
 *
 * Members of what a pointer points to may be passed instead of the pointer, and DWARF
 * doesn't say which. Those are raw parameters, 64 bits of unknown meaning:
 *
 *	static int g(struct s *p, long n)		as compiled: g.isra.0
 *	p: nowhere	n: rsi				rdi: read by the code
 *	g(p__isra0, n)
 */
#include <stdio.h>

#include "arch/arch.h"
#include "signature/search.h"
#include "signature/signature.h"

/* @type: NULL for a raw parameter. */
static enum reason add_param(struct signature *sig, const char *name, bool own,
			     const Dwarf_Die *type)
{
	struct sig_param *param = &sig->params[sig->nr];

	/* one is left for `...` */
	if (sig->nr == MAX_PARAMS - 1) {
		if (own)
			free((char *)name);
		return REASON_TOO_MANY;
	}
	memset(param, 0, sizeof(*param));
	param->name = name;
	param->own = own;
	param->raw = !type;
	if (type)
		param->type = *type;
	sig->nr++;
	return REASON_NONE;
}

/**
 * struct gone - parameters without a place, behind the last that has one
 * @nr: how many there are
 * @words: registers that they would take
 * @nr_split: how many of them are pointers and aggregates, of which members may be passed
 * @name: name of the last one of these
 */
struct gone {
	u32 nr, words, nr_split;
	const char *name;
};

static void gone_add(struct gone *gone, const struct src_param *p)
{
	gone->nr++;
	gone->words += (p->abi.size + 7) / 8;
	if (!p->abi.aggregate && !abi_is_pointer(&p->abi))
		return;
	gone->nr_split++;
	gone->name = p->name;
}

static const char *gone_name(const struct gone *gone)
{
	return gone->nr == 1 ? gone->name : NULL;
}

/* Add a raw parameter that has a member of parameter @of. */
static enum reason add_raw(struct signature *sig, const char *of)
{
	sig->changed = true;
	return add_param(sig, xasprintf("%s__isra%u", of ? of : "", sig->nr_raw++), true, NULL);
}

/* Add what is left of an aggregate in a piece. */
static enum reason add_piece(struct signature *sig, const struct source *src,
			     const struct src_param *p, u32 piece)
{
	Dwarf_Die type;
	char *name;

	/* a union can have several members there */
	if (abi_find_member(src->arch, &p->abi, p->loc.pieces[piece].off, p->loc.pieces[piece].size,
			    p->name, &name, &type))
		return add_raw(sig, p->name);
	return add_param(sig, name, true, &type);
}

static enum reason add_reduced(struct signature *sig, const struct source *src,
			       const struct src_param *p)
{
	enum reason reason = REASON_NONE;
	u32 i;

	for (i = 0; i < p->loc.nr_pieces && !reason; i++)
		reason = add_piece(sig, src, p, i);
	return reason;
}

/* Fill the registers up to @end. */
static enum reason add_raw_regs(struct signature *sig, const char *of, u32 end)
{
	enum reason reason = REASON_NONE;

	for (; sig->nr_regs < end && !reason; sig->nr_regs++)
		reason = add_raw(sig, of);
	return reason;
}

/* Fill the stack of arguments up to @end. */
static enum reason add_raw_stack(struct signature *sig, const struct arch *arch, const char *of,
				 u32 end)
{
	enum reason reason = REASON_NONE;

	/* the trampoline would look for it in a register */
	if (sig->stack < end && sig->nr_regs < arch->nr_args)
		return REASON_SPLIT;
	for (; sig->stack < end && !reason; sig->stack += 8)
		reason = add_raw(sig, of);
	return reason;
}

/*
 * Where the mark of a compiler says that it has removed what isn't read, a register before another
 * argument that isn't read is none of C's: LLVM's mark takes the place of that of another calling
 * convention, and GCC has none for that.
 */
static bool are_read(const struct livein *code, u32 from, u32 end)
{
	return !(((1u << end) - 1) & ~((1u << from) - 1) & ~may_use(&code->use));
}

/*
 * Add the registers that the code reads behind the last parameter: they stand for pointers that are
 * gone. BTF can't just leave an argument out, as the trampoline wouldn't preserve its register.
 */
static enum reason add_rest(struct signature *sig, const struct source *src,
			    const struct gone *gone, const struct livein *code)
{
	u32 nr = sig->nr_regs;
	enum reason reason;

	if (!gone->nr_split || sig->variadic || !src->may_split)
		return REASON_NONE;
	if (!code || is_in_doubt(&code->use, src->arch->args & ~((1u << nr) - 1)) ||
	    !code->stack_known)
		return REASON_SPLIT;
	while ((code->use.reads & src->arch->args) >> nr)
		nr++;
	if (!are_read(code, sig->nr_regs, nr))
		return REASON_SPLIT;
	reason = add_raw_regs(sig, gone_name(gone), nr);
	return reason ? reason : add_raw_stack(sig, src->arch, gone_name(gone), code->stack);
}

/* May @reg hold a member instead of pointer or aggregate @p, which DWARF has nowhere? */
static bool may_hide_member(const struct search *search, const struct src_param *p, u32 reg)
{
	if (!search->src->may_change || !search->src->may_split || !src_param_is_open(p) ||
	    p->loc.kind == LOC_HOME)
		return false;
	if (!p->abi.aggregate && !abi_is_pointer(&p->abi))
		return false;
	return !search->code || is_in_doubt(&search->code->use, 1u << reg);
}

/* Is it certain that the code reads something on the stack from @start to @end? */
static bool reads_stack(const struct livein *code, u32 start, u32 end)
{
	u32 word;

	for (word = start / 8; word < end / 8 && word < 64; word++) {
		if (code->stack_words >> word & 1)
			return true;
	}
	return false;
}

/* Does the code take the address of a parameter that DWARF has on the stack? */
static bool is_taken(const struct livein *code, const struct src_param *p)
{
	return p->loc.kind == LOC_STACK && p->loc.stack_off / 8 < 64 &&
	       code->stack_taken >> p->loc.stack_off / 8 & 1;
}

/*
 * Is it certain that the code reads a parameter for which DWARF has no place? It may read members
 * that are passed instead of a pointer; a struct on the stack is one, too, to LLVM.
 */
static bool is_read(const struct search *search, const struct src_param *p,
		    const struct place *from, const struct place *to)
{
	u32 regs = ((1u << to->reg) - 1) & ~((1u << from->reg) - 1);

	if (!search->code || search->src->may_change ||
	    (!search->src->fixed && abi_is_pointer(&p->abi)))
		return false;
	if (regs)
		return !(regs & ~search->code->use.reads);
	return !p->abi.aggregate && reads_stack(search->code, from->stack, to->stack);
}

/*
 * LLVM gives no place to a parameter that isn't used, or for which all callers pass the same
 * constant. It still takes its register, but direct calls don't write the register, which then
 * holds garbage. Calls through pointers write it. A parameter on the stack has a place even if it
 * isn't used.
 */
static bool may_hold_garbage(const struct search *search, const struct src_param *p,
			     const struct place *from, const struct place *to)
{
	if (search->src->gcc || !search->src->called)
		return false;
	if (to->stack != from->stack && !reads_stack(search->code, from->stack, to->stack))
		return !is_taken(search->code, p);
	if (p->loc.kind == LOC_HOME)
		return to->reg != from->reg &&
		       (!p->loc.homed || param_is_stored_elsewhere(p, from->reg));
	return src_param_is_open(p) && !is_read(search, p, from, to);
}

/* Add a raw parameter for the registers or the stack, @from to @to, of such a parameter. */
static enum reason add_garbage(struct signature *sig, const struct arch *arch,
			       const struct place *from, const struct place *to)
{
	u32 nr = to->reg - from->reg + (to->stack - from->stack) / 8;
	enum reason reason = REASON_NONE;

	/* the trampoline would look for it in a register, too */
	if (to->stack != from->stack && to->reg < arch->nr_args)
		return REASON_UNDECIDED;
	while (nr-- && !reason)
		reason = add_raw(sig, NULL);
	return reason;
}

/* Does DWARF have a place for something in the word at this offset? */
static bool has_piece_in(const struct src_param *p, u32 off)
{
	u32 i;

	for (i = 0; i < p->loc.nr_pieces; i++)
		if (p->loc.pieces[i].off >= off && p->loc.pieces[i].off < off + 8)
			return true;
	return false;
}

/*
 * DWARF may have only one part of an aggregate that is in two registers. The other register holds
 * garbage, as above. The rest of a word that has a member is padding.
 */
static bool is_half_garbage(const struct source *src, const struct src_param *p)
{
	u32 off;

	if (src->gcc || !src->called || p->loc.kind != LOC_REGS || p->abi.size <= 8 ||
	    param_is_whole(p))
		return false;
	for (off = 0; off < p->abi.size; off += 8)
		if (!has_piece_in(p, off))
			return true;
	return false;
}

/* Add such an aggregate: each of its registers has a member, or something unknown. */
static enum reason add_words(struct signature *sig, const struct source *src,
			     const struct src_param *p)
{
	enum reason reason = REASON_NONE;
	u32 off, i;

	for (off = 0; off < p->abi.size && !reason; off += 8) {
		for (i = 0; i < p->loc.nr_pieces && p->loc.pieces[i].off != off; i++)
			;
		reason = i == p->loc.nr_pieces ? add_raw(sig, NULL) : add_piece(sig, src, p, i);
		sig->changed = true;
	}
	return reason;
}

/* Make the signature that search_run() found. */
static enum reason build_known(const struct search *search, struct signature *sig)
{
	struct place place = { .reg = search->src->first_reg }, before;
	struct gone gone = {};
	enum reason reason = REASON_NONE;
	u32 i;

	for (i = 0; i < search->src->nr && !reason; i++) {
		const struct src_param *p = &search->src->params[i];

		sig->changed |= search->found[i] != KEPT;
		if (search->found[i] == REMOVED) {
			gone_add(&gone, p);
			continue;
		}
		memset(&gone, 0, sizeof(gone));
		if (search->found[i] == REDUCED) {
			place_reduced(search->src, p, &place);
			reason = add_reduced(sig, search->src, p);
			continue;
		}
		if (may_hide_member(search, p, place.reg))
			return REASON_SPLIT;
		before = place;
		place_kept(search, p, &place);
		if (may_hold_garbage(search, p, &before, &place))
			reason = add_garbage(sig, search->src->arch, &before, &place);
		else if (is_half_garbage(search->src, p))
			reason = add_words(sig, search->src, p);
		else
			reason = add_param(sig, p->name, false, &p->type);
	}
	sig->nr_regs = search->nr_regs;
	sig->stack = search->stack;
	return reason ? reason : add_rest(sig, search->src, &gone, search->code);
}

/* May registers up to @end have parameters that are gone, or members instead of them? */
static bool may_fill(const struct search *search, const struct gone *gone, u32 from, u32 end)
{
	if (!search->src->gcc && search->src->marked && !are_read(search->code, from, end))
		return false;
	return gone->nr_split || end <= from + gone->words;
}

/* Add a parameter that DWARF has in registers, and raw ones in the registers before it. */
static enum reason add_located(struct signature *sig, const struct search *search,
			       const struct src_param *p, const struct gone *gone)
{
	struct place place = { .reg = p->loc.pieces[0].reg };
	enum reason reason;
	bool ok;

	if (place.reg < sig->nr_regs || !may_fill(search, gone, sig->nr_regs, place.reg))
		return REASON_REGISTERS;
	reason = add_raw_regs(sig, gone_name(gone), place.reg);
	if (reason)
		return reason;
	ok = param_is_whole(p) ? place_kept(search, p, &place) :
				 place_reduced(search->src, p, &place);
	if (!ok)
		return REASON_REGISTERS;
	sig->nr_regs = place.reg;
	if (!param_is_whole(p))
		return add_reduced(sig, search->src, p);
	return add_param(sig, p->name, false, &p->type);
}

/* The same for one that DWARF has on the stack. */
static enum reason add_stacked(struct signature *sig, const struct search *search,
			       const struct src_param *p, const struct gone *gone)
{
	struct place from = { .reg = sig->nr_regs, .stack = p->loc.stack_off }, to = from;
	enum reason reason = REASON_NONE;

	to.stack += (p->abi.size + 7) / 8 * 8;
	if (may_hold_garbage(search, p, &from, &to))
		return REASON_UNDECIDED;

	/* it would be in a register, if one were left */
	if (p->abi.class == ABI_INT && p->abi.size <= 8 && gone->nr_split)
		reason = add_raw_regs(sig, gone_name(gone), search->src->arch->nr_args);
	else if (gone->nr_split)
		return REASON_REGISTERS;
	if (p->abi.class == ABI_INT &&
	    sig->nr_regs + (p->abi.size + 7) / 8 <= search->src->arch->nr_args)
		return REASON_REGISTERS;
	if (param_is_misplaced(search->src, p, sig->nr_regs))
		return REASON_REGISTERS;
	if (!reason && sig->stack < p->loc.stack_off && gone->nr)
		reason = add_raw_stack(sig, search->src->arch, gone_name(gone), p->loc.stack_off);
	if (!reason && sig->stack != p->loc.stack_off)
		reason = REASON_REGISTERS;
	sig->stack = to.stack;
	return reason ?: add_param(sig, p->name, false, &p->type);
}

/*
 * If no signature of known parameters agrees: put raw parameters into the registers between
 * those that DWARF has. Parameters keep their order.
 */
static enum reason build_between(const struct search *search, struct signature *sig)
{
	struct gone gone = {};
	enum reason reason;
	bool open;
	u32 i;

	sig->nr_regs = search->src->first_reg;
	for (i = 0; i < search->src->nr; i++) {
		const struct src_param *p = &search->src->params[i];

		switch (p->loc.kind) {
		case LOC_REGS:
		case LOC_STACK:
			reason = p->loc.kind == LOC_REGS ? add_located(sig, search, p, &gone) :
							   add_stacked(sig, search, p, &gone);
			if (reason)
				return reason;
			memset(&gone, 0, sizeof(gone));
			break;
		case LOC_NONE:
		case LOC_LATE:
		case LOC_ODD:
			gone_add(&gone, p);
			break;
		default:
			return REASON_REGISTERS;
		}
	}
	reason = add_rest(sig, search->src, &gone, search->code);
	open = gone.nr || params_may_be_on_stack(search->src);
	if (!reason &&
	    (search->code->use.reads & search->src->arch->args & ~((1u << sig->nr_regs) - 1) ||
	     search->code->stack > sig->stack || (open && !search->code->stack_known)))
		return REASON_CODE;
	/* LLVM's DWARF may only have lost where parameters are */
	sig->changed |= sig->nr_raw || sig->nr != search->src->nr;
	return reason;
}

/* If nothing else is known: raw parameters in the registers that the code reads for certain. */
static enum reason build_raw(const struct search *search, struct signature *sig)
{
	u32 regs = search->code->use.reads & search->src->arch->args, nr = 0;
	enum reason reason;

	while (regs >> nr)
		nr++;
	if (is_in_doubt(&search->code->use, search->src->arch->args) ||
	    !search->code->stack_known || !are_read(search->code, 0, nr))
		return REASON_CODE;
	sig->changed = true;
	reason = add_raw_regs(sig, NULL, nr);
	return reason ? reason : add_raw_stack(sig, search->src->arch, NULL, search->code->stack);
}

static void begin(struct signature *sig, const struct source *src)
{
	memset(sig, 0, offsetof(struct signature, params));
	sig->marked = src->marked;
	sig->variadic = src->variadic;
	sig->ret = src->ret;
}

typedef enum reason (*build_fn)(const struct search *search, struct signature *sig);

static enum reason build(const struct search *search, build_fn fn, struct signature *sig)
{
	enum reason reason;

	begin(sig, search->src);
	reason = fn(search, sig);
	if (reason)
		signature_free(sig);
	return reason;
}

/* Does GCC have a parameter in a register in which C functions have none? */
static bool is_moved(const struct source *src, const struct src_param *p)
{
	return src->gcc && !src->may_change && p->loc.kind == LOC_ODD && !p->loc.ref;
}

static bool has_moved(const struct source *src)
{
	const struct src_param *p;

	for_each(p, src->params, src->nr) {
		if (is_moved(src, p))
			return true;
	}
	return false;
}

/*
 * Where parameters aren't tracked, GCC says only to which registers the function moves them. But
 * GCC 16's preserve_none, which has no mark in DWARF, has arguments arrive in such registers. Then
 * the code doesn't read those of the convention before it writes them.
 */
static bool arrives_elsewhere(const struct source *src, const struct livein *code)
{
	const struct src_param *p;
	u32 reg = src->first_reg;

	for_each(p, src->params, src->nr) {
		if (reg >= src->arch->nr_args)
			break;
		if (is_moved(src, p) && !(code->use.reads >> reg & 1))
			return true;
		if (p->abi.class == ABI_INT)
			reg += (p->abi.size + 7) / 8;
	}
	return false;
}

bool signature_needs_code(const struct source *src)
{
	const struct src_param *p;

	if (src->may_change || has_moved(src))
		return true;
	/* clang gives no parameters to a naked function */
	if (!src->gcc && !src->nr)
		return true;
	/*
	 * An argument that LLVM has on the stack may be unused, see may_hold_garbage(). Behind an
	 * __int128 on the stack LLVM puts all others there, though a register may be free.
	 */
	if (!src->gcc && source_nr_regs(src) < 0)
		return true;
	/*
	 * GCC may lose track of a parameter, but would say that it changed the function; but ms_abi
	 * has the address of what is larger than a register, of which GCC says nothing. LLVM can't
	 * have changed a fixed one, but its direct callers may pass garbage.
	 */
	for_each(p, src->params, src->nr) {
		if (!src_param_is_open(p))
			continue;
		if (src->gcc ? p->abi.class == ABI_INT && p->abi.size > 8 :
			       !src->fixed || (src->called && !abi_is_pointer(&p->abi)))
			return true;
	}
	return false;
}

/* The reason why there is no signature: the code, if DWARF alone would have one. */
static enum reason why_none(const struct source *src, const struct livein *code)
{
	struct search search;

	if (code && !search_run(&search, src, NULL) && search.nr_found)
		return REASON_CODE;
	return REASON_REGISTERS;
}

/*
 * Arguments are in registers in their order (psABI 3.2.3), and compilers that change a signature
 * leave out what isn't used. So if the code can't use a register, nor reads one behind it for
 * certain, there are no arguments from that register on, and no doubt about them.
 */
static void settle_doubts(const struct source *src, struct reg_use *use)
{
	u32 nr = src->first_reg;

	while (nr < src->arch->nr_args && (may_use(use) & 1u << nr || use->reads >> nr))
		nr++;
	use->doubts &= (1u << nr) - 1;
}

void signature_drop_return(struct signature *sig)
{
	sig->changed = true;
	memset(&sig->ret, 0, sizeof(sig->ret));
}

/* The signature that a search has found. Compilers that mark changes leave no choice of several. */
static enum reason build_found(const struct search *search, struct signature *sig)
{
	if (!search->nr_found)
		return why_none(search->src, search->code);
	if (search->nr_found > 1 && !search->src->marked)
		return REASON_UNDECIDED;
	return build(search, build_known, sig);
}

/* Find a signature on which DWARF and the code agree; some of its parameters may be raw. */
static enum reason establish_known(const struct source *src, const struct livein *code,
				   struct signature *sig)
{
	struct search search;
	enum reason reason = search_run(&search, src, code) ?: build_found(&search, sig);

	/* not all types, but the code tells the registers */
	if (reason && code && !src->variadic && !build(&search, build_between, sig))
		return REASON_NONE;
	return reason;
}

/*
 * A struct that is returned in memory has its address in the first register, which is no parameter
 * of the source (psABI 3.2.3, "Returning of Values"). If nobody uses the struct, the compiler may
 * have removed both. The registers of the other parameters tell.
 */
static enum reason establish_in_memory(const struct source *src, const struct livein *code,
				       struct signature *sig)
{
	struct source dropped = *src;
	struct signature kept;
	enum reason reason;

	dropped.first_reg = 0;
	if (establish_known(src, code, &kept)) {
		reason = establish_known(&dropped, code, sig);
		if (!reason)
			signature_drop_return(sig);
		return reason;
	}
	if (establish_known(&dropped, code, sig)) {
		*sig = kept;
		return REASON_NONE;
	}
	signature_free(&kept);
	signature_free(sig);
	return REASON_UNDECIDED;
}

/* Raw parameters only. */
static enum reason establish_raw(const struct source *src, const struct livein *code,
				 struct signature *sig)
{
	struct search search = { .src = src, .code = code };
	enum reason reason;

	if (!code || src->variadic)
		return REASON_REGISTERS;
	reason = build(&search, build_raw, sig);
	/* the address of a returned struct counts as one of them */
	if (!reason && src->first_reg)
		signature_drop_return(sig);
	return reason;
}

enum reason signature_establish(const struct source *src, const struct livein *code,
				struct signature *sig)
{
	struct livein settled;
	enum reason reason;

	/* it takes none in C, and its assembler reads some */
	if (code && !src->may_change && !src->nr && !src->first_reg && code->use.reads)
		return REASON_CONVENTION;
	if (code && arrives_elsewhere(src, code))
		return REASON_CONVENTION;
	if (code && src->marked) {
		settled = *code;
		settle_doubts(src, &settled.use);
		code = &settled;
	}
	if (src->first_reg && src->may_drop_return)
		reason = establish_in_memory(src, code, sig);
	else
		reason = establish_known(src, has_moved(src) ? NULL : code, sig);
	if (reason && !establish_raw(src, code, sig))
		return REASON_NONE;
	return reason;
}

bool signature_places(const struct signature *sig, const struct arch *arch, u32 first_reg,
		      struct sig_place *ret)
{
	struct abi_type abi;
	Dwarf_Die type;
	u32 reg = first_reg, stack = 0, words, i;

	for (i = 0; i < sig->nr; i++) {
		type = sig->params[i].type;
		abi = (struct abi_type){ .size = 8 };
		if (!sig->params[i].raw && abi_type_read(arch, &type, &abi))
			return false;
		words = abi.class == ABI_REF ? 1 : (abi.size + 7) / 8;
		ret[i] = (struct sig_place){ .size = abi.size, .reg = reg, .stack = stack };
		if ((abi.class == ABI_INT || abi.class == ABI_REF) &&
		    reg + words <= arch->nr_args) {
			ret[i].nr_regs = words;
			reg += words;
			continue;
		}
		stack += words * 8;
		if (!arch->fills_back)
			reg = arch->nr_args;
	}
	return reg == sig->nr_regs && stack == sig->stack;
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
