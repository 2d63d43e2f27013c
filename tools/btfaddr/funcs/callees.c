// SPDX-License-Identifier: GPL-2.0-only
/*
 * What called functions do with registers, as far as their name or the calling convention
 * tells, without a look at their code.
 */
#include "funcs/callees.h"

static void find_callee(void *ctx, u64 addr, struct callee *ret)
{
	const struct funcs *funcs = ctx;
	const struct func *func = funcs_get(funcs, u64map_get(&funcs->by_addr, addr));
	const struct static_call *call;
	const char *name;

	memset(ret, 0, sizeof(*ret));
	name = func ? func->sym->name : elf_file_extern(funcs->file, addr);
	if (!name)
		return;
	ret->kind = name_is_static_call(name) ?
			    CALLEE_STATIC_CALL :
			    funcs->file->arch->kind_by_name(name, &ret->target_reg);
	if (ret->kind == CALLEE_UNKNOWN)
		ret->noreturn =
			(func && func->noreturn) || u64map_get(&funcs->noreturns, hash_str(name));
	call = ret->kind == CALLEE_STATIC_CALL ? static_calls_at(&funcs->static_calls, addr) : NULL;
	if (call) {
		ret->known = call->nr_regs >= 0;
		ret->nr_regs = call->nr_regs;
		ret->variadic = call->variadic;
	}
	if (!func || ret->kind != CALLEE_UNKNOWN)
		return;
	ret->kind = func->is_c ? CALLEE_C : CALLEE_ASM;
	ret->known = func->arity >= 0;
	ret->nr_regs = func->arity;
	ret->variadic = func->variadic;
	ret->format = func->format;
}

static bool keeps_regs(void *ctx, u64 pointer)
{
	const struct elf_file *file = ((const struct funcs *)ctx)->file;
	u32 i;

	/*
	 * If a module calls through a pointer in another file, that is in pv_ops. The module loads
	 * any other pointer into a register first.
	 */
	if (file->module)
		return pointer >= file->externs;
	for (i = 0; i < NR_PV_OPS; i++) {
		if (pointer >= file->pv_ops[i].start && pointer < file->pv_ops[i].end)
			return true;
	}
	return false;
}

/* Parameters in memory: among the arguments, or in the function's own frame. */
static void place_params(struct source *src, const struct stack_use *use)
{
	struct src_param *p;
	int64_t off;
	u32 word;

	for_each(p, src->params, src->nr) {
		struct loc *loc = &p->loc;

		off = loc->by_sp ? stack_offset(use, loc->sp_off) : INT64_MIN;
		if (loc->by_fp && use->fp != INT64_MIN)
			off = loc->sp_off - use->fp;
		if (off >= src->arch->stack_args) {
			loc->kind = LOC_STACK;
			loc->stack_off = off - src->arch->stack_args;
		} else if (off != INT64_MIN) {
			loc->homed = true;
			loc->below = -off;
		}
		for (word = 0; word < ARRAY_SIZE(loc->words) && loc->homed; word++)
			loc->words[word] = u64map_get(&use->homes, loc->below - word * 8);
	}
}

/*
 * There are arguments on the stack only after all registers are taken, or if there were some
 * in the source's signature: LLVM leaves an aggregate there, though a register may be free. What
 * takes two registers goes there if only the last one is free, as where GCC passes the members that
 * pointers before it point to.
 */
static bool may_use_stack(const struct source *src, const struct livein *found)
{
	const struct src_param *p;
	u32 regs = src->arch->args;

	for_each(p, src->params, src->nr) {
		if (p->abi.class == ABI_INT && p->abi.size > 8)
			regs = src->arch->args >> 1;
	}
	return source_nr_regs(src) < 0 || !(regs & ~may_use(&found->use));
}

static bool asks_stack(const struct source *src, const struct livein *found)
{
	bool ask = may_use_stack(src, found);
	const struct src_param *p;

	for_each(p, src->params, src->nr)
		ask |= p->loc.by_sp || p->loc.by_fp || p->loc.homed;
	return ask;
}

static struct livein_ops ops_of(struct funcs *funcs)
{
	return (struct livein_ops){
		.edges = &funcs->edges,
		.callee = find_callee,
		.keeps_regs = keeps_regs,
		.ctx = funcs,
	};
}

struct livein code_args(struct insn_decoder *dec, struct funcs *funcs, const struct elf_file *file,
			u64 entry, struct source *src)
{
	struct livein_ops ops = ops_of(funcs);
	struct livein found = livein_regs(dec, file, entry, src->arch->args, &ops);
	struct stack_use use;

	/* where an argument's register is that of the result, too, it may be returned as it is */
	if (src->ret.addr)
		found.use.doubts |=
			found.returned & src->arch->result & src->arch->args & ~found.use.reads;
	found.stack_known = true;
	if (!asks_stack(src, &found))
		return found;
	stack_use_read(dec, file, entry, &ops, &use);
	place_params(src, &use);
	found.stack_words = use.words;
	found.stack_taken = use.taken;
	if (may_use_stack(src, &found)) {
		found.stack_known = use.known;
		found.stack = use.bytes;
	}
	stack_use_free(&use);
	return found;
}

struct livein code_regs(struct insn_decoder *dec, struct funcs *funcs, const struct elf_file *file,
			u64 start, u32 regs)
{
	struct livein_ops ops = ops_of(funcs);

	return livein_regs(dec, file, start, regs, &ops);
}
