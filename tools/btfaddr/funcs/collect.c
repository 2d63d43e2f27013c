// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a file to its functions: symbols, then what DWARF says of each.
 */
#include "funcs/claim.h"
#include "funcs/collect.h"
#include "funcs/scan.h"
#include "funcs/signatures.h"

static bool is_better_name(const struct func *a, const struct func *b)
{
	if ((a->reason == REASON_NAME) != (b->reason == REASON_NAME))
		return b->reason == REASON_NAME;
	if (a->named != b->named)
		return a->named;
	return a->sym->global && !b->sym->global;
}

/* Of the names at an address: the one whose definition DWARF has there, else a global one. */
static struct func *best_name(const struct funcs *funcs, u64 addr)
{
	struct func *best = NULL, *func;
	u32 i;

	/* of equal ones the first by name, which is the last here */
	for (i = u64map_get(&funcs->by_addr, addr); i; i = funcs->next_at[i - 1]) {
		func = &funcs->funcs[i - 1];
		if (!best || !is_better_name(best, func))
			best = func;
	}
	return best;
}

/* BTF has one FUNC for an address; which other names it has is in the symbol table. */
static void leave_out_other_names(struct funcs *funcs)
{
	struct func *func;
	u32 i;

	for (i = 0; i < funcs->nr; i++) {
		func = &funcs->funcs[i];
		if (func->reason == REASON_STATIC_CALL ||
		    func == best_name(funcs, func->sym->addr))
			continue;
		func->reason = REASON_OTHER_NAME;
		if (func->sig)
			signature_free(func->sig);
		free(func->sig);
		func->sig = NULL;
	}
}

int funcs_scan(struct funcs *funcs, struct elf_file *file, u32 nr_threads)
{
	memset(funcs, 0, sizeof(*funcs));
	funcs->file = file;
	if (!file->has_text)
		return err("%s: no symbol _text, which addresses count from: give a vmlinux",
			   file->path);
	funcs_add_symbols(funcs, file);
	return scan_dwarf(funcs, file, nr_threads);
}

int funcs_collect(struct funcs *funcs, struct elf_file *file, u32 nr_threads)
{
	if (funcs_scan(funcs, file, nr_threads))
		return -1;
	read_all_signatures(funcs, file);
	leave_out_other_names(funcs);
	return 0;
}
