// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sorting the sites, and writing them: see format.h.
 */
#include <elfutils/libdwelf.h>

#include "inline/emit.h"
#include "inline/format.h"

static int cmp_sites(const void *a, const void *b)
{
	const struct emitted *x = a, *y = b;

	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	if (x->func != y->func)
		return x->func < y->func ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return (x->site > y->site) - (x->site < y->site);
}

static u32 id_of(const struct emit *emit, u32 unit, u32 def)
{
	return emit->inl->sources.funcs[emit->units[unit].defs[def].number].id;
}

static void collect_site(struct emit *emit, u32 unit, u32 i)
{
	const struct site *site = &emit->units[unit].sites[i];
	const struct code_section *code = elf_file_code_section(emit->file, site->addr);
	u32 id = id_of(emit, unit, site->def);

	if (!id)
		return;
	GROW(emit->sites, emit->nr, emit->cap);
	emit->sites[emit->nr++] = (struct emitted){
		.section = code - emit->file->code,
		.func = id,
		.offset = site->addr - code->addr,
		.unit = unit,
		.site = i,
	};
}

/* The LOC_PROTO of a site has as many parameters as the FUNC's prototype. */
static u32 proto_of(struct emit *emit, u32 unit, const struct site *site)
{
	const struct unit_sites *from = &emit->units[unit];
	u32 number = from->defs[site->def].number, i, nr, params[MAX_PARAMS] = {};
	const struct signature *sig = emit->inl->sources.funcs[number].sig;
	const struct loc_param *locs = from->locs + site->first_loc;

	nr = sig->nr == from->defs[site->def].nr_params ? sig->nr : 0;
	for (i = 0; i < nr; i++) {
		if (locs[i].nr)
			params[i] = pool_add(&emit->params, &locs[i], sizeof(locs[i])) + 1;
	}
	return pool_add(&emit->protos, params, (sig->nr + sig->variadic) * sizeof(*params));
}

void emit_collect(struct emit *emit)
{
	u32 unit, i;

	emit->index_of = xcalloc(emit->funcs->units.nr, sizeof(*emit->index_of));
	for (unit = 0; unit < emit->funcs->units.nr; unit++) {
		emit->index_of[unit] = xcalloc(emit->units[unit].nr_sites, sizeof(u32));
		for (i = 0; i < emit->units[unit].nr_sites; i++) {
			emit->index_of[unit][i] = NOT_EMITTED;
			collect_site(emit, unit, i);
		}
	}
	if (emit->nr)
		qsort(emit->sites, emit->nr, sizeof(*emit->sites), cmp_sites);
	for (i = 0; i < emit->nr; i++) {
		struct emitted *site = &emit->sites[i];

		emit->index_of[site->unit][site->site] = i;
		site->proto = proto_of(emit, site->unit,
				       &emit->units[site->unit].sites[site->site]);
	}
}

void emit_strings(struct emit *emit, struct btf_strings *strs)
{
	const struct code_section *code = emit->file->code;
	size_t len;
	char *name;
	u32 i;

	emit->section_names = xcalloc(emit->file->nr_code, sizeof(u32));
	emit->files = xcalloc(emit->inl->files.nr, sizeof(u32));
	for (i = 0; i < emit->nr; i++) {
		u32 section = emit->sites[i].section;

		if (emit->section_names[section])
			continue;
		name = xasprintf("inline%s%s", *code[section].name == '.' ? "" : ".",
				 code[section].name);
		emit->section_names[section] = btf_strings_add(strs, name);
		free(name);
	}
	for (i = 0; i < emit->inl->files.nr; i++)
		emit->files[i] = btf_strings_add(strs, pool_get(&emit->inl->files, i, &len));
}

static void add_u32(struct buf *out, u32 val)
{
	buf_add(out, &val, sizeof(val));
}

/* struct btf_type */
static void add_type(struct buf *out, u32 name, u32 kind, u32 vlen, u32 size)
{
	add_u32(out, name);
	add_u32(out, KIND_INFO(kind, vlen));
	add_u32(out, size);
}

static void add_params(const struct emit *emit, struct buf *out)
{
	struct loc_param loc;
	size_t len;
	u32 i;

	for (i = 0; i < emit->params.nr; i++) {
		memcpy(&loc, pool_get(&emit->params, i, &len), sizeof(loc));
		add_type(out, 0, KIND_LOC_PARAM, loc.nr, loc.size);
		add_u32(out, loc.flags);
		buf_add(out, loc.vals, loc.nr * sizeof(*loc.vals));
	}
}

static void add_protos(const struct emit *emit, u32 first_param, struct buf *out)
{
	const u32 *params;
	size_t len, k;
	u32 i;

	for (i = 0; i < emit->protos.nr; i++) {
		params = pool_get(&emit->protos, i, &len);
		add_type(out, 0, KIND_LOC_PROTO, len / sizeof(*params), 0);
		for (k = 0; k < len / sizeof(*params); k++)
			add_u32(out, params[k] ? first_param + params[k] - 1 : 0);
	}
}

static u32 section_end(const struct emit *emit, u32 first)
{
	u32 end = first;

	while (end < emit->nr && emit->sites[end].section == emit->sites[first].section)
		end++;
	return end;
}

int emit_types(const struct emit *emit, u32 next, struct buf *out)
{
	u32 first_proto = next + emit->params.nr, i, end;

	add_params(emit, out);
	add_protos(emit, next, out);
	for (i = 0; i < emit->nr;) {
		end = section_end(emit, i);
		if (end - i > MAX_VLEN)
			return err("%s: more than %u inline sites in a section",
				   emit->file->path, MAX_VLEN);
		add_type(out, emit->section_names[emit->sites[i].section], KIND_LOCSEC, end - i, 0);
		for (; i < end; i++) {
			add_u32(out, emit->sites[i].func);
			add_u32(out, first_proto + emit->sites[i].proto);
			add_u32(out, emit->sites[i].offset);
		}
	}
	return 0;
}

void emit_free(struct emit *emit)
{
	u32 i;

	for (i = 0; emit->index_of && i < emit->funcs->units.nr; i++)
		free(emit->index_of[i]);
	free(emit->index_of);
	free(emit->sites);
	free(emit->section_names);
	free(emit->files);
	pool_free(&emit->params);
	pool_free(&emit->protos);
}

static u32 site_file(const struct emit *emit, u32 unit, const struct site *site)
{
	const char *name;

	name = site->file == NO_FILE ? NULL : emit->units[unit].files[site->file];
	return name ? u64map_get(&emit->inl->by_name, (uintptr_t)name) : 0;
}

/* Where the code of a site was called from. */
static u32 origin_of(const struct emit *emit, u32 unit, const struct site *site)
{
	u32 parent, id;

	if (site->parent) {
		parent = emit->index_of[unit][site->parent - 1];
		return (parent == NOT_EMITTED ? 0 : parent | ORIGIN_NESTED) | site->origin;
	}
	id = base_id_at(emit->funcs, emit->inl->base_ids, site->func);
	return (id ? id : id_of(emit, unit, site->caller)) | site->origin;
}

static u32 max_line(const struct emit *emit)
{
	u32 max = 0, i, line;

	for (i = 0; i < emit->nr; i++) {
		line = emit->units[emit->sites[i].unit].sites[emit->sites[i].site].line;
		max = line > max ? line : max;
	}
	return max;
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
	u32 i, line = max_line(emit);
	u64 len = sizeof(head) + head.nr_files * sizeof(u32);

	len += (u64)emit->nr * sizeof(struct inline_origin);
	head.line_bits = line ? 32 - __builtin_clz(line) : 0;
	if (len > UINT32_MAX || emit->nr >= ORIGIN_EMPTY ||
	    (u64)head.nr_files << head.line_bits > UINT32_MAX)
		return err("%s: more inline sites, files or lines than this format holds",
			   emit->file->path);
	head.len = len;
	read_build_id(emit->file, &head);
	buf_add(out, &head, sizeof(head));
	buf_add(out, emit->files, head.nr_files * sizeof(u32));
	for (i = 0; i < emit->nr; i++) {
		const struct emitted *e = &emit->sites[i];
		const struct site *site = &emit->units[e->unit].sites[e->site];
		u32 file = site_file(emit, e->unit, site);

		add_u32(out, origin_of(emit, e->unit, site));
		add_u32(out, file && site->line ? (file - 1) << head.line_bits | site->line : 0);
	}
	return 0;
}
