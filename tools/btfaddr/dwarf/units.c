// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading the units of .debug_info on several threads.
 */
#include <stdatomic.h>

#include "dwarf/units.h"
#include "threads.h"

/**
 * struct pass - one units_each()
 * @next: first unit that no thread has yet
 */
struct pass {
	struct units *units;
	void (*fn)(void *ctx, u32 unit);
	void *ctx;
	atomic_uint next;
};

/* Take the next unit that no thread has yet, until there is none. */
static void take_units(struct pass *pass, u32 thread)
{
	struct units *units = pass->units;
	struct unit *unit;
	u32 i;

	while ((i = atomic_fetch_add(&pass->next, 1)) < units->nr) {
		unit = &units->units[i];
		unit->thread = thread;
		/* if there is no such unit, the DIE stays without .addr and has no attributes */
		if (dwarf_offdie(units->handles[thread], unit->off, &unit->die))
			pass->fn(pass->ctx, i);
	}
}

static void work(void *ctx, u32 thread)
{
	struct pass *pass = ctx;
	struct units *units = pass->units;
	u32 i;

	if (!units->assigned) {
		take_units(pass, thread);
		return;
	}
	for (i = 0; i < units->nr; i++) {
		if (units->units[i].thread == thread)
			pass->fn(pass->ctx, i);
	}
}

void units_each(struct units *units, void (*fn)(void *ctx, u32 unit), void *ctx)
{
	struct pass pass = { .units = units, .fn = fn, .ctx = ctx };

	threads_run(units->nr_threads, work, &pass);
	units->assigned = true;
}

static int list_units(struct units *units, Dwarf *dw)
{
	Dwarf_CU *cu = NULL;
	u8 unit_type;
	Dwarf_Die die;
	size_t cap = 0;
	int ret;

	while (!(ret = dwarf_get_units(dw, cu, &cu, NULL, &unit_type, &die, NULL))) {
		/* in DWARF 4, type units are in a section of their own, .debug_types */
		if (unit_type == DW_UT_type || unit_type == DW_UT_split_type)
			continue;
		GROW(units->units, units->nr, cap);
		units->units[units->nr++] = (struct unit){ .off = dwarf_dieoffset(&die) };
	}
	return ret < 0 ? -1 : 0;
}

int units_open(struct units *units, Dwarf *dw, u32 nr_threads)
{
	u32 i;

	memset(units, 0, sizeof(*units));
	units->handles = xcalloc(nr_threads, sizeof(*units->handles));
	units->handles[0] = dw;
	units->nr_threads = 1;
	if (list_units(units, dw))
		return -1;
	for (i = 1; i < nr_threads && i < units->nr; i++) {
		units->handles[i] = dwarf_begin_elf(dwarf_getelf(dw), DWARF_C_READ, NULL);
		if (!units->handles[i])
			return -1;
		units->nr_threads++;
	}
	return 0;
}

void units_close(struct units *units)
{
	u32 i;

	for (i = 1; i < units->nr_threads; i++)
		dwarf_end(units->handles[i]);
	free(units->handles);
	free(units->units);
	memset(units, 0, sizeof(*units));
}
