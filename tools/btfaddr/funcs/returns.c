// SPDX-License-Identifier: GPL-2.0-only
/*
 * Return values. Of a function whose callers it all knows, the compiler drops what nobody
 * uses, and leaves in the register whatever is there. So each direct caller is asked
 * whether it uses the register, or returns it itself:
 *
 *	g:	call	f.isra.0	uses eax: f returns what the source says
 *		test	%eax,%eax
 *	h:	jmp	f.isra.0	does if h returns a value; it can't be told if nothing
 *				is known of h
 *
 * A value is dropped only if all callers are known not to use it.
 */
#include <stdatomic.h>

#include "funcs/funcs.h"

/**
 * struct call_site - a direct call of a function, or a jump to it
 * @addr: of the instruction
 * @next: of the one behind it
 * @caller: address of the function symbol that it is in or behind, 0 without
 * @target: what is called
 * @jump: the function returns to the caller's caller
 */
struct call_site {
	u64 addr, next;
	u64 caller;
	u64 target;
	bool jump;
};

struct call_sites {
	struct call_site *sites;
	size_t nr, cap;
};

/* How much code a thread looks at at a time. */
#define PIECE_SIZE 0x40000
/* Bits of addresses, so that most that are no target need not be looked up. */
#define FILTER_BITS 0x10000

/**
 * struct piece - a part of a section, and what was found there
 * @from: where it starts, and @to where it ends, in bytes from the section's start
 */
struct piece {
	const struct code_section *section;
	u64 from, to;
	struct call_sites sites;
};

/**
 * struct finder - state of call_sites_find()
 * @filter: has the bit of each target
 * @next: first piece that no thread has yet
 * @failed: a thread has no decoder
 */
struct finder {
	const struct elf_file *file;
	const struct u64map *targets;
	u8 filter[FILTER_BITS / 8];
	struct piece *pieces;
	size_t nr, cap;
	atomic_size_t next;
	atomic_bool failed;
};

/* By its first byte, how long a direct call or jump is. Most bytes begin none. */
static const u8 branch_lens[256] = {
	[0x0f] = 6, [0x70 ... 0x7f] = 2, [0xe8] = 5, [0xe9] = 5, [0xeb] = 2,
};

/* The same without those that lead 128 bytes away at most. */
static const u8 far_branch_lens[256] = {
	[0x0f] = 6,
	[0xe8] = 5,
	[0xe9] = 5,
};

/* Length of what may be a direct call or jump, and its displacement; else 0. */
static inline u32 branch_len(const u8 *code, u64 left, int32_t *disp)
{
	u32 len = branch_lens[code[0]];

	if (!len || left < len || (code[0] == 0x0f && (code[1] & 0xf0) != 0x80))
		return 0;
	if (len == 2)
		*disp = (int8_t)code[1];
	else
		memcpy(disp, code + len - sizeof(*disp), sizeof(*disp));
	return len;
}

static u8 *filter_byte(struct finder *f, u64 target)
{
	return &f->filter[target >> 7 & (sizeof(f->filter) - 1)];
}

/* Most functions are aligned to 16 bytes. */
static u8 filter_bit(u64 target)
{
	return 1 << (target >> 4 & 7);
}

static void fill_filter(struct finder *f)
{
	const struct u64map *targets = f->targets;
	size_t i;

	for (i = 0; i < targets->cap; i++) {
		if (targets->slots[i].val)
			*filter_byte(f, targets->slots[i].key) |= filter_bit(targets->slots[i].key);
	}
}

static void add_candidate(struct finder *f, struct piece *piece, u64 i)
{
	const struct code_section *section = piece->section;
	struct call_sites *ret = &piece->sites;
	u64 next, target;
	int32_t disp;
	u32 len;

	len = branch_len(section->data + i, section->size - i, &disp);
	if (!len)
		return;
	next = section->addr + i + len;
	target = next + disp;
	if (!(*filter_byte(f, target) & filter_bit(target)) || !u64map_get(f->targets, target))
		return;
	GROW(ret->sites, ret->nr, ret->cap);
	ret->sites[ret->nr++] = (struct call_site){
		.addr = section->addr + i,
		.next = next,
		.target = target,
		.jump = section->data[i] != 0xe8,
	};
}

/* Bytes that one byte of the filter is for. */
#define BLOCK 128

/* May short jumps from the block at @addr lead to a target? They reach into the next but one. */
static bool is_near(struct finder *f, u64 addr)
{
	return *filter_byte(f, addr - BLOCK) | *filter_byte(f, addr) |
	       *filter_byte(f, addr + BLOCK) | *filter_byte(f, addr + 2 * BLOCK);
}

static void add_candidates(struct finder *f, struct piece *piece)
{
	const u8 *data = piece->section->data, *lens;
	u64 i = piece->from, end, addr;

	while (i < piece->to) {
		addr = piece->section->addr + i;
		end = i + BLOCK - addr % BLOCK;
		if (end > piece->to)
			end = piece->to;
		lens = is_near(f, addr) ? branch_lens : far_branch_lens;
		for (; i < end; i++) {
			if (lens[data[i]])
				add_candidate(f, piece, i);
		}
	}
}

/* Where to start decoding in order to reach @addr: at its function, or else at @addr itself. */
static u64 decode_start(const struct elf_file *file, const struct call_site *site)
{
	const struct code_section *section = elf_file_code_section(file, site->addr);

	/* don't decode all that lies between the symbol and this section, if it isn't in here */
	return !section || site->caller < section->addr ? site->addr : site->caller;
}

/* Drop the candidates that aren't instructions, decoding each function once. */
static void check_candidates(struct insn_decoder *dec, const struct elf_file *file,
			     struct call_sites *sites)
{
	u64 addr = 0, start = 0;
	const u8 *code;
	size_t i, nr = 0, len;

	for (i = 0; i < sites->nr; i++) {
		struct call_site *site = &sites->sites[i];

		site->caller = elf_file_function_start(file, site->addr);
		if (!i || decode_start(file, site) != start)
			addr = start = decode_start(file, site);
		while (addr < site->addr) {
			code = elf_file_code(file, addr, &len);
			/* data, or an instruction that isn't known: go on behind it */
			addr += code ? insn_len(dec, code, len, addr) ?: 1 : 1;
		}
		if (addr == site->addr)
			sites->sites[nr++] = *site;
	}
	sites->nr = nr;
}

/* Take the next piece that no thread has yet, until there is none. */
static void take_pieces(void *ctx, u32 thread)
{
	struct insn_decoder dec = {};
	struct finder *f = ctx;
	size_t i;

	if (insn_decoder_open(&dec, false)) {
		f->failed = true;
	} else {
		while ((i = atomic_fetch_add(&f->next, 1)) < f->nr) {
			add_candidates(f, &f->pieces[i]);
			check_candidates(&dec, f->file, &f->pieces[i].sites);
		}
	}
	insn_decoder_close(&dec);
}

static void list_pieces(struct finder *f)
{
	const struct code_section *section = f->file->code;
	u64 from, left;
	size_t i;

	for (i = 0; i < f->file->nr_code; i++, section++) {
		for (from = 0; section->data && from < section->size; from += PIECE_SIZE) {
			left = section->size - from;
			GROW(f->pieces, f->nr, f->cap);
			f->pieces[f->nr++] = (struct piece){
				.section = section,
				.from = from,
				.to = from + (left < PIECE_SIZE ? left : PIECE_SIZE),
			};
		}
	}
}

/*
 * Find who calls some functions
 * @targets: has the address of each
 * @nr_threads: to look on, at most
 * @ret: in order of address; free @ret->sites
 *
 * Looks for bytes that would be calls, and then from the start of the function on whether
 * there is an instruction.
 *
 * Return: 0, or -1 after an error message.
 */
static int call_sites_find(const struct elf_file *file, const struct u64map *targets,
			   u32 nr_threads, struct call_sites *ret)
{
	struct finder f = { .file = file, .targets = targets };
	struct call_sites *sites;
	size_t i, k;

	memset(ret, 0, sizeof(*ret));
	fill_filter(&f);
	list_pieces(&f);
	threads_run(nr_threads, take_pieces, &f);
	for (i = 0; i < f.nr; i++) {
		sites = &f.pieces[i].sites;
		for (k = 0; k < sites->nr; k++) {
			GROW(ret->sites, ret->nr, ret->cap);
			ret->sites[ret->nr++] = sites->sites[k];
		}
		free(sites->sites);
	}
	free(f.pieces);
	return f.failed ? -1 : 0;
}

/**
 * struct open_return - a function whose return value is in question
 * @func: one that is described, if any is
 * @use: what its callers do with REG_RAX and REG_RDX
 * @called: there is a direct caller
 */
struct open_return {
	const struct func *func;
	struct reg_use use;
	bool called;
};

/**
 * struct passed_on - a function returns what another one does, if it returns anything
 * @next: index + 1 in struct returns.passed_on of another that the same caller passes on
 */
struct passed_on {
	u32 callee; /* as struct returns.by_addr has it */
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
	size_t nr, cap;
	u32 *first_passed;
	struct passed_on *passed_on;
	size_t nr_passed, cap_passed;
};

/* List refused functions, too: they may pass on the value of one that is described. */
static void list_open(struct returns *r)
{
	const struct func *func;
	u32 i, nr;

	for (i = 0; i < r->funcs->nr; i++) {
		func = &r->funcs->funcs[i];
		if (func->returns != RETURNS_OPEN)
			continue;
		nr = u64map_get(&r->by_addr, func->sym->addr);
		if (nr) {
			if (func->sig)
				r->open[nr - 1].func = func;
			continue;
		}
		GROW(r->open, r->nr, r->cap);
		r->open[r->nr++] = (struct open_return){ .func = func };
		u64map_set(&r->by_addr, func->sym->addr, r->nr);
	}
	r->first_passed = xcalloc(r->nr, sizeof(*r->first_passed));
}

/*
 * The function that a call is in, if that is certain: behind its end there may be code that
 * has no symbol. Cold parts are in its DIE, but nothing here leads from one to it.
 */
static const struct func *find_caller(const struct returns *r, const struct call_site *site)
{
	u32 i = u64map_get(&r->funcs->by_addr, site->caller);
	const struct func *func;
	Dwarf_Die die;

	for (; i; i = r->funcs->next_at[i - 1]) {
		func = &r->funcs->funcs[i - 1];
		die = func->die;
		if (die.addr && dwarf_haspc(&die, site->addr) > 0)
			return func;
	}
	return NULL;
}

/* The caller returns, and leaves @regs as the callee left them. */
static void pass_on(struct returns *r, const struct call_site *site, u32 callee, u32 regs)
{
	const struct func *caller = find_caller(r, site);
	u32 nr;

	if (!caller || caller->returns == RETURNS_UNKNOWN) {
		r->open[callee - 1].use.doubts |= regs;
		return;
	}
	if (caller->returns == RETURNS_DROPPED)
		return;
	regs &= caller->return_regs;
	if (caller->returns == RETURNS_SOURCE) {
		r->open[callee - 1].use.reads |= regs;
		return;
	}
	nr = u64map_get(&r->by_addr, site->caller);
	GROW(r->passed_on, r->nr_passed, r->cap_passed);
	r->passed_on[r->nr_passed++] = (struct passed_on){ callee, regs, r->first_passed[nr - 1] };
	r->first_passed[nr - 1] = r->nr_passed;
}

static void look_at_site(struct returns *r, struct insn_decoder *dec, const struct call_site *site)
{
	u32 callee = u64map_get(&r->by_addr, site->target);
	struct open_return *open = &r->open[callee - 1];
	u32 regs = open->func->return_regs;
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

/* What is only called through pointers isn't changed. */
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
	size_t nr = 0, cap = 0;

	for (i = 0; i < r->nr; i++) {
		GROW(todo, nr, cap);
		todo[nr++] = i;
	}
	while (nr) {
		caller = todo[--nr];
		for (i = r->first_passed[caller]; i; i = r->passed_on[i - 1].next) {
			const struct passed_on *p = &r->passed_on[i - 1];

			if (!reg_use_add(&r->open[p->callee - 1].use, &r->open[caller].use,
					 p->regs))
				continue;
			GROW(todo, nr, cap);
			todo[nr++] = p->callee - 1;
		}
	}
	free(todo);
}

static void refuse(struct func *func)
{
	signature_free(func->sig);
	free(func->sig);
	func->sig = NULL;
	func->reason = REASON_RETURN;
}

/*
 * GCC drops a value as a whole. LLVM drops halves, and returns the half that is left in rax, be it
 * the first or the second. If rdx is used, LLVM has kept both.
 */
static void decide_one(struct func *func, const struct open_return *open)
{
	u32 need = func->return_regs;

	func->returns = RETURNS_SOURCE;
	if (!(may_use(&open->use) & need)) {
		signature_drop_return(func->sig);
		func->returns = RETURNS_DROPPED;
	} else if (need & ~open->use.reads & REG_RDX && !func->cc.gcc) {
		refuse(func);
	}
}

static void decide(struct returns *r)
{
	struct func *func;
	u32 i, nr;

	for (i = 0; i < r->funcs->nr; i++) {
		func = &r->funcs->funcs[i];
		if (!func->sig || func->returns != RETURNS_OPEN)
			continue;
		nr = u64map_get(&r->by_addr, func->sym->addr);
		decide_one(func, &r->open[nr - 1]);
	}
}

void settle_returns(struct funcs *funcs, const struct elf_file *file)
{
	struct returns r = { .funcs = funcs, .file = file };
	struct insn_decoder dec = {};
	struct call_sites sites = {};
	size_t i;

	list_open(&r);
	if (r.nr && !insn_decoder_open(&dec, true) &&
	    !call_sites_find(file, &r.by_addr, funcs->units.nr_threads, &sites)) {
		for (i = 0; i < sites.nr; i++)
			look_at_site(&r, &dec, &sites.sites[i]);
	}
	insn_decoder_close(&dec);
	for (i = 0; i < r.nr; i++)
		settle_uncalled(&r.open[i]);
	propagate(&r);
	decide(&r);
	free(sites.sites);
	free(r.open);
	free(r.first_passed);
	free(r.passed_on);
	u64map_free(&r.by_addr);
}
