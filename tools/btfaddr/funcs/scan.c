// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which functions DWARF describes, and in which units.
 */
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

/* A DIE that tells of function, or of static call, number @nr, which counts from 1. */
struct found_die {
	u32 nr;
	Dwarf_Die die;
};

/**
 * struct scan - what a unit says of functions, in its order
 * @is_cu: it is a compilation unit
 * @found: DIEs of code at the address of the function, and of others there
 * @static_calls: declarations of static calls, which tell what may be patched in
 */
struct scan {
	bool is_cu;
	struct found_die *found;
	size_t nr, cap;
	struct found_die *static_calls;
	size_t nr_static_calls, cap_static_calls;
};

struct scan_pass {
	struct funcs *funcs;
	struct scan *scans;
};

static void find_static_call(struct funcs *funcs, Dwarf_Die *die, struct scan *scan)
{
	u32 nr;

	if (!die_flag(die, DW_AT_declaration))
		return;
	nr = static_calls_find(&funcs->static_calls, die_name(die));
	if (!nr)
		return;
	GROW(scan->static_calls, scan->nr_static_calls, scan->cap_static_calls);
	scan->static_calls[scan->nr_static_calls++] = (struct found_die){ nr, *die };
}

static void scan_unit(void *ctx, u32 unit)
{
	struct scan_pass *pass = ctx;
	struct scan *scan = &pass->scans[unit];
	const struct abbrev *abbrev;
	struct unit_walk walk;
	Dwarf_Die die;
	u32 i;

	scan->is_cu = dwarf_tag(&pass->funcs->units.units[unit].die) == DW_TAG_compile_unit;
	if (!scan->is_cu)
		return;
	unit_walk_begin(&walk, &pass->funcs->units, unit);
	while ((abbrev = unit_walk_next(&walk, DW_TAG_subprogram, &die))) {
		if (!abbrev->has_code) {
			if (abbrev->declares)
				find_static_call(pass->funcs, &die, scan);
			continue;
		}
		i = scan_entry(pass->funcs, &die);
		if (!i)
			continue;
		GROW(scan->found, scan->nr, scan->cap);
		scan->found[scan->nr].nr = i;
		scan->found[scan->nr++].die = die;
	}
	unit_walk_end(&walk);
}

static void add_unit(struct funcs *funcs, u32 unit, const struct scan *scan,
		     struct unit_ranges *ranges)
{
	Dwarf_Die *cu = &funcs->units.units[unit].die;
	struct compiler cc;
	Dwarf_Attribute attr;
	const char *dir = NULL;
	bool is_c;
	size_t nr;
	u32 i;

	if (dwarf_attr(cu, DW_AT_comp_dir, &attr))
		dir = dwarf_formstring(&attr);
	funcs->units.units[unit].path = cu_paths_add(&funcs->cus, die_name(cu), dir);
	compiler_read(cu, &cc);
	is_c = die_is_c(cu);
	for (nr = 0; nr < scan->nr; nr++) {
		for (i = scan->found[nr].nr; i; i = funcs->next_at[i - 1])
			func_claim(&funcs->funcs[i - 1], &scan->found[nr].die, unit, &cc,
				   is_c);
	}
	for (nr = 0; nr < scan->nr_static_calls; nr++)
		static_calls_declare(&funcs->static_calls, scan->static_calls[nr].nr,
				     &scan->static_calls[nr].die);
	if (is_c && cc.gcc)
		unit_ranges_add(ranges, cu, unit);
}

/* Units are read on all threads; what they say counts in the order of the file. */
static int add_units(struct funcs *funcs, struct elf_file *file)
{
	struct scan_pass pass = { .funcs = funcs };
	struct unit_ranges ranges = {};
	bool any = false;
	u32 i;

	pass.scans = xcalloc(funcs->units.nr, sizeof(*pass.scans));
	units_each(&funcs->units, scan_unit, &pass);
	for (i = 0; i < funcs->units.nr; i++) {
		if (pass.scans[i].is_cu)
			add_unit(funcs, i, &pass.scans[i], &ranges);
		any |= pass.scans[i].is_cu;
		free(pass.scans[i].found);
		free(pass.scans[i].static_calls);
	}
	free(pass.scans);
	claim_codeless(funcs, &ranges);
	free(ranges.ranges);
	if (!any)
		return elf_file_no_dwarf(file, "no units");
	cu_paths_relate(&funcs->cus);
	return 0;
}

int scan_dwarf(struct funcs *funcs, struct elf_file *file, u32 nr_threads)
{
	funcs->dw = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	if (!funcs->dw)
		return elf_file_no_dwarf(file, dwarf_errmsg(-1));
	if (units_open(&funcs->units, funcs->dw, nr_threads))
		return err("%s: damaged DWARF: %s", file->path, dwarf_errmsg(-1));
	/* libdw has decompressed it, if necessary */
	funcs->units.abbrevs =
		elf_file_section(file, ".debug_abbrev", &funcs->units.abbrevs_size) ?:
		elf_file_section(file, ".zdebug_abbrev", &funcs->units.abbrevs_size);
	static_calls_list(&funcs->static_calls, file);
	return add_units(funcs, file);
}
