// SPDX-License-Identifier: GPL-2.0-only
/*
 * The signatures of all functions. Most are known from DWARF alone; for those that the
 * compiler may have changed, the code is asked, too, which needs to know of the others how
 * many registers they take.
 */
#include "code/livein.h"
#include "dwarf/declaration.h"
#include "elf/references.h"
#include "funcs/ask_code.h"
#include "funcs/returns.h"
#include "funcs/signatures.h"

void funcs_group_by_unit(struct funcs *funcs)
{
	struct func *func;
	u32 i;

	funcs->first_in = xcalloc(funcs->units.nr, sizeof(*funcs->first_in));
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
 * @ask_code: functions whose code must be asked, by index; set in the first pass
 * @decs: by thread, opened when the thread needs it
 */
struct signature_pass {
	struct funcs *funcs;
	struct elf_file *file;
	struct references refs;
	bool *ask_code;
	struct insn_decoder *decs;
};

/* Only LLVM changes functions, and calls of them, without a mark. */
static void find_references(struct signature_pass *pass)
{
	bool wanted = false;
	u32 i;

	for (i = 0; i < pass->funcs->nr; i++) {
		const struct func *func = &pass->funcs->funcs[i];

		wanted |= func->is_c && !func->cc.gcc;
	}
	if (wanted)
		references_find(pass->file, &pass->funcs->by_addr,
				&pass->funcs->static_calls.by_addr, &pass->refs);
}

/* May others than its own unit call it? What was static before ThinLTO may be changed. */
static bool others_call(const struct signature_pass *pass, const struct func *func)
{
	const char *dot;

	if (u64map_get(&pass->refs.taken, func->sym->addr))
		return true;
	dot = strchr(func->sym->name, '.');
	return func->sym->global && !(dot && strstr(dot, ".llvm."));
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
	src->called = u64map_get(&pass->refs.called, func->sym->addr);
	return reason;
}

/*
 * Keep a signature, most of which have few parameters. If a struct is returned in memory, it is
 * known by now whether its register is there.
 */
static void keep(struct func *func, const struct source *src, const struct signature *sig)
{
	size_t len = offsetof(struct signature, params) + sig->nr * sizeof(*sig->params);

	func->sig = xmalloc(len);
	memcpy(func->sig, sig, len);
	if (src->ret.addr && !sig->ret.addr)
		func->returns = RETURNS_DROPPED;
	else if (src->first_reg)
		func->returns = RETURNS_SOURCE;
}

/* From DWARF alone. What then can't be established is left for the second pass. */
static void read_signature(struct signature_pass *pass, u32 i)
{
	struct func *func = &pass->funcs->funcs[i];
	struct signature sig;
	struct source src;

	func->reason = read_source(pass, func, &src);
	if (func->reason)
		return;
	func->returns = src.ret.addr && src.may_drop_return ? RETURNS_OPEN : RETURNS_SOURCE;
	func->return_regs = src.ret.addr ? return_regs(src.ret_abi.size) : 0;
	/* else members may be passed in place of a pointer, more than the source has */
	if (!signature_needs_code(&src)) {
		func->arity = source_nr_regs(&src);
		func->variadic = src.variadic;
		func->reason = signature_establish(&src, NULL, &sig);
		if (!func->reason)
			keep(func, &src, &sig);
	}
	pass->ask_code[i] = !func->sig;
}

static void read_signature_with_code(struct signature_pass *pass, u32 i, struct insn_decoder *dec)
{
	struct func *func = &pass->funcs->funcs[i];
	struct signature sig;
	struct livein code;
	struct source src;

	func->reason = read_source(pass, func, &src);
	if (func->reason)
		return;
	code = code_args(dec, pass->funcs, pass->file, func->sym->addr, &src);
	func->reason = signature_establish(&src, &code, &sig);
	if (!func->reason)
		keep(func, &src, &sig);
}

/* The first pass. */
static void read_signatures(void *ctx, u32 unit)
{
	struct signature_pass *pass = ctx;
	u32 i;

	for (i = pass->funcs->first_in[unit]; i; i = pass->funcs->funcs[i - 1].next_in) {
		if (pass->funcs->funcs[i - 1].reason == REASON_NONE)
			read_signature(pass, i - 1);
	}
}

/* The second pass. */
static void read_signatures_with_code(void *ctx, u32 unit)
{
	struct signature_pass *pass = ctx;
	struct insn_decoder *dec = &pass->decs[pass->funcs->units.units[unit].thread];
	u32 i;

	for (i = pass->funcs->first_in[unit]; i; i = pass->funcs->funcs[i - 1].next_in) {
		if (!pass->ask_code[i - 1] || (!dec->handle && insn_decoder_open(dec, true)))
			continue;
		read_signature_with_code(pass, i - 1, dec);
	}
}

/* What the source says, of functions that have another signature. */
static void read_declarations(void *ctx, u32 unit)
{
	struct funcs *funcs = ctx;
	struct func *func;
	u32 i;

	for (i = funcs->first_in[unit]; i; i = func->next_in) {
		func = &funcs->funcs[i - 1];
		if (func->reason || !func->sig->changed)
			continue;
		func->source = die_declaration(&func->die, func->sig->variadic);
		if (!func->source)
			func->reason = REASON_TYPE_BAD;
	}
}

void read_all_signatures(struct funcs *funcs, struct elf_file *file)
{
	struct signature_pass pass = { .funcs = funcs, .file = file };
	u32 i;

	pass.decs = xcalloc(funcs->units.nr_threads, sizeof(*pass.decs));
	pass.ask_code = xcalloc(funcs->nr, sizeof(*pass.ask_code));
	funcs_group_by_unit(funcs);
	code_edges_read(&funcs->edges, file);
	find_references(&pass);
	units_each(&funcs->units, read_signatures, &pass);
	units_each(&funcs->units, read_signatures_with_code, &pass);
	for (i = 0; i < funcs->units.nr_threads; i++)
		insn_decoder_close(&pass.decs[i]);
	free(pass.decs);
	free(pass.ask_code);
	references_free(&pass.refs);
	settle_returns(funcs, file);
	units_each(&funcs->units, read_declarations, funcs);
}
