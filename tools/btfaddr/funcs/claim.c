// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which DIE tells of a function, if several do.
 */
#include "funcs/claim.h"

/* Is @symbol the name of the source, or that with a suffix? */
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

void func_claim(struct func *func, Dwarf_Die *die, const char *name, u32 unit,
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
