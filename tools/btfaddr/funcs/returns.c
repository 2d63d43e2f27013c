// SPDX-License-Identifier: GPL-2.0-only
/*
 * Return values. If the compiler knows all callers of a function, it drops a return value that
 * none of them uses, and the register holds garbage. So the code of each direct caller must
 * tell whether it uses the register, or returns it itself:
 *
 *	g:	call	f.isra.0	uses eax: f returns what the source says
 *		test	%eax,%eax
 *	h:	jmp	f.isra.0	uses eax if h returns a value; if nothing is known of h,
 *				that is in doubt
 *
 * A value is dropped only if all callers are known not to use it.
 *
 * The callers' code also tells of another calling convention than C's. LLVM's mark of a function
 * that it has changed takes the place of that of a convention, such as preserve_most, by which
 * functions keep registers that C's may change. Callers that rely on that read such a register
 * behind the call, and a trampoline changes it.
 */
#include "code/call_sites.h"
#include "funcs/callees.h"
#include "funcs/returns.h"

/**
 * struct open_return - a function whose return value is in question
 * @func: the function; if several are at its address, one that is described, if any is
 * @kept: registers besides that of the result that it may keep by another convention
 * @use: what its callers do with the registers of results, and with @kept
 * @called: there is a direct caller
 */
struct open_return {
	const struct func *func;
	u32 kept;
	struct reg_use use;
	bool called;
};

/**
 * struct passed_on - a caller returns what its callee returns, if it returns anything
 * @callee: index + 1 in struct returns.open
 * @next: index + 1 in struct returns.passed_on of the next one with the same caller
 */
struct passed_on {
	u32 callee;
	u32 regs;
	u32 next;
};

/**
 * struct returns - state of settle_returns()
 * @by_addr: address to index in @open + 1
 * @first_passed: by index in @open: index + 1 in @passed_on
 */
struct returns {
	struct funcs *funcs;
	const struct elf_file *file;
	struct u64map by_addr;
	struct open_return *open;
	size_t nr;
	u32 *first_passed;
	struct passed_on *passed_on;
	size_t nr_passed;
};

/* List refused functions, too: they may pass on the value of one that is described. */
static void list_open(struct returns *r)
{
	const struct func *func;
	u32 nr, kept;

	for_each(func, r->funcs->funcs, r->funcs->nr) {
		kept = func->sig && func->sig->marked && !func->cc.gcc ?
			       r->file->arch->kept & ~func->return_regs :
			       0;
		if (func->returns != RETURNS_OPEN && !kept)
			continue;
		nr = u64map_get(&r->by_addr, func->sym->addr);
		if (nr) {
			if (func->sig && func->returns == RETURNS_OPEN)
				r->open[nr - 1].func = func;
			continue;
		}
		PUSH(r->open, r->nr, .func = func, .kept = kept);
		u64map_set(&r->by_addr, func->sym->addr, r->nr);
	}
	ALLOC(r->first_passed, r->nr);
}

/* The function at an address that has the code at @pc, too. */
static const struct func *func_with(const struct returns *r, u64 addr, u64 pc)
{
	const struct func *func;
	Dwarf_Die die;

	for_each_at(func, r->funcs, addr) {
		die = func->die;
		if (die.addr && dwarf_haspc(&die, pc) > 0)
			return func;
	}
	return NULL;
}

/*
 * The function that a call is in, if that is certain: code without a symbol may follow the
 * function's end. foo.cold is a part of foo.
 */
static const struct func *find_caller(const struct returns *r, const struct call_site *site)
{
	u32 index = u64map_get(&r->file->colds, site->caller), section;
	const struct elf_sym *sym;
	const struct func *func = NULL;
	const char *name, *end;
	GElf_Sym cold;
	char *base;

	if (!index || !elf_file_read_sym(r->file, index, &cold, &section))
		return func_with(r, site->caller, site->addr);
	name = elf_file_sym_name(r->file, &cold);
	for (end = strstr(name, ".cold"); strstr(end + 1, ".cold"); end = strstr(end + 1, ".cold"))
		;
	base = xasprintf("%.*s", (int)(end - name), name);
	for (sym = elf_file_first_sym(r->file, base); sym && !func;
	     sym = elf_file_next_sym(r->file, sym))
		func = func_with(r, sym->addr, site->addr);
	free(base);
	return func;
}

/*
 * The caller returns, and leaves registers of the callee's result, @regs, as the callee left them.
 * Returns those of which the caller's own callers must tell.
 */
static u32 pass_result(struct open_return *open, const struct func *caller, u32 regs)
{
	if (!caller || caller->returns == RETURNS_UNKNOWN) {
		open->use.doubts |= regs;
		return 0;
	}
	/* LLVM may return a struct in memory without its address: what rax holds is left over */
	if (caller->returns == RETURNS_DROPPED ||
	    (caller->returns_memory && !open->func->returns_memory))
		return 0;
	regs &= caller->return_regs;
	if (caller->returns == RETURNS_OPEN)
		return regs;
	open->use.reads |= regs;
	return 0;
}

/* The same for all registers that are in question. */
static void pass_on(struct returns *r, const struct call_site *site, u32 callee, u32 regs)
{
	const struct func *caller = find_caller(r, site);
	struct open_return *open = &r->open[callee - 1];
	u32 kept = regs & open->kept, nr = caller ? u64map_get(&r->by_addr, caller->sym->addr) : 0;

	if (caller && caller->reason == REASON_CONVENTION)
		open->use.reads |= kept;
	regs = pass_result(open, caller, regs & ~kept) | kept;
	if (!nr || !regs)
		return;
	PUSH(r->passed_on, r->nr_passed, callee, regs, r->first_passed[nr - 1]);
	r->first_passed[nr - 1] = r->nr_passed;
}

static void look_at_site(struct returns *r, struct insn_decoder *dec, const struct call_site *site)
{
	u32 callee = u64map_get(&r->by_addr, site->target);
	struct open_return *open = &r->open[callee - 1];
	u32 regs = open->func->return_regs | open->kept;
	struct livein found;

	open->called = true;
	if (site->jump) {
		pass_on(r, site, callee, regs);
		return;
	}
	found = code_regs(dec, r->funcs, r->file,
			  code_edges_behind(&r->funcs->edges, site->addr, site->next), regs);
	reg_use_add(&open->use, &found.use, regs);
	if (found.returned)
		pass_on(r, site, callee, found.returned);
}

/* A function that is only called through pointers isn't changed. */
static void settle_uncalled(struct open_return *open)
{
	const struct signature *sig = open->func->sig;

	if (open->called)
		return;
	if (sig && !sig->marked)
		open->use.reads = open->func->return_regs;
	else
		open->use.doubts = open->func->return_regs;
}

/* If a function's return value is used, so is any value that it passes on as its own. */
static void propagate(struct returns *r)
{
	u32 *todo = NULL, caller, i;
	size_t nr = 0;

	for (i = 0; i < r->nr; i++) {
		PUSH(todo, nr, i);
	}
	while (nr) {
		caller = todo[--nr];
		for (i = r->first_passed[caller]; i; i = r->passed_on[i - 1].next) {
			const struct passed_on *p = &r->passed_on[i - 1];

			if (!reg_use_add(&r->open[p->callee - 1].use, &r->open[caller].use,
					 p->regs))
				continue;
			PUSH(todo, nr, p->callee - 1);
		}
	}
	free(todo);
}

static void refuse(struct func *func, enum reason reason)
{
	func_drop_signature(func);
	func->reason = reason;
}

/*
 * GCC drops a value as a whole. LLVM drops halves, and returns the half that is left in the first
 * register, be it the first or the second. If the second one is used, LLVM has kept both.
 */
static void decide_one(const struct arch *arch, struct func *func, const struct open_return *open)
{
	u32 need = func->return_regs;

	func->returns = RETURNS_SOURCE;
	if (func->cc.clang_marks && !func->sig->marked) {
		func->sig->unsure = !(open->use.reads & need);
	} else if (!(may_use(&open->use) & need)) {
		signature_drop_return(func->sig);
		func->returns = RETURNS_DROPPED;
	} else if (need & ~open->use.reads & arch->result_high && !func->cc.gcc) {
		refuse(func, REASON_RETURN);
	} else {
		func->sig->unsure = !(open->use.reads & need);
	}
}

static void decide(struct returns *r)
{
	const struct open_return *open;
	struct func *func;
	u32 nr;

	for_each(func, r->funcs->funcs, r->funcs->nr) {
		nr = u64map_get(&r->by_addr, func->sym->addr);
		if (!func->sig || !nr)
			continue;
		open = &r->open[nr - 1];
		if (open->use.reads & open->kept)
			refuse(func, REASON_CONVENTION);
		else if (func->returns == RETURNS_OPEN)
			decide_one(r->file->arch, func, open);
	}
}

void settle_returns(struct funcs *funcs, const struct elf_file *file)
{
	struct returns r = { .funcs = funcs, .file = file };
	struct insn_decoder dec = {};
	struct call_sites sites = {};
	struct open_return *open;
	struct call_site *site;

	list_open(&r);
	if (r.nr && !insn_decoder_open(&dec, file->arch, true) &&
	    !call_sites_find(file, &r.by_addr, funcs->units.nr_threads, &sites)) {
		for_each(site, sites.sites, sites.nr)
			look_at_site(&r, &dec, site);
	}
	insn_decoder_close(&dec);
	for_each(open, r.open, r.nr)
		settle_uncalled(open);
	propagate(&r);
	decide(&r);
	free(sites.sites);
	free(r.open);
	free(r.first_passed);
	free(r.passed_on);
	u64map_free(&r.by_addr);
}
