// SPDX-License-Identifier: GPL-2.0-only
/*
 * The FUNCs of the input for which no function was found, and the tags of the input.
 */
#include "annotate/settle_input.h"

/* Is there a function of that name that a program could be attached to? */
static bool has_resident_sym(const struct elf_file *file, const char *name)
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

	for (id = a->img->first_id; id < a->img->nr_types; id++) {
		t = type_by_id(a->img, id);
		if (!btf_is_func(t) || *btf_image_addr(a->img, id) != NO_ADDR)
			continue;
		name = type_name(a->img, t);
		if (has_resident_sym(a->file, name))
			remove_func(a, id, name);
		else if (elf_file_first_sym(a->file, name))
			a->stats->init++;
		else if (elf_file_has_renamed(a->file, name))
			remove_func(a, id, name);
		else
			a->stats->no_symbol++;
	}
}

/* The id of the FUNC at a symbol's address, which may have another name that is there; 0 if none. */
static u32 func_at(const struct annotator *a, const struct elf_sym *sym)
{
	u32 i = u64map_get(&a->funcs->by_addr, sym->addr);

	while (i && !a->funcs->funcs[i - 1].id)
		i = a->funcs->next_at[i - 1];
	return i ? a->funcs->funcs[i - 1].id : 0;
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
 * pahole's threads may have written several FUNCs for one function. The tags of those that were
 * removed go to the one that has the function. If none has it, the tags become copies of an
 * integer: that is the only kind of type that has their size and refers to nothing.
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
 * pahole knows kfuncs by name. They are global, and the FUNC of the name may be that of a static
 * function, which no program may call.
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

/* At which index prototype @to has the parameter that is number @idx in @from; -1 if nowhere. */
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
 * A tag on a parameter has the parameter's index. If a FUNC of the input got another prototype,
 * the parameter is looked up there by its name. If it is gone, the tag becomes one of the
 * function: tools, and the kernel where a user loads BTF (btf_decl_tag_resolve() in
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

void settle_input(struct annotator *a)
{
	a->removed = xcalloc(a->img->nr_types - a->img->first_id, sizeof(*a->removed));
	settle_input_funcs(a);
	settle_tags(a);
	move_param_tags(a);
	free(a->removed);
	a->removed = NULL;
}
