// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writing where the sites come from: see struct inline_origins.
 */
#include <elfutils/libdwelf.h>

#include "inline/emit.h"
#include "inline/format.h"

/**
 * struct last - what numbers are the difference from
 * @from: by whether it is nested, of the last such site
 * @file/@line: of the last site
 */
struct last {
	u32 from[2], file, line;
};

/* Index + 1 of the file of a call, 0 if its place is not known. */
static u32 file_of(const struct emit *emit, u32 unit, const struct site *site)
{
	const char *name;

	name = site->file == NO_FILE ? NULL : emit->units[unit].files[site->file];
	return name && site->line ? u64map_get(&emit->inl->by_name, (uintptr_t)name) : 0;
}

/* Where the code of a site was called from. */
static u32 origin_of(const struct emit *emit, u32 unit, const struct site *site, bool *nested_ret)
{
	u32 parent, id;

	*nested_ret = site->parent;
	if (site->parent) {
		parent = emit->index_of[unit][site->parent - 1];
		*nested_ret = parent != NOT_EMITTED;
		return *nested_ret ? parent : 0;
	}
	id = base_id_at(emit->funcs, emit->inl->base_ids, site->func);
	return id ? id : emit_id_of(emit, unit, site->caller);
}

static void add_number(struct buf *out, u64 val)
{
	u8 bytes[10];
	u32 nr = 0;

	for (; val > 0x7f; val >>= 7)
		bytes[nr++] = val | 0x80;
	bytes[nr++] = val;
	buf_add(out, bytes, nr);
}

static u64 difference(u32 val, u32 last)
{
	return val >= last ? 2 * (u64)(val - last) : 2 * (u64)(last - val) - 1;
}

static void add_origin(const struct emit *emit, const struct emitted *e, struct last *last,
		       struct buf *out)
{
	const struct site *site = &emit->units[e->unit].sites[e->site];
	u32 file = file_of(emit, e->unit, site), line = file ? site->line : 0, from;
	bool nested, same, same_file;

	file = file ? file - 1 : last->file;
	same_file = file == last->file;
	same = same_file && line == last->line;
	from = origin_of(emit, e->unit, site, &nested);
	add_number(out, difference(from, last->from[nested]) << ORIGIN_BITS | site->origin |
				(nested ? ORIGIN_NESTED : 0) | (same ? ORIGIN_SAME : 0));
	if (!same)
		add_number(out, difference(line, last->line) << 1 | !same_file);
	if (!same_file)
		add_number(out, difference(file, last->file));
	last->from[nested] = from;
	last->file = file;
	last->line = line;
}

/* The build id is what a note of that name and type has: see elf(5). */
static void read_build_id(struct elf_file *file, struct inline_origins *ret)
{
	const void *id = NULL;
	ssize_t len = dwelf_elf_gnu_build_id(file->elf, &id);

	if (len <= 0 || len > MAX_BUILD_ID)
		return;
	ret->build_id_len = len;
	memcpy(ret->build_id, id, len);
}

int emit_origins(const struct emit *emit, const struct btf_image *base, struct buf *out)
{
	struct inline_origins head = {
		.magic = ORIGINS_MAGIC,
		.nr_sites = emit->nr,
		.nr_files = emit->inl->files.nr,
		.base_types = base->nr_types,
		.base_strs = btf_image_strs_end(base),
	};
	struct last last = {};
	size_t start = out->len;
	u32 i;

	read_build_id(emit->file, &head);
	buf_add(out, &head, sizeof(head));
	buf_add(out, emit->files, head.nr_files * sizeof(u32));
	for (i = 0; i < emit->nr; i++)
		add_origin(emit, &emit->sites[i], &last, out);
	if (out->len - start > UINT32_MAX)
		return err("%s: more inline sites than this format holds", emit->file->path);
	head.len = out->len - start;
	memcpy(out->data + start, &head, sizeof(head));
	return 0;
}
