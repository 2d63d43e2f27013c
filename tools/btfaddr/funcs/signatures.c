// SPDX-License-Identifier: GPL-2.0
/*
 * The signatures of all functions: what DWARF says of each, unit by unit, and then what
 * code says where that leaves something open.
 */
#include "dwarf/location.h"
#include "funcs/signatures.h"
#include "signature/livein.h"

/* For units_each(): the functions of each unit, in order. */
static void group_by_unit(struct funcs *funcs)
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

static void read_signature(struct func *func, struct elf_file *file)
{
	struct signature sig;
	const u8 *code;
	size_t len = 0;

	code = elf_file_code(file, func->sym->addr, &len);
	func->reason = signature_read(&func->die, &func->cc, func->sym->name, func->sym->addr,
				      code, len, &sig);
	if (func->reason)
		return;
	/* most have few parameters; signature_close() may add some to an open one */
	len = sizeof(sig);
	if (!sig.open)
		len = offsetof(struct signature, params) + sig.nr * sizeof(*sig.params);
	func->sig = xmalloc(len);
	memcpy(func->sig, &sig, len);
}

struct signature_pass {
	struct funcs *funcs;
	struct elf_file *file;
};

static void read_signatures(void *ctx, u32 unit)
{
	struct signature_pass *pass = ctx;
	struct func *func;
	u32 i;

	for (i = pass->funcs->first_in[unit]; i; i = func->next_in) {
		func = &pass->funcs->funcs[i - 1];
		if (func->reason == REASON_NONE)
			read_signature(func, pass->file);
	}
}

/* For livein_regs(): which registers the function at @addr takes. */
static enum target_kind target_at(void *ctx, u64 addr, struct livein *ret)
{
	const struct funcs *funcs = ctx;
	u32 i = u64map_get(&funcs->by_addr, addr);
	const struct signature *sig;
	const char *name;

	name = i ? funcs->funcs[i - 1].sym->name : elf_file_extern(funcs->file, addr);
	if (!name)
		return TARGET_INSIDE;
	if (!strcmp(name, "__fentry__"))
		return TARGET_KEEPS;
	if (!strcmp(name, "__x86_return_thunk"))
		return TARGET_RETURN;
	sig = i ? funcs->funcs[i - 1].sig : NULL;
	if (sig)
		ret->reads = (1u << sig->nr_regs) - 1;
	ret->doubts = ALL_ARG_REGS & ~ret->reads;
	if (sig && !sig->open && !sig->variadic)
		ret->doubts = 0;
	return TARGET_CALL;
}

/*
 * How many argument registers a function takes that has an open signature. -1: its
 * code leaves it open, too; or all registers are taken, and there may be more on the
 * stack.
 */
static int count_regs(struct func *func, struct elf_file *file, const struct livein_ops *ops)
{
	u32 known = (1u << func->sig->nr_regs) - 1, nr = func->sig->nr_regs;
	struct livein found;

	found = livein_regs(file, func->sym->addr, ALL_ARG_REGS & ~known, ops);
	while (found.reads >> nr)
		nr++;
	return found.doubts >> nr || nr == NR_ARG_REGS ? -1 : (int)nr;
}

/* See what the code says where DWARF leaves open how many registers are arguments. */
static void settle_open(struct funcs *funcs, struct elf_file *file)
{
	struct livein_ops ops = { .target = target_at, .ctx = funcs };
	struct func *func;
	int nr;
	u32 i;

	for (i = 0; i < funcs->nr; i++) {
		func = &funcs->funcs[i];
		if (!func->sig || !func->sig->open)
			continue;
		nr = count_regs(func, file, &ops);
		if (nr < 0 || (nr > (int)func->sig->nr_regs && !func->cc.gcc) ||
		    signature_close(func->sig, nr))
			func->reason = REASON_SPLIT;
	}
}

void read_all_signatures(struct funcs *funcs, struct elf_file *file)
{
	struct signature_pass pass = { .funcs = funcs, .file = file };

	group_by_unit(funcs);
	units_each(&funcs->units, read_signatures, &pass);
	settle_open(funcs, file);
}
