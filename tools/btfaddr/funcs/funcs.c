// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions: the symbol table says which exist and where, a table of ftrace's which it can patch.
 */
#include "btf/check.h"
#include "funcs/funcs.h"

/*
 * endbr64 is before what is patched. More is behind the start of a function where a weak one was,
 * which has no symbol any more: FTRACE_MCOUNT_MAX_OFFSET in arch/x86/include/asm/ftrace.h.
 */
#define MAX_SITE_OFFSET 4

/*
 * By address, the functions that ftrace can patch. Returns false if there is no table of them, as
 * in a kernel without CONFIG_DYNAMIC_FTRACE. __patchable_function_entries is no such table on x86:
 * it has the padding before each function.
 */
static bool find_traceable(struct elf_file *file, struct u64map *ret)
{
	size_t size = file->mcount.end - file->mcount.start, i;
	const u8 *sites = file->module ? elf_file_section(file, "__mcount_loc", &size) :
					 elf_file_range(file, &file->mcount);
	u64 site, start;

	for (i = 0; sites && i + sizeof(site) <= size; i += sizeof(site)) {
		memcpy(&site, sites + i, sizeof(site));
		start = elf_file_function_start(file, site);
		if (start && site - start <= MAX_SITE_OFFSET)
			u64map_set(ret, start, 1);
	}
	return ret->nr;
}

void funcs_add_symbols(struct funcs *funcs, struct elf_file *file)
{
	struct u64map traceable = {};
	bool any = find_traceable(file, &traceable);
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
		func->useful = !any || u64map_get(&traceable, sym->addr) ||
			       u64map_get(&file->btf_ids, hash_str(sym->name));
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
	u64map_free(&traceable);
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
