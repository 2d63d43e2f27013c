// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel checks of BTF when it boots, or loads a module.
 */
#include "btf/check_type.h"
#include "btf/verify.h"

/* btf_check_type_tags() in kernel/bpf/btf.c */
#define MAX_CHAIN 32

/*
 * A pointer's type tags come before its modifiers: btf_check_type_tags() in kernel/bpf/btf.c.
 * It also wants such chains to have an end.
 */
static const char *check_chain(const struct btf_types *types, const struct btf_type *t)
{
	bool in_tags = btf_is_type_tag(t);
	u32 left;

	for (left = MAX_CHAIN; btf_is_mod(t) || btf_is_typedef(t); left--) {
		if (!left)
			return "the types that it refers to come to no end";
		if (btf_is_type_tag(t) && !in_tags)
			return "a type tag stands behind a modifier";
		in_tags = btf_is_type_tag(t);
		if (!t->type)
			break;
		t = type_by_id(types, t->type);
	}
	return NULL;
}

static int refuse(const struct btf_types *types, u32 id, const char *what, const char *name)
{
	const char *type = btf_image_str(types->img, type_by_id(types, id)->name_off);

	return err("%s: .BTF is damaged: type %u%s%s%s: %s", name, id, *type ? ", '" : "", type,
		   *type ? "'" : "", what);
}

static int verify_types(const struct btf_types *types, u32 first, const char *name)
{
	const char *what;
	u32 id;

	for (id = first; id < types->img->nr_types; id++) {
		what = check_type(types, type_by_id(types, id));
		if (what)
			return refuse(types, id, what, name);
	}
	return 0;
}

/* After verify_types(), as ids must be there. */
static int verify_chains(const struct btf_types *types, u32 first, const char *name)
{
	const char *what;
	u32 id;

	for (id = first; id < types->img->nr_types; id++) {
		what = check_chain(types, type_by_id(types, id));
		if (what)
			return refuse(types, id, what, name);
	}
	return 0;
}

int btf_verify(const struct btf_image *img, u32 first, const char *name)
{
	u32 *offsets = btf_image_offsets(img);
	struct btf_types types = { .img = img, .offsets = offsets };
	int ret = -1;

	if (img->nr_types - 1 > BTF_MAX_TYPE)
		err("%s: .BTF has more than %u types", name, BTF_MAX_TYPE);
	else
		ret = verify_types(&types, first, name) || verify_chains(&types, first, name) ?
			      -1 : 0;
	free(offsets);
	return ret;
}
