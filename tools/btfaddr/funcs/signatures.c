// SPDX-License-Identifier: GPL-2.0-only
/*
 * The signatures of all functions. DWARF alone tells most of them. If the compiler may have changed
 * a function, a second pass reads its code, too. It needs to know how many registers other
 * functions take.
 */
#include <pthread.h>

#include "funcs/callees.h"
#include "funcs/returns.h"
#include "funcs/signatures.h"

/*
 * Registers in which a value of @size bytes is returned. If it is larger than 16 bytes, it is in
 * memory. On x86, rax has its address then (psABI 3.2.3, "Returning of Values").
 */
static u32 return_regs(const struct arch *arch, u64 size)
{
	return arch->result | (size > 8 && size <= MAX_REG_SIZE ? arch->result_high : 0);
}

/*
 * Is it data of the source? Lists of all functions, which are made for ftrace, are in init
 * sections or in sections of their own.
 */
static bool is_data(const GElf_Shdr *shdr, const char *name)
{
	return (shdr->sh_flags & SHF_ALLOC) && !(shdr->sh_flags & SHF_EXECINSTR) &&
	       shdr->sh_type == SHT_PROGBITS && !starts_with(name, ".init") &&
	       strcmp(name, "__mcount_loc") && strcmp(name, "__patchable_function_entries");
}

static void find_in_data(struct elf_file *file, const struct u64map *functions, struct u64map *ret)
{
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr shdr;
	u64 word;
	size_t i;

	while ((scn = elf_nextscn(file->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) ||
		    !is_data(&shdr, elf_file_section_name(file, &shdr)))
			continue;
		data = elf_rawdata(scn, NULL);
		for (i = 0; data && data->d_buf && i + 8 <= data->d_size; i += 8) {
			memcpy(&word, (u8 *)data->d_buf + i, sizeof(word));
			reference_add(functions, word, ret);
		}
	}
}

/*
 * Find what refers to some functions
 * @functions: its keys are the addresses of the functions
 * @patched: its keys are the addresses of jumps that are patched at run time, and not compiled
 * @ret: free it with references_free()
 */
static void references_find(struct elf_file *file, const struct u64map *functions,
			    const struct u64map *patched, struct references *ret)
{
	size_t i;

	memset(ret, 0, sizeof(*ret));
	if (!file->module)
		find_in_data(file, functions, &ret->taken);
	for (i = 0; i < file->nr_code; i++)
		file->arch->references(&file->code[i], functions, patched, ret);
}

static void references_free(struct references *refs)
{
	u64map_free(&refs->taken);
	u64map_free(&refs->called);
}

void funcs_group_by_unit(struct funcs *funcs)
{
	struct func *func;
	u32 i;

	ALLOC(funcs->first_in, funcs->units.nr);
	for (i = funcs->nr; i--;) {
		func = &funcs->funcs[i];
		if (!func->die.addr)
			continue;
		func->next_in = funcs->first_in[func->unit];
		funcs->first_in[func->unit] = i + 1;
	}
}

/**
 * struct signature_pass - state of the two passes over all functions
 * @refs: what refers to functions, if a compiler changes functions without a mark
 * @eh_frame: descriptions of frames that are loaded, or NULL: without these, DWARF has them
 * @decs: by thread, opened when the thread needs it
 */
struct signature_pass {
	struct funcs *funcs;
	struct elf_file *file;
	struct references refs;
	Dwarf_CFI *eh_frame;
	struct insn_decoder *decs;
};

/* Only LLVM changes functions, and calls of them, without a mark. */
static void find_references(struct signature_pass *pass)
{
	const struct func *func;
	bool wanted = false;

	for_each(func, pass->funcs->funcs, pass->funcs->nr)
		wanted |= func->is_c && !func->cc.gcc;
	if (wanted)
		references_find(pass->file, &pass->funcs->by_addr,
				&pass->funcs->static_calls.by_addr, &pass->refs);
}

/* May other units call the function? ThinLTO may change a function that was static before. */
static bool others_call(const struct signature_pass *pass, const struct func *func)
{
	if (u64map_get(&pass->refs.taken, func->sym->addr))
		return true;
	return func->sym->global && !symbol_has_suffix(func->sym->name, ".llvm");
}

/* GCC describes what instructions without a branch save behind the last of them. */
#define MAX_BUNDLE 32

/* The frame's description at @addr, which the caller frees; NULL if there is none. */
static Dwarf_Frame *frame_at(const struct signature_pass *pass, u64 addr)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	Dwarf_Frame *frame = NULL;
	Dwarf_CFI *cfi;

	/* libdw reads these descriptions when they are asked for */
	pthread_mutex_lock(&lock);
	cfi = dwarf_getcfi(pass->funcs->units.handles[0]) ?: pass->eh_frame;
	if (!cfi || dwarf_cfi_addrframe(cfi, addr, &frame))
		frame = NULL;
	pthread_mutex_unlock(&lock);
	return frame;
}

/*
 * Has the function saved registers, somewhere from @addr to @last, that the convention lets it
 * change? Its callers may rely on that, and a trampoline doesn't. Compilers also push such
 * registers to align the stack, but then they don't say in the frame's description that these are
 * saved.
 */
static bool saves_scratch(const struct signature_pass *pass, u64 addr, u64 last)
{
	Dwarf_Frame *frame;
	Dwarf_Op mem[3], *ops;
	bool saves = false;
	const u8 *reg;
	size_t nr;

	for (; addr <= last && !saves && (frame = frame_at(pass, addr)); addr++) {
		for (reg = pass->file->arch->dwarf_scratch; *reg != 0xff; reg++)
			saves |= !dwarf_frame_register(frame, *reg, mem, &ops, &nr) && nr;
		free(frame);
	}
	return saves;
}

/* Which of struct arch.saved does the frame's description say are saved at @addr? */
static u32 saved_at(const struct signature_pass *pass, u64 addr)
{
	const struct arch *arch = pass->file->arch;
	Dwarf_Frame *frame = frame_at(pass, addr);
	Dwarf_Op mem[3], *ops;
	u32 saved = 0, reg;
	size_t nr;

	/* without one, nothing tells */
	if (!frame)
		return arch->saved;
	for (reg = 0; reg < arch->nr_regs; reg++) {
		if (!dwarf_frame_register(frame, reg, mem, &ops, &nr) && nr)
			saved |= arch_saved_bit(arch, reg);
	}
	free(frame);
	return saved;
}

/*
 * Does the function use registers that C functions save before, and saves none of them? Those of
 * preserve_none do: they take arguments in such registers, and keep none.
 */
static bool uses_unsaved(const struct signature_pass *pass, const struct func *func,
			 struct insn_decoder *dec)
{
	u32 used = func->in_saved, regs;
	Dwarf_Addr base, addr, end;
	Dwarf_Die die = func->die;
	ptrdiff_t off = 0;
	struct insn insn;

	while ((off = dwarf_ranges(&die, off, &base, &addr, &end)) > 0) {
		for (; addr < end; addr += insn.len) {
			/* what it saves may be behind what isn't understood */
			if (!insn_read(dec, pass->file, addr, &insn))
				return false;
			regs = (insn.reads | insn.writes | insn.writes_low) &
			       pass->file->arch->saved;
			if (regs && saved_at(pass, addr))
				return false;
			used |= regs;
		}
	}
	return used;
}

/* Has the function no code but assembler? */
static bool is_naked(const struct arch *arch, Dwarf_Die *die, const u8 *code, size_t len)
{
	Dwarf_Addr start, end;

	return arch->is_naked && code && !dwarf_lowpc(die, &start) && !dwarf_highpc(die, &end) &&
	       end - start <= len && arch->is_naked(code, end - start);
}

static enum reason read_source(const struct signature_pass *pass, const struct func *func,
			       struct source *src)
{
	struct func copy = *func;
	enum reason reason;
	const u8 *code;
	size_t len = 0;

	code = elf_file_code(pass->file, func->sym->addr, &len);
	reason = source_read(&copy.die, &func->cc, func->sym->name, func->sym->addr,
			     others_call(pass, func), code, len, src);
	if (!reason &&
	    ((src->pushes && saves_scratch(pass, src->body, src->body)) ||
	     (func->cc.gcc && !func->codeless && is_naked(pass->file->arch, &copy.die, code, len))))
		reason = REASON_CONVENTION;
	src->called = u64map_get(&pass->refs.called, func->sym->addr);
	return reason;
}

/*
 * Keep a copy with room for just its parameters, mostly few. If a struct is returned in memory, the
 * signature already tells whether the compiler dropped it. Where its address isn't an argument, it
 * may still be in its register if no caller uses the struct, and a tracer must not change that.
 */
static void keep(struct func *func, const struct source *src, const struct signature *sig)
{
	size_t len = offsetof(struct signature, params) + sig->nr * sizeof(*sig->params);

	func->sig = xmalloc(len);
	memcpy(func->sig, sig, len);
	if (src->ret.addr && !sig->ret.addr) {
		func->returns = RETURNS_DROPPED;
	} else if (func->returns_memory) {
		func->sig->unsure = !src->first_reg && src->may_drop_return;
		func->returns = RETURNS_SOURCE;
	}
}

/* LLVM says where arguments arrive; GCC may say where they are moved to. */
static u32 args_in_saved(const struct source *src)
{
	u32 i, regs = 0;

	for (i = 0; i < src->nr && !src->gcc; i++) {
		if (src->params[i].loc.kind == LOC_ODD)
			regs |= src->params[i].loc.saved;
	}
	return regs;
}

static bool ends_in_format(const struct source *src)
{
	const char *name = src->nr ? src->params[src->nr - 1].name : "";

	return !strcmp(name, "fmt") || !strcmp(name, "format");
}

/* From DWARF alone. A signature that can't be established so is left for the second pass. */
static void read_signature(struct signature_pass *pass, struct func *func)
{
	struct signature sig;
	struct source src;

	func->noreturn = die_flag(&func->die, DW_AT_noreturn);
	func->reason = read_source(pass, func, &src);
	func->ask_code = func->reason == REASON_UNSTATED;
	if (func->reason)
		return;
	func->returns = src.ret.addr && (src.may_drop_return || src.may_return_garbage) ?
				RETURNS_OPEN :
				RETURNS_SOURCE;
	func->return_regs = src.ret.addr ? return_regs(src.arch, src.ret_abi.size) : 0;
	func->returns_memory =
		src.ret.addr && (src.ret_abi.class == ABI_MEMORY || src.ret_abi.class == ABI_REF);
	/* otherwise members may be passed instead of a pointer, in more registers */
	if (src.fixed || !signature_needs_code(&src))
		func->arity = source_nr_regs(&src);
	func->variadic = src.variadic;
	func->format = src.variadic && ends_in_format(&src);
	if (!signature_needs_code(&src)) {
		func->reason = signature_establish(&src, NULL, &sig);
		if (!func->reason)
			keep(func, &src, &sig);
	}
	func->ask_code = !func->sig;
}

static void read_signature_with_code(struct signature_pass *pass, struct func *func,
				     struct insn_decoder *dec)
{
	struct signature sig;
	struct livein code;
	struct source src;

	func->reason = read_source(pass, func, &src);
	if (func->reason == REASON_UNSTATED) {
		code = code_regs(dec, pass->funcs, pass->file, func->sym->addr, src.arch->args);
		func->uses = may_use(&code.use);
	}
	if (func->reason)
		return;
	func->in_saved = args_in_saved(&src);
	code = code_args(dec, pass->funcs, pass->file, func->sym->addr, &src);
	if (code.pushed && saves_scratch(pass, code.pushed, code.pushed + MAX_BUNDLE)) {
		func->reason = REASON_CONVENTION;
		return;
	}
	func->reason = signature_establish(&src, &code, &sig);
	/* what the code may do can't change the signature of a fixed one */
	if (func->reason && func->reason != REASON_CONVENTION && src.fixed &&
	    source_nr_regs(&src) >= 0 && !(code.use.reads >> source_nr_regs(&src)))
		func->reason = signature_establish(&src, NULL, &sig);
	if (!func->reason)
		keep(func, &src, &sig);
}

/* The first pass. */
static void read_signatures(void *ctx, u32 unit)
{
	struct signature_pass *pass = ctx;
	struct func *func;

	for_each_in(func, pass->funcs, unit) {
		if (!func->reason)
			read_signature(pass, func);
	}
}

/* The second pass. */
static void read_signatures_with_code(void *ctx, u32 unit)
{
	struct signature_pass *pass = ctx;
	struct insn_decoder *dec = &pass->decs[pass->funcs->units.units[unit].thread];
	struct func *func;

	for_each_in(func, pass->funcs, unit) {
		if (!dec->handle && insn_decoder_open(dec, pass->file->arch, true))
			continue;
		if (func->ask_code)
			read_signature_with_code(pass, func, dec);
		/* clang's other functions of another convention have its mark */
		if (func->sig && (func->cc.gcc || func->sig->marked) &&
		    uses_unsaved(pass, func, dec)) {
			func_drop_signature(func);
			func->reason = REASON_CONVENTION;
		}
	}
}

/* Read the source's declaration of each function whose signature differs. */
static void read_declarations(void *ctx, u32 unit)
{
	struct funcs *funcs = ctx;
	struct func *func;

	for_each_in(func, funcs, unit) {
		if (func->reason || !func->sig->changed)
			continue;
		func->source = die_declaration(&func->die, func->sig->variadic);
		if (!func->source)
			func->reason = REASON_TYPE_BAD;
	}
}

int funcs_collect(struct funcs *funcs, struct elf_file *file, u32 nr_threads)
{
	struct signature_pass pass = { .funcs = funcs, .file = file };
	u32 i;

	if (funcs_scan(funcs, file, nr_threads))
		return -1;
	ALLOC(pass.decs, funcs->units.nr_threads);
	funcs_group_by_unit(funcs);
	code_edges_read(&funcs->edges, file);
	find_references(&pass);
	pass.eh_frame = dwarf_getcfi_elf(file->elf);
	units_each(&funcs->units, read_signatures, &pass);
	units_each(&funcs->units, read_signatures_with_code, &pass);
	for (i = 0; i < funcs->units.nr_threads; i++)
		insn_decoder_close(&pass.decs[i]);
	free(pass.decs);
	dwarf_cfi_end(pass.eh_frame);
	references_free(&pass.refs);
	settle_returns(funcs, file);
	units_each(&funcs->units, read_declarations, funcs);
	return 0;
}
