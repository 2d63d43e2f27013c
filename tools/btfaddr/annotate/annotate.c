// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bringing functions and BTF together.
 *
 * 1. Of the names that an address has, one is chosen, as there is one FUNC for an address.
 *    Functions that ftrace can't patch are left out, if the input doesn't describe them: nothing
 *    can attach to these, and one of them makes a link of many functions fail. But functions in
 *    lists of BTF ids stay: raw tracepoints take their prototype from __bpf_trace_*(), which are
 *    notrace.
 * 2. The prototype of each function is looked up in the BTF, by the types that
 *    its DWARF type DIEs stand for, and added if no FUNC_PROTO equals it.
 * 3. A FUNC of the input goes to the first instance of its name that has its prototype; if
 *    there is no such FUNC, the first FUNC gets the first instance, and the prototype of that.
 *    FUNCs that are left over are removed.
 * 4. Instances left over get FUNCs of their own.
 *
 * So the first FUNC of a name and prototype, which loaders find by name, is that of the symbol
 * which the kernel finds by name.
 *
 * New types and strings are appended to the input, and continue its type ids and string offsets.
 */
#include "../fentry/lib/libfentry.h"
#include "annotate/add_types.h"
#include "annotate/annotate.h"

/*
 * The FUNCs of the input for which no function was found, and the tags of the input.
 */

/* The first function of this name in resident text that a program could be attached to, or NULL. */
static const struct elf_sym *resident_sym(const struct elf_file *file, const char *name)
{
	const struct elf_sym *sym = elf_file_first_sym(file, name);

	while (sym && !sym->resident)
		sym = elf_file_next_sym(file, sym);
	return sym;
}

/*
 * A FUNC whose signature is not established must not stay, as programs could be attached to it.
 * Type ids must not change. So the FUNC becomes "const void", which has the same size.
 */
static void remove_func(struct annotator *a, u32 id, const char *name)
{
	*own_type(a->img, id) = (struct btf_type){ .info = type_info(BTF_KIND_CONST, 0) };
	a->removed[id - a->img->first_id] = name;
	a->stats->removed++;
}

/* The name of a FUNC that was removed, else NULL. */
static const char *removed_name(const struct annotator *a, u32 id)
{
	return id < a->img->first_id ? NULL : a->removed[id - a->img->first_id];
}

bool input_covers_uses(const struct btf_image *img, u32 id, const struct func *func)
{
	u32 nr = btf_vlen(type_by_id(img, type_by_id(img, id)->type));

	return !(func->uses >> nr);
}

/*
 * May FUNC @id of the input stay without an address? DWARF doesn't tell whether it is true. But the
 * trampoline would keep all that the code may read, so nothing breaks.
 */
static bool is_harmless(const struct annotator *a, u32 id, const struct elf_sym *sym)
{
	const struct func *func = funcs_get(a->funcs, u64map_get(&a->funcs->by_addr, sym->addr));

	return func && func->reason == REASON_UNSTATED && !sym->ambiguous &&
	       input_covers_uses(a->img, id, func);
}

/*
 * Remove the FUNCs of the input that got no address although there is a function of their name
 * in resident text. Since 1.25, pahole may write the name that a function has in the source,
 * without the suffix that its symbol has.
 */
static void settle_input_funcs(struct annotator *a)
{
	const struct elf_sym *sym;
	const struct btf_type *t;
	const char *name;
	u32 id;

	for_each_type(id, t, a->img) {
		if (!btf_is_func(t) || *btf_image_addr(a->img, id) != NO_ADDR)
			continue;
		name = type_name(a->img, t);
		sym = resident_sym(a->file, name);
		if (sym && is_harmless(a, id, sym))
			continue;
		if (sym)
			remove_func(a, id, name);
		else if (elf_file_first_sym(a->file, name))
			a->stats->init++;
		else if (elf_file_has_renamed(a->file, name))
			remove_func(a, id, name);
		else
			a->stats->no_symbol++;
	}
}

/* The id of the FUNC at a symbol's address, whichever of the names there it has; 0 if none. */
static u32 func_at(const struct annotator *a, const struct elf_sym *sym)
{
	const struct func *func;

	for_each_at(func, a->funcs, sym->addr) {
		if (func->id)
			return func->id;
	}
	return 0;
}

/* If just one function has this name, the id of its FUNC; else 0. */
static u32 only_func(const struct annotator *a, const char *name)
{
	const struct elf_sym *sym = elf_file_first_sym(a->file, name);

	return sym && !sym->ambiguous ? func_at(a, sym) : 0;
}

/*
 * An integer of the input, with the word that follows it. If the input has none, one without a
 * name.
 */
static const struct btf_type *first_int(const struct annotator *a)
{
	static const u32 no_name[4] = { 0, BTF_KIND_INT << 24, 1, 8 };
	u32 id;

	for (id = 1; id < a->img->nr_types; id++) {
		if (btf_is_int(type_by_id(a->img, id)))
			return type_by_id(a->img, id);
	}
	return (const struct btf_type *)no_name;
}

/*
 * pahole's threads may have written several FUNCs for one function. The tags of a removed FUNC go
 * to the one that has the function. If no FUNC has it, each tag becomes a copy of an integer: only
 * integers have a tag's size and refer to nothing.
 */
static void settle_tag(struct annotator *a, u32 id, const char *name)
{
	u32 other = only_func(a, name);

	if (other)
		own_type(a->img, id)->type = other;
	else
		memcpy(own_type(a->img, id), first_int(a), sizeof(struct btf_type) + sizeof(u32));
}

/*
 * pahole tags kfuncs by name, so it may tag the FUNC of a static function. A kfunc is global, and
 * programs may not call the static function: the tag moves to the global one.
 */
static void settle_kfunc(struct annotator *a, struct btf_type *tag)
{
	const char *name = type_name(a->img, type_by_id(a->img, tag->type));
	const struct elf_sym *sym = elf_file_first_sym(a->file, name);

	while (sym && !sym->global)
		sym = elf_file_next_sym(a->file, sym);
	if (sym && func_at(a, sym))
		tag->type = func_at(a, sym);
}

static void settle_tags(struct annotator *a)
{
	struct btf_type *t;
	const char *name;
	u32 id;

	for (id = a->img->first_id; id < a->img->nr_types; id++) {
		t = own_type(a->img, id);
		if (!btf_is_decl_tag(t))
			continue;
		name = removed_name(a, t->type);
		if (name)
			settle_tag(a, id, name);
		else if (!strcmp(type_name(a->img, t), "bpf_kfunc"))
			settle_kfunc(a, t);
	}
}

/* The index in prototype @to of the parameter that has index @idx in @from; -1 if it is gone. */
static __s32 find_param(const struct btf_image *img, u32 from, u32 to, u32 idx)
{
	const struct btf_type *was = type_by_id(img, from), *is = type_by_id(img, to);
	const char *name;
	u32 i;

	if (!btf_is_func_proto(was) || idx >= btf_vlen(was))
		return -1;
	name = btf_image_str(img, btf_params(was)[idx].name_off);
	for (i = 0; i < btf_vlen(is); i++) {
		if (!strcmp(btf_image_str(img, btf_params(is)[i].name_off), name))
			return i;
	}
	return -1;
}

/*
 * A tag on a parameter has the parameter's index. If a FUNC of the input got another prototype, the
 * index becomes that of the parameter of the same name. If the parameter is gone, the tag becomes
 * one of the function: tools, and the kernel where a user loads BTF (btf_decl_tag_resolve() in
 * kernel/bpf/btf.c), refuse a tag on a parameter that isn't there.
 */
static void move_param_tags(struct annotator *a)
{
	struct btf_decl_tag *tag;
	struct btf_type *t;
	u32 id, was, is;

	for (id = a->img->first_id; id < a->img->nr_types; id++) {
		t = own_type(a->img, id);
		tag = (struct btf_decl_tag *)(t + 1);
		if (!btf_is_decl_tag(t) || tag->component_idx < 0)
			continue;
		was = u64map_get(&a->corrected, t->type);
		is = type_by_id(a->img, t->type)->type;
		if (was)
			tag->component_idx = find_param(a->img, was, is, tag->component_idx);
	}
}

/* Remove the FUNCs that are left over, after the others have their addresses. */
static void settle_input(struct annotator *a)
{
	ALLOC(a->removed, a->img->nr_types - a->img->first_id);
	settle_input_funcs(a);
	settle_tags(a);
	move_param_tags(a);
	free(a->removed);
	a->removed = NULL;
}

static enum suffix symbol_suffix(const char *name)
{
	if (symbol_has_suffix(name, ".llvm"))
		return SUFFIX_LLVM;
	if (symbol_has_suffix(name, ".isra"))
		return SUFFIX_ISRA;
	if (symbol_has_suffix(name, ".constprop"))
		return SUFFIX_CONSTPROP;
	if (symbol_has_suffix(name, ".part"))
		return SUFFIX_PART;
	return strchr(name, '.') ? SUFFIX_OTHER : SUFFIX_NONE;
}

/*
 * Of the names at an address, the FUNC gets that of the highest rank: one that DWARF describes,
 * then one that the input describes, a global one, that of the definition, any but __ia32_.
 */
static u32 name_rank(const struct func *func)
{
	return !!func->die.addr << 4 | !!func->input << 3 | func->sym->global << 2 |
	       (func->named && !func->codeless) << 1 | !starts_with(func->sym->name, "__ia32_");
}

/* Is there a better name at the function's address? Of equal ranks, the first by strcmp(). */
static bool has_better_name(const struct funcs *funcs, const struct func *func)
{
	u32 rank = name_rank(func), other_rank;
	const struct func *other;

	for_each_at(other, funcs, func->sym->addr) {
		other_rank = name_rank(other);
		if (other_rank > rank || (other_rank == rank && other < func))
			return true;
	}
	return false;
}

/*
 * Is a function to be described? If ftrace can't patch it, only if the input has a FUNC of its
 * name, and the kernel and loaders find this function by the name.
 */
static bool is_wanted(const struct funcs *funcs, const struct func *func)
{
	return func->useful || (func->input && func_is_first(funcs, func));
}

void annotator_leave_out(struct annotator *a)
{
	struct func *func;

	for_each(func, a->funcs->funcs, a->funcs->nr)
		func->input = annotator_find(a, BTF_KIND_FUNC, func->sym->name, a->img->first_id);
	for_each(func, a->funcs->funcs, a->funcs->nr) {
		if (func->reason == REASON_STATIC_CALL)
			continue;
		if (has_better_name(a->funcs, func))
			func->reason = REASON_OTHER_NAME;
		else if (!func->reason && !is_wanted(a->funcs, func))
			func->reason = REASON_UNTRACEABLE;
	}
}

/* Functions of one name are neighbours. What follows the last one of the name of @first. */
static struct func *name_end(const struct funcs *funcs, struct func *first)
{
	struct func *end = first + 1;

	while (first->sym->ambiguous && end < funcs->funcs + funcs->nr &&
	       !func_is_first(funcs, end))
		end++;
	return end;
}

static void set_addr(struct annotator *a, u32 id, const struct func *func)
{
	*btf_image_addr(a->img, id) = elf_file_place(a->file, func->sym->addr);
	a->img->nr_addrs++;
}

/* Give FUNC @id of the input to @func. */
static void take_func(struct annotator *a, u32 id, struct func *func)
{
	struct btf_type *t = own_type(a->img, id);

	if (t->type == func->proto) {
		a->stats->kept++;
	} else {
		a->stats->corrected++;
		u64map_set(&a->corrected, id, t->type);
	}
	t->type = func->proto;
	set_addr(a, id, func);
	func->id = id;
}

/* Give FUNC @id of the input to the first function that can have it. Returns whether one can. */
static bool give_func(struct annotator *a, u32 id, struct func *first, struct func *end,
		      bool any_proto)
{
	u32 proto = type_by_id(a->img, id)->type;
	struct func *func;

	for (func = first; func < end; func++) {
		if (!func->reason && !func->id && (any_proto || func->proto == proto)) {
			take_func(a, id, func);
			return true;
		}
	}
	return false;
}

/*
 * Give the FUNCs of the input to the functions of their name, in the order of ids and of functions.
 * pahole 1.24 writes one FUNC for a name, or several with -j, and each may have another function's
 * prototype.
 */
static void assign_input_funcs(struct annotator *a, struct func *first, struct func *end)
{
	bool given = false;
	int any_proto;
	u32 id;

	for (any_proto = 0; any_proto < 2 && !given; any_proto++) {
		for (id = first->input; id; id = annotator_next_input(a, first, id))
			given |= give_func(a, id, first, end, any_proto);
	}
}

static void add_func(struct annotator *a, struct func *func)
{
	func->id = annotator_add_func(a, func->sym->name, func->proto);
	set_addr(a, func->id, func);
	a->stats->added++;
}

void annotator_tag_files(struct annotator *a, u32 id, const char *unit, const char *file)
{
	if (unit)
		annotator_tag_path(a, id, UNIT_TAG, unit);
	if (file && (!unit || strcmp(file, unit)))
		annotator_tag_path(a, id, FILE_TAG, file);
}

/* Say which files this instance is from, as users tell instances apart by these. */
static void add_file_tags(struct annotator *a, const struct func *func)
{
	const char *unit = a->funcs->cus.paths[a->funcs->units.units[func->unit].path];
	u32 path;
	const char *name = func_file(a->funcs, func, &path);
	char *file = name ? cu_paths_file(&a->funcs->cus, path, name) : NULL;

	annotator_tag_files(a, func->id, unit, file);
	free(file);
}

void annotator_tag_changes(struct annotator *a, u32 id, const struct func *func)
{
	size_t types = a->img->types.len, strs = a->img->strs.len;

	if (func->source)
		annotator_tag_path(a, id, "source:", func->source);
	a->stats->source_bytes += a->img->types.len - types + a->img->strs.len - strs;
	if (func->sig->unsure)
		annotator_add_tag(a, id, "return:unsure");
}

/* Do two symbols have the same name up to the suffixes of the compiler? */
static bool same_base(const char *a, const char *b)
{
	size_t len = fentry_symbol__base_len(a);

	return len == fentry_symbol__base_len(b) && !strncmp(a, b, len);
}

/*
 * Users mean a function of the source: the name before the compiler's suffix. So if several
 * symbols have that name, each function of them needs the tags. Symbols are sorted by name, and no
 * character of a C name is less than a dot, so symbols of a base name are neighbours.
 */
static bool needs_file_tags(const struct elf_file *file, const struct func *func)
{
	const struct elf_sym *sym = func->sym, *end = file->syms + file->nr_syms;

	return func->id && ((sym > file->syms && same_base(sym->name, sym[-1].name)) ||
			    (sym + 1 < end && same_base(sym->name, sym[1].name)));
}

static void assign_funcs(struct annotator *a)
{
	struct func *func = a->funcs->funcs, *end;

	while (func < a->funcs->funcs + a->funcs->nr) {
		end = name_end(a->funcs, func);
		assign_input_funcs(a, func, end);
		for (; func < end; func++) {
			if (func->reason || func->id)
				continue;
			if (func->useful)
				add_func(a, func);
			else
				func->reason = REASON_UNTRACEABLE;
		}
	}
	/* tags come after all FUNCs, so that FUNCs stay together */
	for_each(func, a->funcs->funcs, a->funcs->nr) {
		if (needs_file_tags(a->file, func))
			add_file_tags(a, func);
		if (func->id)
			annotator_tag_changes(a, func->id, func);
	}
}

static void count_funcs(struct annotator *a)
{
	struct stats *stats = a->stats;
	const struct func *func;

	for_each(func, a->funcs->funcs, a->funcs->nr) {
		stats->seen++;
		stats->ambiguous_seen += func->sym->ambiguous;
		stats->left[func->reason]++;
		if (func->reason)
			continue;
		stats->annotated++;
		stats->ambiguous += func->sym->ambiguous;
		stats->changed += func->sig->changed;
		stats->dropped += func->returns == RETURNS_DROPPED;
		stats->by_suffix[symbol_suffix(func->sym->name)]++;
	}
}

int annotate(struct btf_image *img, const char *name, struct funcs *funcs, struct elf_file *file,
	     struct stats *stats)
{
	struct annotator a = {
		.img = img,
		.funcs = funcs,
		.file = file,
		.stats = stats,
	};
	int ret;

	ret = annotator_load(&a, name);
	if (!ret) {
		annotator_leave_out(&a);
		find_in_input(&a);
		ret = add_types(&a, name);
	}
	if (!ret) {
		add_protos(&a);
		assign_funcs(&a);
		settle_input(&a);
		count_funcs(&a);
	}
	annotator_unload(&a);
	return ret;
}
