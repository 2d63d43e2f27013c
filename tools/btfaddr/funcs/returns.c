// SPDX-License-Identifier: GPL-2.0-only
/*
 * Return values. Of a function whose callers it all knows, the compiler drops what nobody
 * uses, and leaves in the register whatever is there. So a type is stated where a direct
 * caller uses the register, or returns it itself:
 *
 *	g:	call	f.isra.0	uses eax: f returns what the source says
 *		test	%eax,%eax
 *	h:	jmp	f.isra.0	does if h returns a value
 */
#include "code/call_sites.h"
#include "funcs/ask_code.h"
#include "funcs/returns.h"

/**
 * struct open_return - a function whose return value is in question
 * @used: registers that a caller was found to use, REG_RAX and REG_RDX
 * @called: there is a direct caller
 */
struct open_return {
	u64 addr;
	u32 used;
	bool called;
};

/* A function that returns what another one does, if it returns anything. */
struct passed_on {
	u32 callee, caller;	/* as struct returns.by_addr has them */
	u32 regs;
};

/**
 * struct returns - state of settle_returns()
 * @by_addr: address to index in @open + 1
 */
struct returns {
	struct funcs *funcs;
	const struct elf_file *file;
	struct u64map by_addr;
	struct open_return *open;
	size_t nr, cap;
	struct passed_on *passed_on;
	size_t nr_passed, cap_passed;
};

static void list_open(struct returns *r)
{
	const struct func *func;
	u32 i;

	for (i = 0; i < r->funcs->nr; i++) {
		func = &r->funcs->funcs[i];
		if (!func->sig || func->sig->returns != RETURN_OPEN ||
		    u64map_get(&r->by_addr, func->sym->addr))
			continue;
		GROW(r->open, r->nr, r->cap);
		r->open[r->nr++] = (struct open_return){ .addr = func->sym->addr };
		u64map_set(&r->by_addr, func->sym->addr, r->nr);
	}
}

/* Registers that the function at @addr returns a value in, as far as that is certain. */
static u32 certain_regs(const struct funcs *funcs, u64 addr)
{
	u32 i = u64map_get(&funcs->by_addr, addr);

	return i ? funcs->funcs[i - 1].return_regs : 0;
}

/* The caller leaves @regs as the function left them, and returns. */
static void pass_on(struct returns *r, const struct call_site *site, u32 regs)
{
	u32 callee = u64map_get(&r->by_addr, site->target);
	u32 caller = u64map_get(&r->by_addr, site->caller);

	r->open[callee - 1].used |= regs & certain_regs(r->funcs, site->caller);
	if (caller) {
		GROW(r->passed_on, r->nr_passed, r->cap_passed);
		r->passed_on[r->nr_passed++] = (struct passed_on){ callee, caller, regs };
	}
}

static void look_at_site(struct returns *r, struct insn_decoder *dec,
			 const struct call_site *site)
{
	u32 callee = u64map_get(&r->by_addr, site->target);
	struct livein found;

	r->open[callee - 1].called = true;
	if (site->jump) {
		pass_on(r, site, REG_RAX | REG_RDX);
		return;
	}
	found = code_regs(dec, r->funcs, r->file, site->next, REG_RAX | REG_RDX);
	r->open[callee - 1].used |= found.reads;
	if (found.returned)
		pass_on(r, site, found.returned);
}

/* What is returned by a function whose return value is used is used, too. */
static void propagate(struct returns *r)
{
	bool more = true;
	size_t i;
	u32 regs;

	while (more) {
		more = false;
		for (i = 0; i < r->nr_passed; i++) {
			const struct passed_on *p = &r->passed_on[i];

			regs = r->open[p->caller - 1].used & p->regs;
			if (!(regs & ~r->open[p->callee - 1].used))
				continue;
			r->open[p->callee - 1].used |= regs;
			more = true;
		}
	}
}

static void decide(struct returns *r)
{
	struct signature *sig;
	u32 i, nr, need;

	for (i = 0; i < r->funcs->nr; i++) {
		sig = r->funcs->funcs[i].sig;
		if (!sig || sig->returns != RETURN_OPEN)
			continue;
		nr = u64map_get(&r->by_addr, r->funcs->funcs[i].sym->addr);
		/* of two registers both, else one half may be all that is returned */
		need = return_regs(sig->ret_size);
		/* what is only called through pointers isn't changed */
		if (!sig->marked && !r->open[nr - 1].called)
			need = 0;
		if ((r->open[nr - 1].used & need) == need)
			sig->returns = RETURN_SOURCE;
		else
			signature_drop_return(sig);
	}
}

void settle_returns(struct funcs *funcs, const struct elf_file *file)
{
	struct returns r = { .funcs = funcs, .file = file };
	struct insn_decoder dec = {};
	struct call_sites sites = {};
	size_t i;

	list_open(&r);
	if (r.nr && !insn_decoder_open(&dec)) {
		call_sites_find(&dec, file, &r.by_addr, &sites);
		for (i = 0; i < sites.nr; i++)
			look_at_site(&r, &dec, &sites.sites[i]);
		propagate(&r);
	}
	insn_decoder_close(&dec);
	decide(&r);
	free(sites.sites);
	free(r.open);
	free(r.passed_on);
	u64map_free(&r.by_addr);
}
