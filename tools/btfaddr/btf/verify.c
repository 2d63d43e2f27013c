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
static const char *check_chain(const struct btf_image *img, const struct btf_type *t)
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
		t = type_by_id(img, t->type);
	}
	return NULL;
}

static int refuse(const struct btf_image *img, u32 id, const char *what, const char *name)
{
	const char *type = btf_image_str(img, type_by_id(img, id)->name_off);

	return err("%s: .BTF is damaged: type %u%s%s%s: %s", name, id, *type ? ", '" : "", type,
		   *type ? "'" : "", what);
}

typedef const char *(*check_fn)(const struct btf_image *img, const struct btf_type *t);

static int check_all(const struct btf_image *img, const char *name, check_fn check)
{
	const char *what;
	u32 id;

	for (id = img->first_id; id < img->nr_types; id++) {
		what = check(img, type_by_id(img, id));
		if (what)
			return refuse(img, id, what, name);
	}
	return 0;
}

int btf_verify_refs(const struct btf_image *img, const char *name)
{
	return check_all(img, name, check_refs);
}

int btf_verify(const struct btf_image *img, const char *name)
{
	if (img->nr_types - 1 > BTF_MAX_TYPE)
		return err("%s: .BTF has more than %u types", name, BTF_MAX_TYPE);
	/* chains come last, as the types that they are made of must be there */
	return check_all(img, name, check_type) || check_all(img, name, check_chain) ? -1 : 0;
}
