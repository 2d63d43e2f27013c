// SPDX-License-Identifier: GPL-2.0-only
/*
 * What BTF without addresses says of functions, and what it doesn't.
 *
 * A kernel whose BTF has no addresses attaches to a FUNC by name, to the first symbol of the name.
 * pahole wrote one FUNC for a name, mostly, and had no symbol in mind: the FUNC may be that of
 * another function, or of a definition that is only inlined. So each FUNC is held against the
 * function that the kernel would take. A function that no true FUNC leads to gets one in the file.
 */
#include "annotate/annotate.h"
#include "inline/functions.h"

/* FUNC @id of the input is judged by one thread only, as one function is the first of its name. */
struct judge {
	struct annotator *a;
	struct inline_funcs *inl;
};

/* Is this the function that a kernel finds by the name? */
static bool is_first(const struct funcs *funcs, u32 i)
{
	return !i || strcmp(funcs->funcs[i - 1].sym->name, funcs->funcs[i].sym->name);
}

static bool is_modifier(u32 kind, bool qualifiers)
{
	return kind == BTF_KIND_TYPEDEF ||
	       (qualifiers &&
		(kind == BTF_KIND_CONST || kind == BTF_KIND_VOLATILE || kind == BTF_KIND_RESTRICT));
}

/*
 * Look through typedefs and, if @qualifiers, those. resolve_btfids adds type tags for address
 * spaces, which DWARF doesn't have.
 */
static void strip(const struct btf_image *img, Dwarf_Die *die, u32 *id, bool qualifiers)
{
	int depth = 0;

	while (die->addr && is_modifier(die_btf_kind(die), qualifiers) &&
	       depth++ < TYPE_MAX_DEPTH && !die_type(die, die))
		;
	while (is_modifier(type_kind(type_by_id(img, *id)), qualifiers) ||
	       btf_is_type_tag(type_by_id(img, *id)))
		*id = type_by_id(img, *id)->type;
}

/*
 * Are two types of a parameter compatible in C? Typedefs don't matter, nor do the parameter's own
 * qualifiers, which don't belong to the type of its function (C11, 6.7.6.3).
 */
static bool compatible(struct types *types, Dwarf_Die die, u32 id)
{
	const struct btf_image *img = types->idx.img;
	int depth = 0;
	u32 kind;

	for (strip(img, &die, &id, true); die.addr && depth < TYPE_MAX_DEPTH; depth++) {
		kind = die_btf_kind(&die);
		if (kind != type_kind(type_by_id(img, id)) ||
		    !(kind == BTF_KIND_PTR || is_modifier(kind, true)) || die_type(&die, &die))
			break;
		id = type_by_id(img, id)->type;
		strip(img, &die, &id, false);
	}
	return types_same(&types->idx, &types->seen, &die, id, false);
}

static bool same_type(struct types *types, const Dwarf_Die *die, u32 id)
{
	Dwarf_Die type = *die;
	u32 found;

	/* the input may have several types that are the same */
	return (types_resolve(types, &type, &found) == TYPE_OK && found == id) ||
	       compatible(types, type, id);
}

/* What is false about a prototype? Returns NULL if nothing is, else a text to be freed. */
static char *find_lie(struct types *types, const struct signature *sig,
		      const struct btf_type *proto)
{
	const struct btf_param *params = btf_params(proto);
	u32 nr = btf_vlen(proto), i;
	bool variadic = nr && !params[nr - 1].type;

	nr -= variadic;
	if (nr != sig->nr || variadic != sig->variadic)
		return xasprintf("%u parameters%s, not %u%s", nr, variadic ? " and ..." : "",
				 sig->nr, sig->variadic ? " and ..." : "");
	for (i = 0; i < nr; i++) {
		/* nothing is known of a raw one but its register */
		if (!sig->params[i].raw && !same_type(types, &sig->params[i].type, params[i].type))
			return xasprintf("type of parameter %u", i + 1);
	}
	if (!sig->unsure && !same_type(types, &sig->ret, proto->type))
		return xasprintf("type of the return value");
	return NULL;
}

/* Is it known that the code of a refused function takes other registers than its source says? */
static bool takes_others(const struct func *func)
{
	return func->reason == REASON_REGISTERS || func->reason == REASON_CODE ||
	       func->reason == REASON_CONVENTION;
}

static bool has_tag(const struct btf_image *img, u32 func, const char *text)
{
	const struct btf_type *t;
	u32 id;

	for (id = img->first_id; id < img->nr_types; id++) {
		t = type_by_id(img, id);
		if (btf_is_decl_tag(t) && t->type == func && !strcmp(type_name(img, t), text))
			return true;
	}
	return false;
}

/*
 * Since Linux 7.0, resolve_btfids leaves arguments that the verifier adds out of the FUNC of a
 * kfunc. The kernel attaches by the prototype that it keeps in a second FUNC, <name>_impl.
 */
static bool is_implied(const struct annotator *a, u32 id, const struct func *func)
{
	char *name = xasprintf("%s_impl", func->sym->name);
	u32 impl = annotator_find(a, BTF_KIND_FUNC, name, a->img->first_id), proto;

	free(name);
	proto = type_by_id(a->img, impl)->type;
	return impl && has_tag(a->img, id, "bpf_kfunc") &&
	       type_vlen(type_by_id(a->img, proto)) == func->sig->nr + func->sig->variadic;
}

/* What is false about FUNC @id, which the kernel takes for @func's? As find_lie(). */
static char *judge_input(const struct annotator *a, struct types *types, u32 id,
			 const struct func *func)
{
	u32 proto = type_by_id(a->img, id)->type;
	char *lie;

	if (!func->sig)
		return xstrdup(func->reason == REASON_CONVENTION ?
				       "another calling convention" :
				       "its code takes other registers");
	lie = find_lie(types, func->sig, type_by_id(a->img, proto));
	if (lie && is_implied(a, id, func)) {
		free(lie);
		return NULL;
	}
	return lie;
}

/* Judge all FUNCs of the name of function @i. */
static void judge_func(const struct judge *judge, struct types *types, u32 i)
{
	const struct btf_image *img = judge->a->img;
	const struct func *func = &judge->a->funcs->funcs[i];
	const struct btf_type *t;
	u32 id;
	char *lie;

	for (id = func->input; id; id = types->idx.next[id]) {
		t = type_by_id(img, id);
		if (id < img->first_id || !btf_is_func(t) ||
		    strcmp(type_name(img, t), func->sym->name))
			continue;
		lie = judge_input(judge->a, types, id, func);
		judge->inl->lies[id - img->first_id] = lie;
		if (!lie && !judge->inl->base_ids[i])
			judge->inl->base_ids[i] = id;
	}
}

static void judge_unit(void *ctx, u32 unit)
{
	const struct judge *judge = ctx;
	struct types types = { .idx = judge->a->types.idx, .own = judge->a->types.own };
	const struct funcs *funcs = judge->a->funcs;
	const struct func *func;
	u32 i;

	for (i = funcs->first_in[unit]; i; i = func->next_in) {
		func = &funcs->funcs[i - 1];
		/* at an address with several names, DWARF describes one of them */
		if (func->named && is_first(funcs, i - 1) && (func->sig || takes_others(func)))
			judge_func(judge, &types, i - 1);
	}
	u64map_free(&types.memo);
	types_seen_free(&types.seen);
}

/* The only FUNC of a function of which nothing is known counts as its own. */
static u32 only_input(const struct annotator *a, const struct inline_funcs *inl,
		      const struct func *func)
{
	const struct btf_index *idx = &a->types.idx;
	u32 id = func->input, other;

	if (!id || inl->lies[id - a->img->first_id])
		return 0;
	for (other = idx->next[id]; other; other = idx->next[other]) {
		if (btf_is_func(type_by_id(a->img, other)) &&
		    !strcmp(type_name(a->img, type_by_id(a->img, other)), func->sym->name))
			return 0;
	}
	return id;
}

void entries_find(struct inline_funcs *inl, struct annotator *a)
{
	struct judge judge = { a, inl };
	struct func *func;
	u32 i;

	inl->nr_lies = a->img->nr_types - a->img->first_id;
	inl->lies = xcalloc(inl->nr_lies, sizeof(*inl->lies));
	inl->entries = xcalloc(a->funcs->nr, sizeof(*inl->entries));
	annotator_leave_out(a);
	units_each(&a->funcs->units, judge_unit, &judge);
	for (i = 0; i < a->funcs->nr; i++) {
		func = &a->funcs->funcs[i];
		if (func->sym->ambiguous)
			inl->base_ids[i] = 0;
		else if (!inl->base_ids[i])
			inl->base_ids[i] = only_input(a, inl, func);
		if (inl->base_ids[i] || func->reason || !func->traceable)
			continue;
		inl->base_ids[i] = ENTRY_ID;
		inl->entries[inl->nr_entries++].func = i;
	}
}
