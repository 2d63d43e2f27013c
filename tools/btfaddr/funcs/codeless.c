// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions whose code has no DIE: if GCC finds two functions to be identical, it
 * makes one of them a jump to the other, and forgets to describe it. Which unit
 * the code is from is known, and that has the definition. Only clones have another
 * signature than the source, and their names say so.
 */
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

void unit_ranges_append(struct unit_ranges *ranges, const struct unit_ranges *add)
{
	size_t i;

	for (i = 0; i < add->nr; i++) {
		GROW(ranges->ranges, ranges->nr, ranges->cap);
		ranges->ranges[ranges->nr++] = add->ranges[i];
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

static int cmp_codeless(const void *a, const void *b)
{
	const struct codeless_func *x = a, *y = b;

	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return (x->func > y->func) - (x->func < y->func);
}

/*
 * Has DWARF no code of this name? It may have what the function was folded into, whose
 * types need not be the same. The names of clones are not those of definitions.
 */
static bool has_no_code(const struct func *func)
{
	if (func->named || strchr(func->sym->name, '.'))
		return false;
	return func->reason == REASON_NO_DWARF || (func->die.addr && func->cc.gcc);
}

void codeless_list(struct codeless *c, struct funcs *funcs, struct unit_ranges *ranges)
{
	const struct unit_range *range;
	struct func *func;
	size_t cap = 0;
	u32 i;

	*c = (struct codeless){ .funcs = funcs, .first = xcalloc(funcs->units.nr, sizeof(u32)) };
	if (ranges->nr)
		qsort(ranges->ranges, ranges->nr, sizeof(*ranges->ranges), cmp_range);
	for (i = 0; i < funcs->nr; i++) {
		func = &funcs->funcs[i];
		range = has_no_code(func) ? find_range(ranges, func->sym->addr) : NULL;
		if (!range)
			continue;
		GROW(c->list, c->nr, cap);
		c->list[c->nr++] = (struct codeless_func){ .unit = range->unit, .func = i };
	}
	if (c->nr)
		qsort(c->list, c->nr, sizeof(*c->list), cmp_codeless);
	for (i = c->nr; i--;)
		c->first[c->list[i].unit] = i + 1;
}

void codeless_define(struct codeless *c, u32 unit, Dwarf_Die *die)
{
	const char *name = die_name(die);
	struct codeless_func *f = &c->list[c->first[unit] - 1];

	for (; f < c->list + c->nr && f->unit == unit; f++) {
		if (strcmp(c->funcs->funcs[f->func].sym->name, name))
			continue;
		f->die = *die;
		f->nr++;
	}
}

void codeless_claim(struct codeless *c)
{
	struct compiler gcc = { .gcc = true };
	struct codeless_func *f;
	struct func *func;

	for (f = c->list; f < c->list + c->nr; f++) {
		func = &c->funcs->funcs[f->func];
		if (f->nr == 1)
			func_claim(func, &f->die, die_name(&f->die), f->unit, &gcc, true);
	}
	free(c->first);
	free(c->list);
}
