// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "targets.h"

/* Is this the name, perhaps with a suffix? */
static bool is_named(const char *symbol, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(symbol, name, len) && (!symbol[len] || symbol[len] == '.') &&
	       !strstr(symbol, ".cold");
}

bool targets__in_kernel(const struct ksyms *syms, const char *name)
{
	size_t i;

	for (i = 0; i < syms->cnt; i++)
		if (is_named(syms->syms[i].name, name) && ksym__is_text(&syms->syms[i]))
			return true;
	return false;
}

const struct fentry_target *targets__find(const struct fentry_index *idx, const struct ksyms *syms,
					  const struct vmunits *units, const char *name,
					  const char *unit)
{
	const struct fentry_target *t, *found = NULL;
	__u64 text = ksyms__text(syms);
	size_t i;

	for (i = 0; (t = fentry_index__target(idx, i)); i++) {
		if (t->module || !is_named(t->name, name))
			continue;
		if (unit && !vmunits__is(units, t->addr - text, unit))
			continue;
		if (found)
			return NULL;
		found = t;
	}
	return found;
}
