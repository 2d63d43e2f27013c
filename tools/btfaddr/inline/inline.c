// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the DWARF of a kernel or module to BTF of its inline sites.
 */
#include <elfutils/libdwelf.h>

#include "code/call_sites.h"
#include "inline/format.h"
#include "inline/functions.h"
#include "inline/inline.h"

/**
 * struct emitted - a site as it is written
 * @section: index of its section in file->code; of an entry, that plus file->nr_code
 * @func: id of the FUNC
 * @offset: from where the section begins
 * @unit/@site: where it is in what was read; of an entry, @site is its number in @inl->entries
 * @proto: number in @protos of struct emit
 */
struct emitted {
	u32 section, func, offset;
	u32 unit, site;
	u32 proto;
};

/**
 * struct emit - what is written, sorted
 * @sites: by section, FUNC and offset; the first @nr_inlined aren't entries
 * @index_of: by unit, by site, where it is in @sites, or NOT_EMITTED
 * @params: contents of LOC_PARAMs; @protos: those of LOC_PROTOs, as numbers of parameters + 1
 * @section_names/@files: string offsets; the former by @section of struct emitted
 * @called: functions that are called directly, sorted by FUNC
 */
#define NOT_EMITTED UINT32_MAX

struct emit {
	const struct funcs *funcs;
	struct elf_file *file;
	const struct inline_funcs *inl;
	struct unit_sites *units;
	struct emitted *sites;
	u32 nr, nr_inlined;
	u32 **index_of;
	struct pool params, protos;
	u32 *section_names, *files;
	struct called *called;
	u32 nr_called;
};

/*
 * Sorting the sites, and writing them: see format.h.
 */

static int cmp_sites(const void *a, const void *b)
{
	const struct emitted *x = a, *y = b;

	int ret = compare(x->section, y->section);

	ret = ret ?: compare(x->func, y->func);
	ret = ret ?: compare(x->offset, y->offset);
	ret = ret ?: compare(x->unit, y->unit);
	return ret ?: compare(x->site, y->site);
}

/* The FUNC of definition @def of a unit, 0 if it has none. */
static u32 emit_id_of(const struct emit *emit, u32 unit, u32 def)
{
	return emit->inl->sources.funcs[emit->units[unit].defs[def].number].id;
}

static struct emitted *add_emitted(struct emit *emit, u32 id, u64 addr)
{
	const struct code_section *code = elf_file_code_section(emit->file, addr);

	PUSH(emit->sites, emit->nr, .section = code - emit->file->code, .func = id,
	     .offset = addr - code->addr);
	return &emit->sites[emit->nr - 1];
}

static void collect_site(struct emit *emit, u32 unit, u32 i)
{
	const struct site *site = &emit->units[unit].sites[i];
	u32 id = emit_id_of(emit, unit, site->def);
	struct emitted *e;

	if (!id)
		return;
	e = add_emitted(emit, id, site->addr);
	e->unit = unit;
	e->site = i;
}

static void collect_entries(struct emit *emit)
{
	const struct func *source;
	struct emitted *e;
	u32 i;

	for (i = 0; i < emit->inl->nr_entries; i++) {
		if (emit->inl->entries[i].unknown)
			continue;
		source = &emit->inl->sources.funcs[emit->inl->nr + i];
		e = add_emitted(emit, source->id, source->sym->addr);
		e->section += emit->file->nr_code;
		e->site = i;
	}
}

static void set_loc(const struct arch *arch, const struct sig_place *place, struct loc_param *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (!place->size || place->size > MAX_LOC_SIZE)
		return;
	ret->size = place->size;
	if (place->nr_regs) {
		ret->flags = LOC_REG;
		ret->nr = place->nr_regs;
		ret->vals[0] = arch->dwarf_args[place->reg];
		ret->vals[1] = ret->nr > 1 ? arch->dwarf_args[place->reg + 1] : 0;
	} else {
		ret->flags = LOC_REG | LOC_DEREF;
		ret->nr = 1;
		ret->vals[0] = arch->dwarf_sp;
		ret->vals[1] = arch->stack_args + place->stack;
		/* there is no way to state an offset of 0 */
		if (ret->vals[1]) {
			ret->flags |= LOC_OFFSET;
			ret->nr = 2;
		}
	}
}

/* The LOC_PROTO of a function's entry. */
static u32 entry_proto(struct emit *emit, u32 entry)
{
	const struct func *source = &emit->inl->sources.funcs[emit->inl->nr + entry];
	const struct signature *sig = source->sig;
	bool hidden = emit->file->arch->ret_is_arg && sig->ret.addr && source->returns_memory;
	struct sig_place places[MAX_PARAMS];
	u32 i, params[MAX_PARAMS] = {};
	struct loc_param loc;

	if (signature_places(sig, emit->file->arch, hidden, places)) {
		for (i = 0; i < sig->nr; i++) {
			set_loc(emit->file->arch, &places[i], &loc);
			if (loc.nr)
				params[i] = pool_add(&emit->params, &loc, sizeof(loc)) + 1;
		}
	}
	return pool_add(&emit->protos, params, (sig->nr + sig->variadic) * sizeof(*params));
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

/* Sort the sites, and number what they need. */
static void emit_collect(struct emit *emit)
{
	u32 unit, i;

	ALLOC(emit->index_of, emit->funcs->units.nr);
	for (unit = 0; unit < emit->funcs->units.nr; unit++) {
		ALLOC(emit->index_of[unit], emit->units[unit].nr_sites);
		for (i = 0; i < emit->units[unit].nr_sites; i++) {
			emit->index_of[unit][i] = NOT_EMITTED;
			collect_site(emit, unit, i);
		}
	}
	emit->nr_inlined = emit->nr;
	collect_entries(emit);
	array_sort(emit->sites, emit->nr, sizeof(*emit->sites), cmp_sites);
	for (i = 0; i < emit->nr_inlined; i++) {
		struct emitted *site = &emit->sites[i];

		emit->index_of[site->unit][site->site] = i;
		site->proto =
			proto_of(emit, site->unit, &emit->units[site->unit].sites[site->site]);
	}
	for (; i < emit->nr; i++)
		emit->sites[i].proto = entry_proto(emit, emit->sites[i].site);
}

static u32 find_path(struct btf_strings *strs, const char *prefix, const char *path)
{
	char *tag = xasprintf("%s%s", prefix, path);
	u32 off = btf_strings_find(strs, tag);

	free(tag);
	return off ? off + strlen(prefix) : 0;
}

/* Most paths are there already, in tags. */
static u32 add_path(struct btf_strings *strs, const char *path)
{
	return find_path(strs, UNIT_TAG, path)	       ?:
		       find_path(strs, FILE_TAG, path) ?:
							 btf_strings_add(strs, path);
}

/* Add the strings that the sites need. */
static void emit_strings(struct emit *emit, struct btf_strings *strs)
{
	const struct code_section *code = emit->file->code;
	const char *from;
	size_t len;
	char *name;
	u32 i;

	ALLOC(emit->section_names, 2 * emit->file->nr_code);
	ALLOC(emit->files, emit->inl->files.nr);
	for (i = 0; i < emit->nr; i++) {
		u32 section = emit->sites[i].section;

		if (emit->section_names[section])
			continue;
		from = code[section % emit->file->nr_code].name;
		name = xasprintf("%s%s%s", i < emit->nr_inlined ? "inline" : "entry",
				 *from == '.' ? "" : ".", from);
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

/* Append the LOC kinds to @out. @next: id of the first. Returns 0, or -1 after an error message. */
static int emit_types(const struct emit *emit, u32 next, struct buf *out)
{
	u32 first_proto = next + emit->params.nr, i, end;

	add_params(emit, out);
	add_loc_protos(emit, next, out);
	for (i = 0; i < emit->nr;) {
		end = section_end(emit, i);
		if (end - i > MAX_VLEN)
			return err("%s: more than %u sites in a section", emit->file->path,
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

static void emit_free(struct emit *emit)
{
	u32 i;

	for (i = 0; emit->index_of && i < emit->funcs->units.nr; i++)
		free(emit->index_of[i]);
	free(emit->index_of);
	free(emit->sites);
	free(emit->section_names);
	free(emit->files);
	free(emit->called);
	pool_free(&emit->params);
	pool_free(&emit->protos);
}

/*
 * Direct calls. A module's calls of the kernel are found by name, as the module has no address of
 * what it calls.
 */

/* Set @ids[i] to the kernel's FUNC that has undefined symbol i's name; UINT32_MAX if several do. */
static void find_externs(const struct emit *emit, const struct btf_image *img, u32 *ids, size_t nr)
{
	const struct elf_file *file = emit->file;
	struct u64map by_name = {};
	const struct btf_type *t;
	const char *name;
	GElf_Sym sym;
	u32 id, i;

	for (i = 1; i < nr && gelf_getsym(file->symtab, i, &sym); i++) {
		if (sym.st_shndx == SHN_UNDEF)
			u64map_set(&by_name, hash_str(elf_file_sym_name(file, &sym)), i);
	}
	for (id = 1; by_name.cap && id < img->first_id; id++) {
		t = type_by_id(img, id);
		if (!btf_is_func(t))
			continue;
		i = u64map_get(&by_name, hash_str(type_name(img, t)));
		name = i ? elf_file_extern(file, file->externs + i * EXTERN_SIZE) : "";
		if (!strcmp(name, type_name(img, t)))
			ids[i] = ids[i] ? UINT32_MAX : id;
	}
	u64map_free(&by_name);
}

static void add_called(struct emit *emit, const struct u64map *calls, u64 addr, u32 id)
{
	u32 nr = u64map_get(calls, addr);

	if (!nr || !id || id == UINT32_MAX)
		return;
	PUSH(emit->called, emit->nr_called, id, nr);
}

static int cmp_called(const void *a, const void *b)
{
	const struct called *x = a, *y = b;

	return compare(x->func, y->func);
}

/* Count the direct calls in resident code. Returns 0, or -1 after an error message. */
static int count_calls(struct emit *emit, const struct btf_image *img)
{
	size_t i, nr_externs =
			  emit->file->module ? emit->file->symtab->d_size / sizeof(Elf64_Sym) : 0;
	const struct funcs *funcs = emit->funcs;
	const struct func *func;
	u64 externs = emit->file->externs;
	struct u64map targets = {}, calls = {};
	struct call_sites sites;
	struct call_site *site;
	u32 *ids;
	int ret;

	ALLOC(ids, nr_externs + 1);
	find_externs(emit, img, ids, nr_externs);
	for_each(func, funcs->funcs, funcs->nr)
		u64map_set(&targets, func->sym->addr, 1);
	for (i = 0; i < nr_externs; i++) {
		if (ids[i])
			u64map_set(&targets, externs + i * EXTERN_SIZE, 1);
	}
	ret = call_sites_find(emit->file, &targets, funcs->units.nr_threads, &sites);
	for_each(site, sites.sites, sites.nr) {
		/* a function's jump to its own start is a loop */
		if (elf_file_code_section(emit->file, site->addr)->resident &&
		    !(site->jump && site->caller == site->target))
			u64map_set(&calls, site->target, u64map_get(&calls, site->target) + 1);
	}
	for_each(func, funcs->funcs, funcs->nr)
		add_called(emit, &calls, func->sym->addr, func->id);
	for (i = 0; i < nr_externs; i++)
		add_called(emit, &calls, externs + i * EXTERN_SIZE, ids[i]);
	/* the names of one function have the same FUNC */
	emit->nr_called =
		array_settle(emit->called, emit->nr_called, sizeof(*emit->called), cmp_called);
	free(ids);
	free(sites.sites);
	u64map_free(&targets);
	u64map_free(&calls);
	return ret;
}

/*
 * Writing where the sites come from: see struct inline_origins.
 */

/**
 * struct last - values that the next numbers are differences from
 * @from: origin_of() the last site that isn't nested, and of the last one that is
 * @file/@line: those of the last site
 */
struct last {
	u32 from[2], file, line;
};

/* Index + 1 of the file of a call, 0 if its place is not known. */
static u32 file_of(const struct emit *emit, const struct site *site)
{
	return site->line ? u64map_get(&emit->inl->by_name, (uintptr_t)site->file) : 0;
}

/* The index of the site that a site is nested in, or else the FUNC that has the call. */
static u32 origin_of(const struct emit *emit, u32 unit, const struct site *site, bool *nested_ret)
{
	u32 parent, id;

	*nested_ret = site->parent;
	if (site->parent) {
		parent = emit->index_of[unit][site->parent - 1];
		*nested_ret = parent != NOT_EMITTED;
		return *nested_ret ? parent : 0;
	}
	id = base_id_at(emit->funcs, site->func);
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
	u32 file = file_of(emit, site), line = file ? site->line : 0, from;
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

/* Append how many pieces of code a site has; of each the distance from the last, and the size. */
static void add_ranges(const struct emit *emit, const struct emitted *e, struct buf *out)
{
	const struct site *site = &emit->units[e->unit].sites[e->site];
	const struct site_range *range = emit->units[e->unit].ranges + site->first_range;
	u32 i, last = e->offset;

	add_number(out, site->nr_ranges);
	for (i = 0; i < site->nr_ranges; i++, range++) {
		add_number(out, difference(range->start, last));
		add_number(out, range->end - range->start);
		last = range->end;
	}
}

/* The build id is in an ELF note: see elf(5). */
static void read_build_id(struct elf_file *file, struct inline_origins *ret)
{
	const void *id = NULL;
	ssize_t len = dwelf_elf_gnu_build_id(file->elf, &id);

	if (len <= 0 || len > MAX_BUILD_ID)
		return;
	ret->build_id_len = len;
	memcpy(ret->build_id, id, len);
}

/* Append where the sites come from. Returns 0, or -1 after an error message. */
static int emit_origins(const struct emit *emit, const struct btf_image *base, struct buf *out)
{
	struct inline_origins head = {
		.magic = ORIGINS_MAGIC,
		.nr_sites = emit->nr_inlined,
		.nr_files = emit->inl->files.nr,
		.nr_called = emit->nr_called,
		.base_types = base->nr_types,
		.base_strs = btf_image_strs_end(base),
	};
	struct last last = {};
	size_t start = out->len, ranges;
	const struct emitted *site;

	read_build_id(emit->file, &head);
	buf_add(out, &head, sizeof(head));
	buf_add(out, emit->files, head.nr_files * sizeof(u32));
	buf_add(out, emit->called, head.nr_called * sizeof(*emit->called));
	for_each(site, emit->sites, emit->nr_inlined)
		add_origin(emit, site, &last, out);
	ranges = out->len;
	for_each(site, emit->sites, emit->nr_inlined)
		add_ranges(emit, site, out);
	if (out->len - start > UINT32_MAX)
		return err("%s: more inline sites than this format holds", emit->file->path);
	head.len = out->len - start;
	head.ranges_len = out->len - ranges;
	memcpy(out->data + start, &head, sizeof(head));
	return 0;
}

/* Index + 1 in @inl->files of the file that defines a function, 0 if it isn't known. */
static u32 defining_file(struct inline_funcs *inl, const struct funcs *funcs,
			 const struct func *func)
{
	u32 path;
	const char *name = func_file(funcs, func, &path);

	return name ? inline_file(inl, funcs, path, name) : 0;
}

/* Tag a FUNC with the unit that it is from, if it is one, and with the file that defines it. */
static void tag(struct annotator *a, u32 id, const char *unit, const struct inline_funcs *inl,
		u32 file)
{
	size_t len;

	annotator_tag_files(a, id, unit, file ? pool_get(&inl->files, file - 1, &len) : NULL);
}

/* Tag each FUNC of the input, unless it has such tags. */
static void tag_input(struct inline_funcs *inl, struct annotator *a, const struct funcs *funcs,
		      const char **tagged)
{
	const struct func *func;
	const char *unit;
	u32 i;

	for_each(func, funcs->funcs, funcs->nr) {
		if (!func->id || tagged[func->id] || !func->die.addr)
			continue;
		tagged[func->id] = unit = funcs->cus.paths[funcs->units.units[func->unit].path];
		tag(a, func->id, unit, inl, defining_file(inl, funcs, func));
	}
	for (i = 0; i < inl->nr_entries; i++) {
		func = &inl->sources.funcs[inl->nr + i];
		annotator_tag_changes(a, func->id, func);
	}
	for (i = 0; i < inl->nr_lies; i++) {
		if (inl->lies[i])
			annotator_tag_path(a, a->img->first_id + i, FALSE_TAG, inl->lies[i]);
	}
}

/* Tag each new FUNC. Its calls are inlined in any number of units. */
static void tag_new(const struct inline_funcs *inl, struct annotator *a, const struct funcs *funcs,
		    const char **tagged)
{
	const struct inline_func *func;
	const char *unit;
	u32 i, id;

	for (i = 0; i < inl->nr; i++) {
		func = &inl->list[i];
		id = inl->sources.funcs[i].id;
		if (!id || tagged[id])
			continue;
		tagged[id] = func->def->name;
		unit = func->in_units && func->file ? NULL : funcs->cus.paths[func->def->path];
		tag(a, id, unit, inl, func->file);
	}
}

static void add_tags(struct inline_funcs *inl, struct annotator *a, const struct funcs *funcs)
{
	const char **tagged = unit_tags(a->img);

	tag_input(inl, a, funcs, tagged);
	tag_new(inl, a, funcs, tagged);
	free(tagged);
}

/* Write the file: everything that was added to the image after @before. */
static int write_bytes(const struct emit *emit, const struct btf_image *img,
		       const struct btf_image *before, struct buf *out)
{
	size_t start = out->len, strs_len = img->strs.len - before->strs.len;
	size_t layout_len = img->layout ? sizeof(kind_layouts) : 0;
	static const u8 zeros[4];
	struct buf types = {};
	int ret;

	buf_add(&types, img->types.data + before->types.len, img->types.len - before->types.len);
	ret = emit_types(emit, img->nr_types, &types);
	if (!ret) {
		btf_header_add(out, types.len, layout_len, strs_len);
		buf_add(out, types.data, types.len);
		buf_add(out, kind_layouts, layout_len);
		buf_add(out, img->strs.data + before->strs.len, strs_len);
		buf_add(out, zeros, -(out->len - start) % sizeof(zeros));
		ret = emit_origins(emit, before, out);
	}
	buf_free(&types);
	return ret;
}

/* Do everything that needs the DIEs. */
static int describe(struct annotator *a, const char *name, struct funcs *funcs,
		    const struct btf_image *before, struct buf *out)
{
	struct unit_sites *units = sites_read(funcs, a->file, &a->types.idx);
	struct inline_funcs inl;
	struct emit emit = { .funcs = funcs, .file = a->file, .inl = &inl, .units = units };
	u32 unit, i;
	int ret;

	inline_funcs_init(&inl, a);
	inline_funcs_merge(&inl, funcs, units);
	for (unit = 0; unit < funcs->units.nr; unit++) {
		for (i = 0; i < units[unit].nr_sites; i++)
			inline_file(&inl, funcs, funcs->units.units[unit].path,
				    units[unit].sites[i].file);
	}
	ret = inline_funcs_describe(&inl, a, name);
	if (!ret)
		ret = count_calls(&emit, a->img);
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
