// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include <bpf/btf.h>

#include "distill.h"

static struct btf *to_btf(const struct btf_image *img, enum btf_part part, enum btf_form form,
			  struct btf *base)
{
	struct buf raw = {};
	struct btf *btf;

	btf_image_write(img, part, form, &raw);
	btf = btf__new_split(raw.data, raw.len, base);
	buf_free(&raw);
	return btf;
}

static int parse(struct btf_image *img, const char *name, const struct btf *btf, bool split)
{
	const void *data;
	u32 len;

	data = btf__raw_data(btf, &len);
	if (!data)
		return err("out of memory");
	return btf_image_parse(img, name, data, len, split);
}

/* Put @base and what stands on it in the place of @img. */
static int replace(struct btf_image *img, const char *name, const struct btf *base,
		   const struct btf *own)
{
	struct btf_image new = {}, add = {};
	int ret;

	ret = parse(&new, name, base, false) || parse(&add, name, own, true) ? -1 : 0;
	if (ret) {
		btf_image_free(&new);
	} else {
		btf_image_make_base(&new);
		btf_image_append(&new, &add);
		btf_image_free(img);
		*img = new;
	}
	btf_image_free(&add);
	return ret;
}

int distill(struct btf_image *img, const char *name)
{
	struct btf *base, *own = NULL, *new_base = NULL, *new_own = NULL;
	int ret;

	base = to_btf(img, BTF_BASE, BTF_ORDINARY, NULL);
	/* addresses go along with their functions, whose ids change */
	if (base)
		own = to_btf(img, BTF_OWN, BTF_EXTENDED, base);
	if (own && !btf__distill_base(own, &new_base, &new_own))
		ret = replace(img, name, new_base, new_own);
	else
		ret = err("%s: cannot distill its base: %s", name, strerror(errno));
	btf__free(new_own);
	btf__free(new_base);
	btf__free(own);
	btf__free(base);
	return ret;
}
