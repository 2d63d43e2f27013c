// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions: the symbol table says which exist and where, ftrace's table says which it can patch,
 * and DWARF describes their code.
 */
#include "btf/check.h"
#include "dwarf/unit_walk.h"
#include "funcs/funcs.h"

/**
 * struct unit_range - a range of code from a unit that isn't in C, or compiled by GCC
 * @unit: its number
 * @foreign: it isn't in C
 */
struct unit_range {
	u64 end, start;
	u32 unit;
	bool foreign;
};

struct unit_ranges {
	struct unit_range *ranges;
	size_t nr;
};

/**
 * struct codeless_func - a function whose code no DIE describes
 * @unit: the unit that its code is from
 * @next: index + 1 of the next one in @unit, 0 if it is the last
 * @nr: number of definitions without code that @unit has of its name; @die is the last one
 */
struct codeless_func {
	u32 unit, next, nr;
	struct func *func;
	Dwarf_Die die;
};

/**
 * struct codeless - all of these
 * @first: by unit, index + 1 of its first in @list, 0 if it has none
 */
struct codeless {
	struct funcs *funcs;
	struct codeless_func *list;
	size_t nr;
	u32 *first;
};

/*
 * By address, the functions that ftrace can patch. Returns false if there is no table of them, as
 * in a kernel without CONFIG_DYNAMIC_FTRACE.
 */
static bool find_traceable(struct elf_file *file, struct u64map *ret)
{
	size_t size = file->mcount.end - file->mcount.start, i;
	const u8 *sites = file->module ? elf_file_section(file, file->arch->sites, &size) :
					 elf_file_range(file, &file->mcount);
	u64 site, start;

	for (i = 0; sites && i + sizeof(site) <= size; i += sizeof(site)) {
		memcpy(&site, sites + i, sizeof(site));
		start = elf_file_function_start(file, site + file->arch->site_before);
		if (start && site <= start + file->arch->site_behind)
			u64map_set(ret, start, 1);
	}
	return ret->nr;
}

/*
 * Which functions of the kernel never return? Modules have no DWARF of __stack_chk_fail(), and
 * DWARF 4 doesn't say it of any function.
 */
static void add_noreturns(struct u64map *noreturns)
{
	static const char *const names[] = {
#define NORETURN(name) #name,
#include <noreturns.h>
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		u64map_set(noreturns, hash_str(names[i]), 1);
}

/* List the function symbols of resident text: the first step of funcs_collect(). */
static void funcs_add_symbols(struct funcs *funcs, struct elf_file *file)
{
	struct u64map traceable = {};
	bool any = find_traceable(file, &traceable);
	const struct elf_sym *sym;
	struct func *func;

	ALLOC(funcs->funcs, file->nr_syms);
	u64map_reserve(&funcs->by_addr, file->nr_syms + 1);
	for_each(sym, file->syms, file->nr_syms) {
		if (!sym->resident)
			continue;
		func = &funcs->funcs[funcs->nr];
		func->sym = sym;
		func->traceable = !any || u64map_get(&traceable, sym->addr);
		func->useful = func->traceable || u64map_get(&file->btf_ids, hash_str(sym->name));
		func->arity = -1;
		func->reason = REASON_NO_DWARF;
		if (name_is_static_call(sym->name))
			func->reason = REASON_STATIC_CALL;
		else if (!btf_name_valid(sym->name))
			func->reason = REASON_NAME;
		else if (sym->addr < file->text || sym->addr - file->text > UINT32_MAX)
			func->reason = REASON_OFFSET;
		func->next_at = u64map_get(&funcs->by_addr, sym->addr);
		u64map_set(&funcs->by_addr, sym->addr, ++funcs->nr);
	}
	u64map_free(&traceable);
}

void func_drop_signature(struct func *func)
{
	if (func->sig)
		signature_free(func->sig);
	free(func->sig);
	func->sig = NULL;
}

void funcs_free(struct funcs *funcs)
{
	struct func *func;

	for_each(func, funcs->funcs, funcs->nr) {
		func_drop_signature(func);
		free(func->source);
		free(func->lacking);
	}
	free(funcs->funcs);
	free(funcs->first_in);
	u64map_free(&funcs->by_addr);
	u64map_free(&funcs->noreturns);
	cu_paths_free(&funcs->cus);
	code_edges_free(&funcs->edges);
	static_calls_free(&funcs->static_calls);
	units_close(&funcs->units);
	memset(funcs, 0, sizeof(*funcs));
}

/*
 * Which DIE counts, if several describe a function.
 */

/* Is @symbol the source's name, with or without a suffix? */
static bool name_fits(const char *symbol, const char *name)
{
	size_t len = strlen(name);

	return len && !strncmp(symbol, name, len) && (!symbol[len] || symbol[len] == '.');
}

/* Do two DIEs describe the same function, as a unit and its copy may? */
static bool same_origin(Dwarf_Die *a, Dwarf_Die *b)
{
	Dwarf_Attribute x, y;
	Dwarf_Die p, q;

	return dwarf_attr(a, DW_AT_abstract_origin, &x) && dwarf_formref_die(&x, &p) &&
	       dwarf_attr(b, DW_AT_abstract_origin, &y) && dwarf_formref_die(&y, &q) &&
	       die_key(&p) == die_key(&q);
}

/*
 * Note that a DIE describes the code of a function
 * @die: of unit number @unit, which @cc compiled
 * @name: its DW_AT_name
 * @is_c: it is written in C
 *
 * If several DIEs describe the function, the one with the function's own name counts.
 */
static void func_claim(struct func *func, Dwarf_Die *die, const char *name, u32 unit,
		       const struct compiler *cc, bool is_c)
{
	bool fits = name_fits(func->sym->name, name);

	if (func->die.addr) {
		/* an alias is described under its target's name only */
		if (func->named && fits && !same_origin(die, &func->die))
			func->reason = REASON_SEVERAL;
		if (func->named || !fits)
			return;
	}
	if (func->reason == REASON_NAME || func->reason == REASON_OFFSET)
		return;
	func->die = *die;
	func->named = fits;
	func->unit = unit;
	func->cc = *cc;
	func->is_c = is_c;
	func->reason = is_c ? REASON_NONE : REASON_LANGUAGE;
}

/*
 * Functions whose code has no DIE. If GCC finds two functions to be identical, it makes one of them
 * a jump to the other, and does not describe the jump. The definition is in the unit that the jump
 * is from. Only clones have another signature than the source, and their names say so.
 */

/* Add the ranges of a unit's code; free @ranges->ranges in the end. */
static void unit_ranges_add(struct unit_ranges *ranges, Dwarf_Die *cu, u32 unit, bool foreign)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t off = 0;

	while ((off = dwarf_ranges(cu, off, &base, &start, &end)) > 0) {
		if (start <= 1 || start >= end)
			continue;
		PUSH(ranges->ranges, ranges->nr, .start = start, .end = end, .unit = unit,
		     .foreign = foreign);
	}
}

static int cmp_range(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	return compare(x->start, y->start);
}

static const struct unit_range *find_range(const struct unit_ranges *ranges, u64 addr)
{
	size_t i = nr_up_to(addr, ranges->ranges, ranges->nr, sizeof(*ranges->ranges));

	return i < ranges->nr && ranges->ranges[i].start <= addr ? &ranges->ranges[i] : NULL;
}

/*
 * Does DWARF describe no code of this name? It may describe the function that this one was folded
 * into, whose types may differ. Clones don't count, as no definition has a clone's name.
 */
static bool has_no_code(const struct func *func)
{
	if (func->named || strchr(func->sym->name, '.'))
		return false;
	return func->reason == REASON_NO_DWARF || (func->die.addr && func->cc.gcc);
}

/*
 * List the functions whose code has no DIE, by unit. Sorts @ranges. Those in other languages may
 * have one in a namespace, where nothing is read.
 */
static void codeless_list(struct codeless *c, struct funcs *funcs, struct unit_ranges *ranges)
{
	const struct unit_range *range;
	struct func *func;

	*c = (struct codeless){ .funcs = funcs, .first = xcalloc(funcs->units.nr, sizeof(u32)) };
	array_sort(ranges->ranges, ranges->nr, sizeof(*ranges->ranges), cmp_range);
	for_each(func, funcs->funcs, funcs->nr) {
		range = has_no_code(func) ? find_range(ranges, func->sym->addr) : NULL;
		if (range && range->foreign && func->reason == REASON_NO_DWARF)
			func->reason = REASON_LANGUAGE;
		if (!range || range->foreign)
			continue;
		PUSH(c->list, c->nr, .unit = range->unit, .next = c->first[range->unit],
		     .func = func);
		c->first[range->unit] = c->nr;
	}
}

/* Note a definition without code for the listed functions of its unit and name. On any thread. */
static void codeless_define(struct codeless *c, u32 unit, Dwarf_Die *die)
{
	const char *name = die_name(die);
	struct codeless_func *f;
	u32 i;

	for (i = c->first[unit]; i; i = f->next) {
		f = &c->list[i - 1];
		if (strcmp(f->func->sym->name, name))
			continue;
		f->die = *die;
		f->nr++;
	}
}

/* Give each listed function the DIE of its definition, if there is just one. Frees @c. */
static void codeless_claim(struct codeless *c)
{
	struct compiler gcc = { .arch = c->funcs->file->arch, .gcc = true };
	struct codeless_func *f;

	for_each(f, c->list, c->nr) {
		if (f->nr != 1)
			continue;
		func_claim(f->func, &f->die, die_name(&f->die), f->unit, &gcc, true);
		f->func->codeless = true;
	}
	free(c->first);
	free(c->list);
}

/*
 * Which functions DWARF describes, and in which units.
 */

/*
 * Index + 1 of the function whose code DWARF has at @addr: there, or in front of the landing pad
 * and the nops for ftrace, which GCC's DWARF leaves out where -fpatchable-function-entry puts them;
 * 0 if none.
 */
static u32 find_func(const struct funcs *funcs, u64 addr)
{
	u32 i = addr > 1 ? u64map_get(&funcs->by_addr, addr) : 0, behind, nop;
	const u8 *code;
	size_t len;

	for (behind = 4; !i && behind <= funcs->file->arch->dwarf_behind; behind += 4) {
		code = elf_file_code(funcs->file, addr - behind, &len);
		if (!code || len < sizeof(nop) || memcpy(&nop, code, sizeof(nop)) != &nop ||
		    (nop != funcs->file->arch->nop && nop != funcs->file->arch->landing_pad))
			break;
		i = u64map_get(&funcs->by_addr, addr - behind);
	}
	return i;
}

/*
 * Index + 1 of the function at the first instruction of @die. A function with a cold part has
 * several ranges, and a function symbol at the start of one of them.
 */
u32 scan_entry(const struct funcs *funcs, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t off = 0;
	Dwarf_Addr addr;
	u32 i;

	/* discarded code keeps its entry, at 0 or 1 */
	if (!dwarf_entrypc(die, &addr) && addr > 1) {
		i = find_func(funcs, addr);
		if (i)
			return i;
	}
	if (!dwarf_hasattr(die, DW_AT_ranges))
		return 0;
	while ((off = dwarf_ranges(die, off, &base, &start, &end)) > 0) {
		i = find_func(funcs, start);
		if (i)
			return i;
	}
	return 0;
}

const char *func_file(const struct funcs *funcs, const struct func *func, u32 *path_ret)
{
	Dwarf_Die die = func->die, origin;

	if (!die.addr || die_origin(&die, &origin))
		return NULL;
	*path_ret = unit_path_of(&funcs->units, func->unit, &origin);
	return units_file(&funcs->units, func->unit, &origin,
			  die_udata(&origin, DW_AT_decl_file, UINT64_MAX));
}

/**
 * struct found_die - a DIE that describes a function, or declares a static call
 * @nr: number of the function or call, from 1 on; 0 if an earlier DIE declares the call
 * @off: its offset from the DIE of the unit
 * @name: its DW_AT_name
 */
struct found_die {
	u32 nr;
	u32 off;
	const char *name;
};

struct found_dies {
	struct found_die *dies;
	size_t nr;
};

/**
 * struct scan - what a unit says of functions, in its order
 * @is_cu: it is a compilation unit
 * @is_c: it is written in C
 * @name/@dir: its file, and the folder that it was compiled in
 * @ranges: its code, if it isn't in C, or by GCC
 * @found: DIEs of code, with the function at the code's entry
 * @static_calls: declarations of static calls, which tell what may be patched in
 * @noreturns: in a module, declarations of functions that don't return
 * @codeless: offsets of definitions without code, as in found_die.off
 */
struct scan {
	bool is_cu, is_c;
	const char *name, *dir;
	struct compiler cc;
	struct unit_ranges ranges;
	struct found_dies found, static_calls, noreturns;
	u32 *codeless;
	size_t nr_codeless;
};

/**
 * struct scan_pass - state of add_units()
 * @walks: by thread
 */
struct scan_pass {
	struct funcs *funcs;
	struct scan *scans;
	struct unit_walk *walks;
	struct codeless codeless;
};

static void add_found(struct found_dies *found, u32 nr, const char *name, u32 off)
{
	PUSH(found->dies, found->nr, .nr = nr, .name = name, .off = off);
}

static void find_static_call(const struct funcs *funcs, const char *name, Dwarf_Die *die, u32 off,
			     struct scan *scan)
{
	u32 nr = static_calls_find(&funcs->static_calls, name);

	if (nr && die_flag(die, DW_AT_declaration))
		add_found(&scan->static_calls, nr, name, off);
}

static void scan_function(struct funcs *funcs, const struct unit_walk *walk,
			  const struct abbrev *abbrev, u32 unit, Dwarf_Die *die, struct scan *scan)
{
	u32 off = (u8 *)die->addr - (u8 *)funcs->units.units[unit].die.addr, i;
	const char *name = unit_walk_name(walk, abbrev, die);
	u64 addr;

	if (abbrev->declares) {
		find_static_call(funcs, name ?: die_name(die), die, off, scan);
		if (funcs->file->module && die_flag(die, DW_AT_noreturn))
			add_found(&scan->noreturns, 0, name ?: die_name(die), off);
	} else if (!abbrev->has_code) {
		PUSH(scan->codeless, scan->nr_codeless, off);
	} else {
		addr = unit_walk_low_pc(abbrev, die);
		i = find_func(funcs, addr);
		i = i ?: scan_entry(funcs, die);
		if (i)
			add_found(&scan->found, i, name ?: die_name(die), off);
	}
}

static void scan_unit(void *ctx, u32 unit)
{
	struct scan_pass *pass = ctx;
	struct unit_walk *walk = &pass->walks[pass->funcs->units.units[unit].thread];
	Dwarf_Die *cu = &pass->funcs->units.units[unit].die, die;
	struct scan *scan = &pass->scans[unit];
	const struct abbrev *abbrev;
	u32 level;

	scan->is_cu = dwarf_tag(cu) == DW_TAG_compile_unit;
	if (!scan->is_cu)
		return;
	scan->name = die_name(cu);
	scan->dir = die_string(cu, DW_AT_comp_dir);
	scan->is_c = die_is_c(cu);
	compiler_read(cu, pass->funcs->file->arch, &scan->cc);
	if (!scan->is_c || scan->cc.gcc)
		unit_ranges_add(&scan->ranges, cu, unit, !scan->is_c);
	unit_walk_again(walk, &pass->funcs->units, unit);
	while ((abbrev = unit_walk_next(walk, &die, &level)))
		scan_function(pass->funcs, walk, abbrev, unit, &die, scan);
}

/* The DIE that is @off bytes behind that of its unit. */
static Dwarf_Die die_at(const struct funcs *funcs, u32 unit, u32 off)
{
	const Dwarf_Die *cu = &funcs->units.units[unit].die;

	return (Dwarf_Die){ .addr = (u8 *)cu->addr + off, .cu = cu->cu };
}

/* Take over what a scan has found. Units come in the order of the file, so the result is fixed. */
static void claim_unit(struct funcs *funcs, u32 unit, struct scan *scan)
{
	struct found_die *found;
	struct func *func;
	Dwarf_Die die;

	funcs->units.units[unit].path = cu_paths_add(&funcs->cus, scan->name, scan->dir);
	for_each(found, scan->found.dies, scan->found.nr) {
		die = die_at(funcs, unit, found->off);
		for_each_at(func, funcs, funcs->funcs[found->nr - 1].sym->addr)
			func_claim(func, &die, found->name, unit, &scan->cc, scan->is_c);
	}
	for_each(found, scan->noreturns.dies, scan->noreturns.nr)
		u64map_set(&funcs->noreturns, hash_str(found->name), 1);
	for_each(found, scan->static_calls.dies, scan->static_calls.nr) {
		if (!static_calls_claim(&funcs->static_calls, found->nr))
			found->nr = 0;
	}
}

/* The second look at a unit: at DIEs that are now known to be of use. */
static void look_again(void *ctx, u32 unit)
{
	struct scan_pass *pass = ctx;
	const struct scan *scan = &pass->scans[unit];
	const struct found_die *call;
	Dwarf_Die die;
	size_t i;

	for_each(call, scan->static_calls.dies, scan->static_calls.nr) {
		die = die_at(pass->funcs, unit, call->off);
		if (call->nr)
			static_calls_declare(&pass->funcs->static_calls, call->nr, &die);
	}
	if (!pass->codeless.first[unit])
		return;
	for (i = 0; i < scan->nr_codeless; i++) {
		die = die_at(pass->funcs, unit, scan->codeless[i]);
		codeless_define(&pass->codeless, unit, &die);
	}
}

static void free_scans(struct scan *scans, u32 nr)
{
	struct scan *scan;

	for_each(scan, scans, nr) {
		free(scan->ranges.ranges);
		free(scan->found.dies);
		free(scan->static_calls.dies);
		free(scan->noreturns.dies);
		free(scan->codeless);
	}
	free(scans);
}

/* Units are read on all threads. */
static int add_units(struct funcs *funcs, struct elf_file *file)
{
	struct scan_pass pass = { .funcs = funcs };
	struct unit_ranges ranges = {};
	bool any = false;
	u32 i;

	ALLOC(pass.scans, funcs->units.nr);
	ALLOC(pass.walks, funcs->units.nr_threads);
	units_each(&funcs->units, scan_unit, &pass);
	for (i = 0; i < funcs->units.nr_threads; i++)
		unit_walk_end(&pass.walks[i]);
	free(pass.walks);
	for (i = 0; i < funcs->units.nr; i++) {
		if (!pass.scans[i].is_cu)
			continue;
		any = true;
		claim_unit(funcs, i, &pass.scans[i]);
		APPEND(ranges.ranges, ranges.nr, pass.scans[i].ranges.ranges,
		       pass.scans[i].ranges.nr);
	}
	codeless_list(&pass.codeless, funcs, &ranges);
	units_each(&funcs->units, look_again, &pass);
	codeless_claim(&pass.codeless);
	free(ranges.ranges);
	free_scans(pass.scans, funcs->units.nr);
	if (!any)
		return elf_file_no_dwarf(file, "no units");
	cu_paths_relate(&funcs->cus);
	return 0;
}

/*
 * From a file to its functions: symbols, then what DWARF says of each.
 */

int funcs_scan(struct funcs *funcs, struct elf_file *file, u32 nr_threads)
{
	memset(funcs, 0, sizeof(*funcs));
	funcs->file = file;
	if (!file->has_text)
		return err("%s: no symbol _text, which addresses count from: give a vmlinux",
			   file->path);
	add_noreturns(&funcs->noreturns);
	funcs_add_symbols(funcs, file);
	if (units_open(&funcs->units, file, nr_threads))
		return -1;
	static_calls_list(&funcs->static_calls, file);
	return add_units(funcs, file);
}
