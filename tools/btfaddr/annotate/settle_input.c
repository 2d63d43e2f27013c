// SPDX-License-Identifier: GPL-2.0-only
/*
 * The FUNCs of the input for which no function was found, and the tags of the input.
 */
#include "annotate/settle_input.h"

/* Is there a function of that name that a program could be attached to? */
static bool has_resident_sym(const struct elf_file *file, const char *name)
{
	const struct elf_sym *sym = elf_file_first_sym(file, name);

	for (; sym && sym < file->syms + file->nr_syms && !strcmp(sym->name, name); sym++) {
		if (sym->resident)
			return true;
	}
	return false;
}

/*
 * A FUNC whose signature is not established must not stay, as programs could be attached to it.
 * Type ids must not change. So the FUNC becomes "const void", which has the same size.
 */
static void remove_func(struct annotator *a, u32 id)
{
	struct btf_type nothing = { .info = BTF_KIND_CONST << 24 };

	memcpy(a->img->types.data + a->offsets[id], &nothing, sizeof(nothing));
	a->removed[id] = true;
	a->stats->removed++;
}

/*
 * Remove the FUNCs of the input that got no address although there is a function of their name
 * in resident text. Since 1.25, pahole may write the name that a function has in the source,
 * without the suffix that its symbol has.
 */
static void settle_input_funcs(struct annotator *a)
{
	const struct btf_type *t;
	const char *name;
	u32 id;

	for (id = a->img->first_id; id < btf__type_cnt(a->base); id++) {
		t = btf__type_by_id(a->base, id);
		if (!btf_is_func(t) || a->img->addrs[id] != NO_ADDR)
			continue;
		name = btf_type_name(a->base, t);
		if (has_resident_sym(a->file, name))
			remove_func(a, id);
		else if (elf_file_first_sym(a->file, name))
			a->stats->init++;
		else if (elf_file_has_renamed(a->file, name))
			remove_func(a, id);
		else
			a->stats->no_symbol++;
	}
}

/*
 * If just one function has this name, the id of its FUNC, which may have another name of the
 * function; else 0.
 */
static u32 only_func(const struct annotator *a, const char *name)
{
	const struct elf_sym *sym = elf_file_first_sym(a->file, name);
	u32 i = sym && !sym->ambiguous ? u64map_get(&a->funcs->by_addr, sym->addr) : 0;

	for (; i; i = a->funcs->next_at[i - 1]) {
		if (a->funcs->funcs[i - 1].id)
			return a->funcs->funcs[i - 1].id;
	}
	return 0;
}

/*
 * An integer of the input, with the word that follows it. If the input has none, one without a
 * name.
 */
static const struct btf_type *first_int(const struct annotator *a)
{
	static const u32 no_name[4] = { 0, BTF_KIND_INT << 24, 1, 8 };
	u32 id;

	for (id = 1; id < btf__type_cnt(a->base); id++) {
		if (btf_is_int(btf__type_by_id(a->base, id)))
			return btf__type_by_id(a->base, id);
	}
	return (const struct btf_type *)no_name;
}

/*
 * pahole's threads may have written several FUNCs for one function. The tags of those that were
 * removed go to the one that has the function. If none has it, the tags become copies of an
 * integer: that is the only kind of type that has their size and refers to nothing.
 */
static void settle_tag(struct annotator *a, u32 id, const struct btf_type *tag)
{
	u8 *p = a->img->types.data + a->offsets[id];
	const struct btf_type *func = btf__type_by_id(a->base, tag->type);
	u32 other = only_func(a, btf_type_name(a->base, func));
	struct btf_type moved = *tag;

	if (other) {
		moved.type = other;
		memcpy(p, &moved, sizeof(moved));
	} else {
		memcpy(p, first_int(a), sizeof(moved) + sizeof(u32));
	}
}

static void settle_tags(struct annotator *a)
{
	const struct btf_type *t;
	u32 id;

	for (id = a->img->first_id; id < btf__type_cnt(a->base); id++) {
		t = btf__type_by_id(a->base, id);
		if (btf_is_decl_tag(t) && a->removed[t->type])
			settle_tag(a, id, t);
	}
}

/* At which index prototype @to has the parameter that is number @idx in @from; -1 if nowhere. */
static __s32 find_param(const struct btf *btf, u32 from, u32 to, u32 idx)
{
	const struct btf_type *was = btf__type_by_id(btf, from), *is = btf__type_by_id(btf, to);
	const char *name;
	u32 i;

	if (idx >= btf_vlen(was))
		return -1;
	name = btf__name_by_offset(btf, btf_params(was)[idx].name_off);
	for (i = 0; i < btf_vlen(is); i++) {
		if (!strcmp(btf__name_by_offset(btf, btf_params(is)[i].name_off), name))
			return i;
	}
	return -1;
}

/*
 * A tag on a parameter has the parameter's index. If a FUNC of the input got another prototype,
 * the parameter is looked up there by its name. If it is gone, the tag becomes one of the
 * function: tools, and the kernel where a user loads BTF (btf_decl_tag_resolve() in
 * kernel/bpf/btf.c), refuse a tag on a parameter that isn't there.
 */
static void move_param_tags(struct annotator *a)
{
	const struct btf_type *t, *func;
	struct btf_type now;
	__s32 idx;
	u32 id;

	for (id = a->img->first_id; id < btf__type_cnt(a->base); id++) {
		t = btf__type_by_id(a->base, id);
		if (!btf_is_decl_tag(t) || btf_decl_tag(t)->component_idx < 0)
			continue;
		func = btf__type_by_id(a->base, t->type);
		if (!btf_is_func(func) || a->removed[t->type])
			continue;
		memcpy(&now, a->img->types.data + a->offsets[t->type], sizeof(now));
		if (now.type == func->type)
			continue;
		idx = find_param(a->split, func->type, now.type, btf_decl_tag(t)->component_idx);
		memcpy(a->img->types.data + a->offsets[id] + sizeof(now), &idx, sizeof(idx));
	}
}

void settle_input(struct annotator *a)
{
	a->removed = xcalloc(a->img->nr_types, sizeof(*a->removed));
	settle_input_funcs(a);
	settle_tags(a);
	move_param_tags(a);
	free(a->removed);
	a->removed = NULL;
}
