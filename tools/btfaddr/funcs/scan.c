// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which functions DWARF describes, and in which units.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "dwarf/unit_walk.h"
#include "funcs/claim.h"
#include "funcs/codeless.h"
#include "funcs/scan.h"

/*
 * Address of the first instruction. A function with a cold part has ranges, of
 * which the one with a function symbol at its start is it.
 */
u32 scan_entry(const struct funcs *funcs, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t off = 0;
	Dwarf_Addr addr;
	u32 i;

	/* discarded code keeps its entry, at 0 or 1 */
	if (!dwarf_entrypc(die, &addr) && addr > 1) {
		i = u64map_get(&funcs->by_addr, addr);
		if (i)
			return i;
	}
	if (!dwarf_hasattr(die, DW_AT_ranges))
		return 0;
	while ((off = dwarf_ranges(die, off, &base, &start, &end)) > 0) {
		i = start > 1 ? u64map_get(&funcs->by_addr, start) : 0;
		if (i)
			return i;
	}
	return 0;
}

/**
 * struct found_die - a DIE that tells of a function, or of a static call
 * @nr: number of the function or call, from 1 on; 0 if another DIE told of the call before
 * @off: where it is, counted from the DIE of the unit
 * @name: its DW_AT_name
 */
struct found_die {
	u32 nr;
	u32 off;
	const char *name;
};

struct found_dies {
	struct found_die *dies;
	size_t nr, cap;
};

/**
 * struct scan - what a unit says of functions, in its order
 * @is_cu: it is a compilation unit
 * @is_c: it is written in C
 * @name/@dir: its file, and the folder that it was compiled in
 * @ranges: its code, if it is in C and by GCC
 * @found: DIEs of code at the address of the function, and of others there
 * @static_calls: declarations of static calls, which tell what may be patched in
 * @codeless: where definitions without code are, as @found has it
 */
struct scan {
	bool is_cu, is_c;
	const char *name, *dir;
	struct compiler cc;
	struct unit_ranges ranges;
	struct found_dies found, static_calls;
	u32 *codeless;
	size_t nr_codeless, cap_codeless;
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
	GROW(found->dies, found->nr, found->cap);
	found->dies[found->nr++] = (struct found_die){ .nr = nr, .name = name, .off = off };
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
	} else if (!abbrev->has_code) {
		GROW(scan->codeless, scan->nr_codeless, scan->cap_codeless);
		scan->codeless[scan->nr_codeless++] = off;
	} else {
		addr = unit_walk_low_pc(abbrev, die);
		i = addr > 1 ? u64map_get(&funcs->by_addr, addr) : 0;
		i = i ?: scan_entry(funcs, die);
		if (i)
			add_found(&scan->found, i, name ?: die_name(die), off);
	}
}

static void shrink_found(struct found_dies *found)
{
	if (found->nr)
		found->dies = xrealloc(found->dies, found->nr * sizeof(*found->dies));
}

/* Give back what GROW() allocated for elements that didn't come. */
static void shrink(struct scan *scan)
{
	struct unit_ranges *ranges = &scan->ranges;

	shrink_found(&scan->found);
	shrink_found(&scan->static_calls);
	if (scan->nr_codeless)
		scan->codeless =
			xrealloc(scan->codeless, scan->nr_codeless * sizeof(*scan->codeless));
	if (ranges->nr)
		ranges->ranges = xrealloc(ranges->ranges, ranges->nr * sizeof(*ranges->ranges));
}

static void scan_unit(void *ctx, u32 unit)
{
	struct scan_pass *pass = ctx;
	struct unit_walk *walk = &pass->walks[pass->funcs->units.units[unit].thread];
	Dwarf_Die *cu = &pass->funcs->units.units[unit].die, die;
	struct scan *scan = &pass->scans[unit];
	const struct abbrev *abbrev;

	scan->is_cu = dwarf_tag(cu) == DW_TAG_compile_unit;
	if (!scan->is_cu)
		return;
	scan->name = die_name(cu);
	scan->dir = die_string(cu, DW_AT_comp_dir);
	scan->is_c = die_is_c(cu);
	compiler_read(cu, &scan->cc);
	if (scan->is_c && scan->cc.gcc)
		unit_ranges_add(&scan->ranges, cu, unit);
	unit_walk_again(walk, &pass->funcs->units, unit);
	while ((abbrev = unit_walk_next(walk, DW_TAG_subprogram, &die)))
		scan_function(pass->funcs, walk, abbrev, unit, &die, scan);
	shrink(scan);
}

/* The DIE that is @off bytes behind that of its unit. */
static Dwarf_Die die_at(const struct funcs *funcs, u32 unit, u32 off)
{
	const Dwarf_Die *cu = &funcs->units.units[unit].die;

	return (Dwarf_Die){ .addr = (u8 *)cu->addr + off, .cu = cu->cu };
}

/* What a unit says counts in the order of the file. */
static void claim_unit(struct funcs *funcs, u32 unit, struct scan *scan)
{
	struct found_die *found;
	Dwarf_Die die;
	u32 i;

	funcs->units.units[unit].path = cu_paths_add(&funcs->cus, scan->name, scan->dir);
	for (found = scan->found.dies; found < scan->found.dies + scan->found.nr; found++) {
		die = die_at(funcs, unit, found->off);
		for (i = found->nr; i; i = funcs->next_at[i - 1])
			func_claim(&funcs->funcs[i - 1], &die, found->name, unit, &scan->cc,
				   scan->is_c);
	}
	for (found = scan->static_calls.dies;
	     found < scan->static_calls.dies + scan->static_calls.nr; found++) {
		if (!static_calls_claim(&funcs->static_calls, found->nr))
			found->nr = 0;
	}
}

/* The second look at a unit, at what is known to be of use by now. */
static void look_again(void *ctx, u32 unit)
{
	struct scan_pass *pass = ctx;
	const struct scan *scan = &pass->scans[unit];
	const struct found_die *call = scan->static_calls.dies;
	Dwarf_Die die;
	size_t i;

	for (; call < scan->static_calls.dies + scan->static_calls.nr; call++) {
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

	for (scan = scans; scan < scans + nr; scan++) {
		free(scan->ranges.ranges);
		free(scan->found.dies);
		free(scan->static_calls.dies);
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

	pass.scans = xcalloc(funcs->units.nr, sizeof(*pass.scans));
	pass.walks = xcalloc(funcs->units.nr_threads, sizeof(*pass.walks));
	units_each(&funcs->units, scan_unit, &pass);
	for (i = 0; i < funcs->units.nr_threads; i++)
		unit_walk_end(&pass.walks[i]);
	free(pass.walks);
	for (i = 0; i < funcs->units.nr; i++) {
		if (!pass.scans[i].is_cu)
			continue;
		any = true;
		claim_unit(funcs, i, &pass.scans[i]);
		unit_ranges_append(&ranges, &pass.scans[i].ranges);
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
 * All of .debug_info is read, which would cost a fault for each 64 kB. Before Linux 5.14 it does
 * so, as there is no such advice.
 */
static void map_info(struct elf_file *file)
{
	size_t size, page = sysconf(_SC_PAGESIZE);
	const void *info = elf_file_section(file, ".debug_info", &size);
	uintptr_t start = (uintptr_t)info / page * page;

	if (info)
		madvise((void *)start, (uintptr_t)info + size - start, MADV_POPULATE_READ);
}

static void read_strs(struct units *units, struct elf_file *file)
{
	const char *end;
	size_t size = 0;

	units->strs = elf_file_section(file, ".debug_str", &size) ?:
			      elf_file_section(file, ".zdebug_str", &size);
	end = units->strs ? memrchr(units->strs, 0, size) : NULL;
	units->strs_size = end ? end + 1 - units->strs : 0;
}

int scan_dwarf(struct funcs *funcs, struct elf_file *file, u32 nr_threads)
{
	funcs->dw = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	if (!funcs->dw)
		return elf_file_no_dwarf(file, dwarf_errmsg(-1));
	map_info(file);
	if (units_open(&funcs->units, funcs->dw, nr_threads))
		return err("%s: damaged DWARF: %s", file->path, dwarf_errmsg(-1));
	/* libdw has decompressed them, if necessary */
	if (!elf_file_section(file, ".debug_info", &funcs->units.info_size))
		elf_file_section(file, ".zdebug_info", &funcs->units.info_size);
	funcs->units.abbrevs =
		elf_file_section(file, ".debug_abbrev", &funcs->units.abbrevs_size) ?:
			elf_file_section(file, ".zdebug_abbrev", &funcs->units.abbrevs_size);
	read_strs(&funcs->units, file);
	static_calls_list(&funcs->static_calls, file);
	return add_units(funcs, file);
}
