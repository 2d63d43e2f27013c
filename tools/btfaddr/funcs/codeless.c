// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions whose code has no DIE: if GCC finds two functions to be identical, it
 * makes one of them a jump to the other, and forgets to describe it. Which unit
 * the code is from is known, and that has the definition. Only clones have another
 * signature than the source, and their names say so.
 */
#include "dwarf/unit_walk.h"
#include "funcs/claim.h"
#include "funcs/codeless.h"

void unit_ranges_add(struct unit_ranges *ranges, Dwarf_Die *cu, u32 unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t off = 0;

	while ((off = dwarf_ranges(cu, off, &base, &start, &end)) > 0) {
		if (start <= 1 || start >= end)
			continue;
		GROW(ranges->ranges, ranges->nr, ranges->cap);
		ranges->ranges[ranges->nr++] = (struct unit_range){
			.start = start,
			.end = end,
			.unit = unit,
		};
	}
}

static int cmp_range(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static const struct unit_range *find_range(const struct unit_ranges *ranges, u64 addr)
{
	size_t low = 0, high = ranges->nr, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (ranges->ranges[mid].end <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == ranges->nr || ranges->ranges[low].start > addr)
		return NULL;
	return &ranges->ranges[low];
}

/**
 * struct codeless - a function whose code no DIE describes
 * @unit: the unit that its code is from
 * @func: its index
 * @nr: definitions without code that @unit has of its name; @die is the last
 */
struct codeless {
	const struct unit_range *unit;
	u32 func;
	u32 nr;
	Dwarf_Die die;
};

static int cmp_codeless(const void *a, const void *b)
{
	const struct codeless *x = a, *y = b;

	if (x->unit->unit != y->unit->unit)
		return x->unit->unit < y->unit->unit ? -1 : 1;
	return (x->func > y->func) - (x->func < y->func);
}

/*
 * Has DWARF no code of this name? It may have what the function was folded into, whose
 * types need not be the same. The names of clones are not those of definitions.
 */
static bool has_no_code(const struct func *func)
{
	if (strchr(func->sym->name, '.') || func_is_claimed_by_name(func))
		return false;
	return func->reason == REASON_NO_DWARF || (func->die.addr && func->cc.gcc);
}

static size_t list_codeless(struct funcs *funcs, const struct unit_ranges *ranges,
			    struct codeless **list_ret)
{
	const struct unit_range *range;
	struct codeless *list = NULL;
	size_t nr = 0, cap = 0;
	struct func *func;
	u32 i;

	for (i = 0; i < funcs->nr; i++) {
		func = &funcs->funcs[i];
		if (!has_no_code(func))
			continue;
		range = find_range(ranges, func->sym->addr);
		if (!range)
			continue;
		GROW(list, nr, cap);
		list[nr++] = (struct codeless){ .unit = range, .func = i };
	}
	*list_ret = list;
	return nr;
}

/**
 * struct codeless_pass - state of claim_codeless()
 * @list: sorted by unit
 * @first: by unit, index + 1 of its first in @list, 0 if it has none
 */
struct codeless_pass {
	const struct funcs *funcs;
	struct codeless *list;
	size_t nr;
	u32 *first;
};

/* Look for the definitions of functions that are all from one unit. */
static void find_definitions(void *ctx, u32 unit)
{
	struct codeless_pass *pass = ctx;
	const struct abbrev *abbrev;
	struct unit_walk walk;
	const char *name;
	Dwarf_Die die;
	size_t i;

	if (!pass->first[unit])
		return;
	unit_walk_begin(&walk, &pass->funcs->units, unit);
	while ((abbrev = unit_walk_next(&walk, DW_TAG_subprogram, &die))) {
		if (abbrev->has_code || abbrev->declares)
			continue;
		name = die_name(&die);
		for (i = pass->first[unit] - 1;
		     i < pass->nr && pass->list[i].unit->unit == unit; i++) {
			if (strcmp(pass->funcs->funcs[pass->list[i].func].sym->name, name))
				continue;
			pass->list[i].die = die;
			pass->list[i].nr++;
		}
	}
	unit_walk_end(&walk);
}

void claim_codeless(struct funcs *funcs, struct unit_ranges *ranges)
{
	struct compiler gcc = { .gcc = true };
	struct codeless_pass pass = { .funcs = funcs };
	struct codeless *c;
	size_t i;

	if (!ranges->nr)
		return;
	qsort(ranges->ranges, ranges->nr, sizeof(*ranges->ranges), cmp_range);
	pass.nr = list_codeless(funcs, ranges, &pass.list);
	if (pass.nr)
		qsort(pass.list, pass.nr, sizeof(*pass.list), cmp_codeless);
	pass.first = xcalloc(funcs->units.nr, sizeof(*pass.first));
	for (i = pass.nr; i--;)
		pass.first[pass.list[i].unit->unit] = i + 1;
	units_each(&funcs->units, find_definitions, &pass);
	for (c = pass.list; c < pass.list + pass.nr; c++) {
		if (c->nr == 1)
			func_claim(&funcs->funcs[c->func], &c->die, c->unit->unit, &gcc, true);
	}
	free(pass.first);
	free(pass.list);
}
