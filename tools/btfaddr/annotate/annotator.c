// SPDX-License-Identifier: GPL-2.0-only
/*
 * The input with its indexes, and what is appended to it.
 */
#include "annotate/annotator.h"
#include "btf/verify.h"

u32 annotator_find(const struct annotator *a, u32 kind, const char *name, u32 from)
{
	const struct btf_index *idx = &a->types.idx;
	const struct btf_type *t;
	u32 id;

	for (id = btf_index_first(idx, btf_key_named(kind, name)); id; id = idx->next[id]) {
		t = type_by_id(a->img, id);
		if (id >= from && type_kind(t) == kind && !strcmp(type_name(a->img, t), name))
			return id;
	}
	return 0;
}

static u32 find_ulong(const struct annotator *a)
{
	return annotator_find(a, BTF_KIND_INT, "long unsigned int", 0);
}

int annotator_load(struct annotator *a, const char *name)
{
	if (btf_verify_refs(a->img, name))
		return -1;
	types_init(&a->types, a->img);
	a->strs.img = a->img;
	a->ulong_id = find_ulong(a);
	return 0;
}

void annotator_unload(struct annotator *a)
{
	u32 i;

	for (i = 0; i < a->nr_lacking; i++)
		free(a->lacking[i]);
	free(a->lacking);
	types_free(&a->types);
	btf_strings_free(&a->strs);
	u64map_free(&a->corrected);
}

void annotator_update(struct annotator *a)
{
	types_index_added(&a->types);
	a->ulong_id = find_ulong(a);
}

u32 annotator_add_func(struct annotator *a, const char *name, u32 proto)
{
	struct btf_type t = {
		.name_off = btf_strings_add(&a->strs, name),
		.info = type_info(BTF_KIND_FUNC, BTF_FUNC_STATIC),
		.type = proto,
	};

	return btf_image_add_type(a->img, &t, NULL, 0);
}

u32 annotator_add_tag(struct annotator *a, u32 func, const char *text)
{
	struct btf_decl_tag tag = { .component_idx = -1 };
	struct btf_type t = {
		.name_off = btf_strings_add(&a->strs, text),
		.info = type_info(BTF_KIND_DECL_TAG, 0),
		.type = func,
	};

	return btf_image_add_type(a->img, &t, &tag, sizeof(tag));
}
