// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions: the symbol table says which exist and where.
 */
#include "btf/check_type.h"
#include "funcs/funcs.h"

void funcs_add_symbols(struct funcs *funcs, struct elf_file *file)
{
	const struct elf_sym *sym;
	struct func *func;
	size_t i;

	funcs->funcs = xcalloc(file->nr_syms, sizeof(*funcs->funcs));
	funcs->next_at = xcalloc(file->nr_syms, sizeof(*funcs->next_at));
	u64map_reserve(&funcs->by_addr, file->nr_syms + 1);
	for (i = 0; i < file->nr_syms; i++) {
		sym = &file->syms[i];
		if (!sym->resident)
			continue;
		func = &funcs->funcs[funcs->nr];
		func->sym = sym;
		func->arity = -1;
		func->reason = REASON_NO_DWARF;
		if (name_is_static_call(sym->name))
			func->reason = REASON_STATIC_CALL;
		else if (!btf_name_valid(sym->name))
			func->reason = REASON_NAME;
		else if (sym->addr < file->text || sym->addr - file->text > UINT32_MAX)
			func->reason = REASON_OFFSET;
		funcs->next_at[funcs->nr] = u64map_get(&funcs->by_addr, sym->addr);
		u64map_set(&funcs->by_addr, sym->addr, ++funcs->nr);
	}
}

void funcs_free(struct funcs *funcs)
{
	u32 i;

	for (i = 0; i < funcs->nr; i++) {
		if (funcs->funcs[i].sig)
			signature_free(funcs->funcs[i].sig);
		free(funcs->funcs[i].sig);
		free(funcs->funcs[i].source);
	}
	free(funcs->funcs);
	free(funcs->next_at);
	free(funcs->first_in);
	u64map_free(&funcs->by_addr);
	cu_paths_free(&funcs->cus);
	code_edges_free(&funcs->edges);
	static_calls_free(&funcs->static_calls);
	units_close(&funcs->units);
	dwarf_end(funcs->dw);
	memset(funcs, 0, sizeof(*funcs));
}
