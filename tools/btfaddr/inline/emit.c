// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sorting the sites, and writing them: see format.h.
 */
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

u32 emit_id_of(const struct emit *emit, u32 unit, u32 def)
{
	return emit->inl->sources.funcs[emit->units[unit].defs[def].number].id;
}

static void collect_site(struct emit *emit, u32 unit, u32 i)
{
	const struct site *site = &emit->units[unit].sites[i];
	const struct code_section *code = elf_file_code_section(emit->file, site->addr);
	u32 id = emit_id_of(emit, unit, site->def);

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
		site->proto =
			proto_of(emit, site->unit, &emit->units[site->unit].sites[site->site]);
	}
}

/* Most paths are there already, in tags. */
static u32 add_path(struct btf_strings *strs, const char *path)
{
	char *tag = xasprintf("cu:%s", path);
	u32 off = btf_strings_find(strs, tag);

	free(tag);
	return off ? off + strlen("cu:") : btf_strings_add(strs, path);
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
		emit->files[i] = add_path(strs, pool_get(&emit->inl->files, i, &len));
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

static void add_loc_protos(const struct emit *emit, u32 first_param, struct buf *out)
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
	add_loc_protos(emit, next, out);
	for (i = 0; i < emit->nr;) {
		end = section_end(emit, i);
		if (end - i > MAX_VLEN)
			return err("%s: more than %u inline sites in a section", emit->file->path,
				   MAX_VLEN);
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
