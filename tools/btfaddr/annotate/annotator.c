// SPDX-License-Identifier: GPL-2.0-only
/*
 * The input as libbpf has it, and what is added on top of it.
 */
#include <errno.h>

#include "annotate/annotator.h"

int annotator_load(struct annotator *a, const char *name)
{
	struct buf bytes = {};

	btf_image_write(a->img, BTF_WHOLE, BTF_ORDINARY, &bytes);
	a->base = btf__new(bytes.data, bytes.len);
	buf_free(&bytes);
	if (!a->base)
		return err("%s: .BTF is damaged: %s", name, strerror(errno));
	a->split = btf__new_empty_split(a->base);
	if (!a->split)
		return err("out of memory");
	types_init(&a->types, a->split, a->img->first_id);
	a->ulong_id = btf__find_by_name_kind(a->base, "long unsigned int", BTF_KIND_INT);
	a->offsets = btf_image_offsets(a->img);
	return 0;
}

void annotator_unload(struct annotator *a)
{
	types_free(&a->types);
	free(a->offsets);
	btf__free(a->split);
	btf__free(a->base);
	a->offsets = NULL;
	a->split = a->base = NULL;
}

int annotator_reload(struct annotator *a, const char *name)
{
	struct u64map memo = a->types.memo;

	memset(&a->types.memo, 0, sizeof(memo));
	annotator_unload(a);
	if (annotator_load(a, name)) {
		u64map_free(&memo);
		return -1;
	}
	a->types.memo = memo;
	types_retry(&a->types);
	return 0;
}

int annotator_flatten(struct annotator *a)
{
	struct btf_image add = {};
	const void *data;
	u32 len;
	int ret;

	data = btf__raw_data(a->split, &len);
	if (!data)
		return err("out of memory");
	ret = btf_image_parse(&add, "added types", data, len, true);
	if (!ret)
		btf_image_append(a->img, &add);
	btf_image_free(&add);
	return ret;
}
