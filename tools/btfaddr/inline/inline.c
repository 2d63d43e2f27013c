// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the DWARF of a kernel or module to BTF of its inline sites.
 */
#include "annotate/annotator.h"
#include "inline/emit.h"
#include "inline/format.h"
#include "inline/inline.h"

static void add_unit_tag(struct annotator *a, u32 id, const char *path)
{
	char *tag = xasprintf("cu:%s", path);

	annotator_add_tag(a, id, tag);
	free(tag);
}

/* Which types have a tag that says their unit? */
static bool *tagged_types(const struct annotator *a)
{
	bool *tagged = xcalloc(a->img->nr_types, sizeof(*tagged));
	const struct btf_type *t;
	u32 id;

	for (id = a->img->first_id; id < a->img->nr_types; id++) {
		t = type_by_id(a->img, id);
		if (btf_is_decl_tag(t) && !strncmp(type_name(a->img, t), "cu:", 3))
			tagged[t->type] = true;
	}
	return tagged;
}

/* Tag each FUNC of the input with its unit, unless it has such a tag. */
static void tag_input(const struct inline_funcs *inl, struct annotator *a,
		      const struct funcs *funcs, bool *tagged)
{
	const struct func *func;
	u32 i, id;

	for (i = 0; i < funcs->nr; i++) {
		func = &funcs->funcs[i];
		id = inl->base_ids[i];
		if (!id || tagged[id] || !func->die.addr)
			continue;
		tagged[id] = true;
		add_unit_tag(a, id, funcs->cus.paths[funcs->units.units[func->unit].path]);
	}
}

/* A function without code of its own is tagged with the file that defines it, perhaps a header. */
static void tag_new(const struct inline_funcs *inl, struct annotator *a, const struct funcs *funcs,
		    bool *tagged)
{
	const char *path;
	u32 i, id;
	size_t len;

	for (i = 0; i < inl->nr; i++) {
		id = inl->sources.funcs[i].id;
		if (!id || tagged[id])
			continue;
		tagged[id] = true;
		path = inl->list[i].file ? pool_get(&inl->files, inl->list[i].file - 1, &len) :
					   funcs->cus.paths[inl->list[i].def->path];
		add_unit_tag(a, id, path);
	}
}

static void add_tags(const struct inline_funcs *inl, struct annotator *a, const struct funcs *funcs)
{
	bool *tagged = tagged_types(a);

	tag_input(inl, a, funcs, tagged);
	tag_new(inl, a, funcs, tagged);
	free(tagged);
}

/* How many bytes follow struct btf_type in each kind: once, and for each of its vlen elements. */
static void add_layout(struct buf *out)
{
	static const struct {
		u8 once, each, flags[2];
	} layout[NR_KINDS] = {
		[BTF_KIND_INT] = { 4, 0 },
		[BTF_KIND_ARRAY] = { sizeof(struct btf_array), 0 },
		[BTF_KIND_STRUCT] = { 0, sizeof(struct btf_member) },
		[BTF_KIND_UNION] = { 0, sizeof(struct btf_member) },
		[BTF_KIND_ENUM] = { 0, sizeof(struct btf_enum) },
		[BTF_KIND_FUNC_PROTO] = { 0, sizeof(struct btf_param) },
		[BTF_KIND_VAR] = { sizeof(struct btf_var), 0 },
		[BTF_KIND_DATASEC] = { 0, sizeof(struct btf_var_secinfo) },
		[BTF_KIND_DECL_TAG] = { sizeof(struct btf_decl_tag), 0 },
		[BTF_KIND_ENUM64] = { 0, sizeof(struct btf_enum64) },
		[KIND_LOC_PARAM] = { 4, 4 },
		[KIND_LOC_PROTO] = { 0, 4 },
		[KIND_LOCSEC] = { 0, sizeof(struct loc_site) },
	};

	buf_add(out, layout, sizeof(layout));
}

/* Write the file: everything that was added to the image after @before. */
static int write_bytes(const struct emit *emit, const struct btf_image *img,
		       const struct btf_image *before, struct buf *out)
{
	u32 hdr[LAYOUT_HEADER_SIZE / sizeof(u32)] = {
		BTF_MAGIC | BTF_VERSION << 16,
		img->layout ? LAYOUT_HEADER_SIZE : BTF_HEADER_SIZE,
	}, *type_len = &hdr[3], *str_off = &hdr[4], *str_len = &hdr[5], *layout = &hdr[6];
	static const u8 zeros[4];
	size_t start = out->len, body;

	buf_add(out, hdr, hdr[1]);
	body = out->len;
	buf_add(out, img->types.data + before->types.len, img->types.len - before->types.len);
	if (emit_types(emit, img->nr_types, out))
		return -1;
	*type_len = layout[0] = out->len - body;
	if (img->layout)
		add_layout(out);
	*str_off = out->len - body;
	layout[1] = *str_off - layout[0];
	*str_len = img->strs.len - before->strs.len;
	buf_add(out, img->strs.data + before->strs.len, *str_len);
	buf_add(out, zeros, -(out->len - start) % sizeof(zeros));
	memcpy(out->data + start, hdr, hdr[1]);
	return emit_origins(emit, before, out);
}

/* Everything that needs the DIEs. */
static int describe(struct annotator *a, const char *name, struct funcs *funcs,
		    const struct btf_image *before, struct buf *out)
{
	struct inline_funcs inl = { .base_ids = base_ids(a->img, funcs, a->file) };
	struct unit_sites *units = sites_read(funcs, a->file, &a->types.idx);
	struct emit emit = { .funcs = funcs, .file = a->file, .inl = &inl, .units = units };
	u32 unit, i;
	int ret;

	inline_funcs_merge(&inl, funcs, units);
	for (unit = 0; unit < funcs->units.nr; unit++) {
		for (i = 0; i < units[unit].nr_files; i++)
			inline_file(&inl, funcs, funcs->units.units[unit].path,
				    units[unit].files[i]);
	}
	ret = inline_funcs_describe(&inl, a, name);
	if (!ret) {
		add_tags(&inl, a, funcs);
		emit_collect(&emit);
		emit_strings(&emit, &a->strs);
		ret = write_bytes(&emit, a->img, before, out);
	}
	emit_free(&emit);
	inline_funcs_free(&inl);
	sites_free(units, funcs->units.nr);
	return ret;
}

int inline_write(struct btf_image *img, const char *name, struct funcs *funcs,
		 struct elf_file *file, struct buf *out)
{
	struct btf_image before = *img;
	struct stats stats = {};
	struct annotator a = {
		.img = img,
		.funcs = funcs,
		.file = file,
		.stats = &stats,
	};
	int ret;

	ret = annotator_load(&a, name);
	if (!ret)
		ret = describe(&a, name, funcs, &before, out);
	annotator_unload(&a);
	btf_image_cut(img, &before);
	return ret;
}
