// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which function is inlined? DWARF has a definition in each unit that includes a header.
 *
 * If the unit also has out-of-line code of the function, the definition stands for that: its FUNC
 * has the address, and the unit as tag. Other definitions are of one function if name, types, and
 * the place in the source are equal. Their FUNC says where they are defined.
 */
#include <errno.h>

#include "annotate/add_types.h"
#include "annotate/annotate.h"
#include "btf/check.h"
#include "inline/functions.h"

const void *pool_get(const struct pool *pool, u32 nr, size_t *len_ret)
{
	u32 start = nr ? pool->ends[nr - 1] : 0;

	*len_ret = pool->ends[nr] - start;
	return pool->bytes.data + start;
}

u32 pool_add(struct pool *pool, const void *data, size_t len)
{
	u64 hash = hash_bytes(data, len);
	const void *had;
	size_t had_len;
	u32 nr;

	for (; (nr = u64map_get(&pool->by_hash, hash)); hash++) {
		had = pool_get(pool, nr - 1, &had_len);
		if (had_len == len && (!len || !memcmp(had, data, len)))
			return nr - 1;
	}
	buf_add(&pool->bytes, data, len);
	PUSH(pool->ends, pool->nr, pool->bytes.len);
	u64map_set(&pool->by_hash, hash, pool->nr);
	return pool->nr - 1;
}

void pool_free(struct pool *pool)
{
	buf_free(&pool->bytes);
	free(pool->ends);
	u64map_free(&pool->by_hash);
	memset(pool, 0, sizeof(*pool));
}

/* Find the functions of the input's FUNCs by address. */
static void ids_by_address(const struct btf_image *img, const struct funcs *funcs,
			   const struct elf_file *file)
{
	struct func *func;
	u64 addr;
	u32 id;

	for (id = img->first_id; id < img->nr_types; id++) {
		addr = *btf_image_addr(img, id);
		if (addr == NO_ADDR || !elf_file_addr(file, addr, &addr))
			continue;
		for_each_at(func, funcs, addr)
			func->id = id;
	}
}

/*
 * What BTF without addresses says of functions, and what it doesn't.
 *
 * A kernel whose BTF has no addresses attaches to a FUNC by name, to the first symbol of the name.
 * pahole wrote one FUNC for a name, mostly, and had no symbol in mind: the FUNC may be that of
 * another function, or of a definition that is only inlined. So each FUNC is held against the
 * function that the kernel would take. A function that no true FUNC leads to gets one in the file.
 */

/* FUNC @id of the input is judged by one thread only, as one function is the first of its name. */
struct judge {
	struct annotator *a;
	struct inline_funcs *inl;
};

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
		return xasprintf("%u parameter%s%s, not %u%s", nr, nr == 1 ? "" : "s",
				 variadic ? " and ..." : "", sig->nr,
				 sig->variadic ? " and ..." : "");
	for (i = 0; i < nr; i++) {
		/* nothing is known of a raw one but its register */
		if (!sig->params[i].raw && !same_type(types, &sig->params[i].type, params[i].type))
			return xasprintf("type of parameter %u", i + 1);
	}
	if (!sig->unsure && !same_type(types, &sig->ret, proto->type))
		return xasprintf("type of the return value");
	return NULL;
}

/* May the code of a refused function take other registers than a FUNC says? */
static bool takes_others(const struct func *func)
{
	return func->uses || func->reason == REASON_REGISTERS || func->reason == REASON_CODE ||
	       func->reason == REASON_CONVENTION;
}

static bool has_tag(const struct btf_image *img, u32 func, const char *text)
{
	const struct btf_type *t;
	u32 id;

	for_each_type(id, t, img) {
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

	if (func->reason == REASON_UNSTATED && input_covers_uses(a->img, id, func))
		return NULL;
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

/* Judge all FUNCs of the name of a function. */
static void judge_func(const struct judge *judge, struct types *types, struct func *func)
{
	u32 id;
	char *lie;

	for (id = func->input; id; id = annotator_next_input(judge->a, func, id)) {
		lie = judge_input(judge->a, types, id, func);
		judge->inl->lies[id - judge->a->img->first_id] = lie;
		if (!lie && !func->id)
			func->id = id;
	}
}

static void judge_unit(void *ctx, u32 unit)
{
	const struct judge *judge = ctx;
	struct types types = { .idx = judge->a->types.idx, .own = judge->a->types.own };
	const struct funcs *funcs = judge->a->funcs;
	struct func *func;

	for_each_in(func, funcs, unit) {
		/* at an address with several names, DWARF describes one of them */
		if (func->named && func_is_first(funcs, func) && (func->sig || takes_others(func)))
			judge_func(judge, &types, func);
	}
	u64map_free(&types.memo);
	types_seen_free(&types.seen);
}

/* The only FUNC of a function of which nothing is known counts as its own. */
static u32 only_input(const struct annotator *a, const struct inline_funcs *inl,
		      const struct func *func)
{
	u32 id = func->input;

	if (!id || inl->lies[id - a->img->first_id] || annotator_next_input(a, func, id))
		return 0;
	return id;
}

/* The part of inline_funcs_init() for BTF without addresses. */
static void entries_find(struct inline_funcs *inl, struct annotator *a)
{
	struct judge judge = { a, inl };
	struct func *func;

	inl->nr_lies = a->img->nr_types - a->img->first_id;
	ALLOC(inl->lies, inl->nr_lies);
	ALLOC(inl->entries, a->funcs->nr);
	annotator_leave_out(a);
	units_each(&a->funcs->units, judge_unit, &judge);
	for_each(func, a->funcs->funcs, a->funcs->nr) {
		if (func->sym->ambiguous)
			func->id = 0;
		else if (!func->id)
			func->id = only_input(a, inl, func);
		if (func->id || func->reason || !func->traceable)
			continue;
		func->id = ENTRY_ID;
		inl->entries[inl->nr_entries++].func = func;
	}
}

void inline_funcs_init(struct inline_funcs *inl, struct annotator *a)
{
	memset(inl, 0, sizeof(*inl));
	if (a->img->nr_addrs)
		ids_by_address(a->img, a->funcs, a->file);
	else
		entries_find(inl, a);
}

u32 base_id_at(const struct funcs *funcs, u32 func)
{
	while (func && !funcs->funcs[func - 1].id)
		func = funcs->funcs[func - 1].next_at;
	return func ? funcs->funcs[func - 1].id : 0;
}

u32 inline_file(struct inline_funcs *inl, const struct funcs *funcs, u32 path, const char *name)
{
	u32 i = name ? u64map_get(&inl->by_name, (uintptr_t)name) : 0;
	char *file;

	if (!name || i)
		return i;
	file = cu_paths_file(&funcs->cus, path, name);
	i = pool_add(&inl->files, file, strlen(file) + 1) + 1;
	free(file);
	u64map_set(&inl->by_name, (uintptr_t)name, i);
	return i;
}

/* Every caller gets a FUNC, since the file says which function of the source made a call. */
static void mark_callers(const struct funcs *funcs, struct unit_sites *unit)
{
	const struct site *site;

	for_each(site, unit->sites, unit->nr_sites) {
		if (!base_id_at(funcs, site->func))
			unit->defs[site->caller].needed = true;
	}
}

static u64 key_of(struct inline_funcs *inl, const struct funcs *funcs, const struct definition *def)
{
	u64 key = hash_mix(inline_file(inl, funcs, def->path, def->file), def->line);

	return hash_mix(hash_mix(key, hash_str(def->name)), def->nr_params);
}

static u64 key_in_unit(const struct funcs *funcs, const struct definition *def, u64 key)
{
	return hash_mix(key, hash_str(funcs->cus.paths[def->path]));
}

static bool same(const struct inline_func *func, const struct definition *def)
{
	return func->def->line == def->line && func->def->nr_params == def->nr_params &&
	       !strcmp(func->def->name, def->name);
}

/* The number of the function that @func->def defines. By a collision, several may have @key. */
static u32 merge(struct inline_funcs *inl, struct u64map *numbers, u64 key,
		 const struct inline_func *func)
{
	u32 i;

	for (; (i = u64map_get(numbers, key)); key++) {
		if (same(&inl->list[i - 1], func->def)) {
			inl->list[i - 1].in_units |= inl->list[i - 1].def->path != func->def->path;
			return i - 1;
		}
	}
	GROW(inl->list, inl->nr);
	inl->list[inl->nr++] = *func;
	u64map_set(numbers, key, inl->nr);
	return inl->nr - 1;
}

static void merge_unit(struct inline_funcs *inl, const struct funcs *funcs, struct unit_sites *unit,
		       const struct u64map *out_of_line, struct u64map *numbers)
{
	struct definition *def;
	struct inline_func func;
	u64 key, in_unit;

	for_each(def, unit->defs, unit->nr_defs) {
		if (!def->needed)
			continue;
		key = key_of(inl, funcs, def);
		in_unit = key_in_unit(funcs, def, key);
		func = (struct inline_func){
			.def = def,
			.func = u64map_get(out_of_line, in_unit),
			.file = inline_file(inl, funcs, def->path, def->file),
		};
		if (func.func)
			key = hash_mix(1, func.func);
		else
			key = def->types ? hash_mix(key, def->types) : in_unit;
		def->number = merge(inl, numbers, key, &func);
	}
}

/* Which functions with a FUNC does each unit have out of line? */
static void find_out_of_line(struct inline_funcs *inl, const struct funcs *funcs,
			     const struct unit_sites *unit, struct u64map *out_of_line)
{
	const struct definition *def;

	for_each(def, unit->defs, unit->nr_defs) {
		if (def->func && funcs->funcs[def->func - 1].id)
			u64map_set(out_of_line, key_in_unit(funcs, def, key_of(inl, funcs, def)),
				   def->func);
	}
}

/* The functions of the source, and then those that get an entry, with the signatures they have. */
static void make_sources(struct inline_funcs *inl, struct funcs *funcs, const u32 *unit_of)
{
	struct func *source;
	u32 i;

	ALLOC(inl->syms, inl->nr);
	inl->sources = (struct funcs){
		.file = funcs->file,
		.units = funcs->units,
		.nr = inl->nr + inl->nr_entries,
	};
	ALLOC(inl->sources.funcs, inl->sources.nr);
	for (i = 0; i < inl->nr; i++) {
		inl->syms[i].name = inl->list[i].def->name;
		source = &inl->sources.funcs[i];
		source->sym = &inl->syms[i];
		source->die = inl->list[i].def->die;
		source->unit = unit_of[i];
	}
	for (i = 0; i < inl->nr_entries; i++) {
		source = &inl->sources.funcs[inl->nr + i];
		*source = *inl->entries[i].func;
		/* Now owned by the copy. */
		inl->entries[i].func->sig = NULL;
	}
	funcs_group_by_unit(&inl->sources);
}

void inline_funcs_merge(struct inline_funcs *inl, struct funcs *funcs, struct unit_sites *units)
{
	struct u64map out_of_line = {}, numbers = {};
	u32 *unit_of = NULL, unit, nr = 0;

	for (unit = 0; unit < funcs->units.nr; unit++) {
		mark_callers(funcs, &units[unit]);
		find_out_of_line(inl, funcs, &units[unit], &out_of_line);
	}
	for (unit = 0; unit < funcs->units.nr; unit++) {
		merge_unit(inl, funcs, &units[unit], &out_of_line, &numbers);
		while (nr < inl->nr) {
			PUSH(unit_of, nr, unit);
		}
	}
	make_sources(inl, funcs, unit_of);
	free(unit_of);
	u64map_free(&out_of_line);
	u64map_free(&numbers);
}

/* Give a function the signature of one of which nothing is known, void f(...). */
static void set_unknown(struct func *source)
{
	func_drop_signature(source);
	ALLOC(source->sig, 1);
	source->sig->variadic = true;
	source->reason = REASON_NONE;
}

static void read_source(struct func *source)
{
	struct signature *sig;
	struct source src;
	u32 i;

	/* it doesn't matter where the out-of-line function has its parameters */
	if (source_read(&source->die, &source->cc, source->sym->name, UINT64_MAX, true, NULL, 0,
			&src)) {
		set_unknown(source);
		return;
	}
	sig = xcalloc(1, offsetof(struct signature, params) + src.nr * sizeof(*sig->params));
	sig->variadic = src.variadic;
	sig->ret = src.ret;
	sig->nr = src.nr;
	for (i = 0; i < src.nr; i++) {
		sig->params[i].name = src.params[i].name;
		sig->params[i].type = src.params[i].type;
	}
	source->sig = sig;
}

static void read_sources(void *ctx, u32 unit)
{
	struct funcs *sources = ctx;
	struct compiler cc;
	struct func *func;

	compiler_read(&sources->units.units[unit].die, sources->file->arch, &cc);
	for_each_in(func, sources, unit) {
		if (func->sig)
			continue;
		func->cc = cc;
		read_source(func);
	}
}

/* Does a FUNC of the input have the types that the source declares? */
static bool is_source(const struct annotator *a, u32 id, const struct func *source)
{
	const struct btf_type *t = type_by_id(a->img, id);

	return btf_is_func(t) && t->type == source->proto &&
	       !strcmp(type_name(a->img, t), source->sym->name);
}

static void add_func(struct inline_funcs *inl, struct annotator *a, const struct funcs *funcs,
		     u32 i)
{
	struct func *source = &inl->sources.funcs[i], *func = funcs_get(funcs, inl->list[i].func);
	u32 id = func ? func->id : 0;

	if (!is_source(a, id, source))
		id = annotator_add_func(a, source->sym->name, source->proto);
	source->id = id;
}

/* Each entry's FUNC has the symbol's name. */
static void add_entry_func(struct inline_funcs *inl, struct annotator *a, u32 i)
{
	struct func *source = &inl->sources.funcs[inl->nr + i];

	source->id = annotator_add_func(a, source->sym->name, source->proto);
	inl->entries[i].func->id = source->id;
}

int inline_funcs_describe(struct inline_funcs *inl, struct annotator *a, const char *name)
{
	const struct funcs *funcs = a->funcs;
	struct func *source;
	u32 i;

	units_each(&inl->sources.units, read_sources, &inl->sources);
	a->funcs = &inl->sources;
	find_in_input(a);
	if (add_types(a, name))
		return -1;
	add_protos(a);
	/* a call without known types is still a call, so it is kept */
	for (i = 0; i < inl->sources.nr; i++) {
		source = &inl->sources.funcs[i];
		if (!source->reason)
			continue;
		set_unknown(source);
		if (i >= inl->nr)
			inl->entries[i - inl->nr].unknown = true;
	}
	add_protos(a);
	for (i = 0; i < inl->nr_entries; i++)
		add_entry_func(inl, a, i);
	for (i = 0; i < inl->nr; i++) {
		if (btf_name_valid(inl->syms[i].name))
			add_func(inl, a, funcs, i);
	}
	return 0;
}

void inline_funcs_free(struct inline_funcs *inl)
{
	struct func *source;
	u32 i;

	for_each(source, inl->sources.funcs, inl->sources.nr) {
		func_drop_signature(source);
		free(source->lacking);
	}
	for (i = 0; i < inl->nr_lies; i++)
		free(inl->lies[i]);
	free(inl->lies);
	free(inl->entries);
	free(inl->sources.funcs);
	free(inl->sources.first_in);
	free(inl->syms);
	free(inl->list);
	pool_free(&inl->files);
	u64map_free(&inl->by_name);
}
