// SPDX-License-Identifier: GPL-2.0-only
/*
 * Static calls: any function that is patched into one takes the arguments of its declaration.
 */
#include "funcs/static_calls.h"
#include "signature/source.h"

static void add(struct static_calls *calls, const char *name, u64 addr)
{
	if (!name_is_static_call(name))
		return;
	PUSH(calls->calls, calls->nr, .nr_regs = -1);
	u64map_set(&calls->by_addr, addr, calls->nr);
	u64map_set(&calls->by_name, hash_str(name), calls->nr);
}

/* Add the kernel's static calls that a module refers to. Their addresses are made up. */
static void add_externs(struct static_calls *calls, const struct elf_file *file)
{
	size_t i, nr = file->symtab->d_size / sizeof(Elf64_Sym);
	GElf_Sym sym;

	for (i = 1; i < nr && gelf_getsym(file->symtab, i, &sym); i++) {
		if (sym.st_shndx == SHN_UNDEF)
			add(calls, elf_file_sym_name(file, &sym), file->externs + i * EXTERN_SIZE);
	}
}

void static_calls_list(struct static_calls *calls, const struct elf_file *file)
{
	const struct elf_sym *sym;

	*calls = (struct static_calls){ .arch = file->arch };
	for_each(sym, file->syms, file->nr_syms)
		add(calls, sym->name, sym->addr);
	if (file->module)
		add_externs(calls, file);
}

void static_calls_free(struct static_calls *calls)
{
	free(calls->calls);
	u64map_free(&calls->by_addr);
	u64map_free(&calls->by_name);
}

u32 static_calls_find(const struct static_calls *calls, const char *name)
{
	return name_is_static_call(name) ? u64map_get(&calls->by_name, hash_str(name)) : 0;
}

const struct static_call *static_calls_at(const struct static_calls *calls, u64 addr)
{
	u32 nr = u64map_get(&calls->by_addr, addr);

	return nr ? &calls->calls[nr - 1] : NULL;
}

bool static_calls_claim(struct static_calls *calls, u32 nr)
{
	struct static_call *call = &calls->calls[nr - 1];
	bool first = !call->declared;

	call->declared = true;
	return first;
}

void static_calls_declare(struct static_calls *calls, u32 nr, Dwarf_Die *die)
{
	struct static_call *call = &calls->calls[nr - 1];
	struct compiler cc = { .arch = calls->arch };
	struct source src;

	if (source_read(die, &cc, "", 0, true, NULL, 0, &src))
		return;
	call->nr_regs = source_nr_regs(&src);
	call->variadic = src.variadic;
}
