// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which registers does some code read before it writes them?
 *
 * A path is followed together with the registers that were not written on it. A called function
 * is a part of the path: a register that it reads, and that the caller hasn't written, is an
 * argument of the caller:
 *
 *	f:	mov	%rsi,%rdi	reads rsi, writes rdi
 *		jmp	g		g's rdi is f's rsi; its rsi is still f's
 *
 * After a call all argument registers are garbage (psABI 3.2.1), unless asm was called, which may
 * keep them by rules of its own. If it isn't known which, the path is followed further, but the
 * registers are "stale": another call does not take them as arguments.
 */
#include "code/livein.h"

#define MAX_INSNS     20000 /* in total, including asm that is called */
#define MAX_INSN_SIZE 15
#define MAX_DEPTH     8 /* of asm that calls asm */

/**
 * struct state - state of the registers, at some place of a path
 * @low: registers whose lowest bits were not written
 * @high: registers whose other bits were not written
 * @stale: after a call, see above
 * @inside: in a C function that was called, where an argument register may also have a result: that
 *	function may return the argument as it is
 * @bound: of an index
 * @loaded: constants in argument registers, 0 where there is none
 */
struct state {
	u32 low, high;
	bool stale, inside;
	struct insn_bound bound;
	u64 loaded[MAX_ARG_REGS];
};

/**
 * struct walk - instructions still to be looked at
 * @seen: address to the registers that were live there, see state_bits(); apart for stale ones
 * @values: address to a hash of the values that registers have there; 1 if they differ by path
 * @depth: how many calls of asm led here
 * @nr_insns: that were looked at, also in the walks that this one is a part of
 */
struct walk {
	const struct arch *arch;
	struct insn_decoder *dec;
	const struct elf_file *file;
	const struct livein_ops *ops;
	struct {
		u64 addr;
		struct state state;
	} * todo;
	size_t nr;
	struct u64map seen, values;
	struct livein found;
	u32 depth;
	u32 *nr_insns;
};

static u32 live(const struct state *s)
{
	return s->low | s->high;
}

/*
 * The state as bits, for walk.seen, which can't have 0: something is live. A state that has all
 * bits of another one finds all that the other one finds.
 */
static u32 state_bits(const struct state *s)
{
	return s->low | s->high << 16;
}

/* Never 0 or 1. */
static u32 hash_values(const struct state *s)
{
	u64 hash = s->bound.checked ? s->bound.max * 31 + s->bound.reg : 0;
	u32 i;

	for (i = 0; i < MAX_ARG_REGS; i++)
		hash = (hash + s->loaded[i]) * 0x9e3779b97f4a7c15;
	return hash >> 32 | 2;
}

/* What is known of values must hold on all paths to a place. Does it hold on one fewer now? */
static bool values_differ(struct walk *w, u64 key, const struct state *s)
{
	u32 old = u64map_get(&w->values, key), new = hash_values(s);

	if (old == 1 || old == new)
		return false;
	u64map_set(&w->values, key, old ? 1 : new);
	return old;
}

static void push(struct walk *w, u64 addr, const struct state *s)
{
	u64 key = s->inside ? ~addr : addr, seen_key = key ^ (u64)s->stale << 62;
	u32 seen = u64map_get(&w->seen, seen_key), bits = state_bits(s);
	bool differ;

	if (!live(s))
		return;
	differ = values_differ(w, key, s);
	if (!(bits & ~seen) && !differ)
		return;
	u64map_set(&w->seen, seen_key, bits | seen);
	PUSH(w->todo, w->nr, addr, *s);
	if (u64map_get(&w->values, key) == 1) {
		memset(&w->todo[w->nr - 1].state.bound, 0, sizeof(s->bound));
		memset(w->todo[w->nr - 1].state.loaded, 0, sizeof(s->loaded));
	}
}

static void doubt(struct walk *w, const struct state *s, u32 regs)
{
	if (!s->stale)
		w->found.use.doubts |= live(s) & regs;
}

static void forget(struct state *s, u32 regs)
{
	s->low &= ~regs;
	s->high &= ~regs;
}

/* The registers that arguments behind the known ones of a variadic function may be in. */
static u32 more_args(const struct walk *w, const struct callee *callee, const struct state *s)
{
	int nr = -1;

	if (!callee->known)
		return w->arch->args;
	if (callee->format && callee->nr_regs)
		nr = code_edges_format(w->ops->edges, s->loaded[callee->nr_regs - 1]);
	if (nr < 0 || callee->nr_regs + nr >= w->arch->nr_args)
		return w->arch->args & ~((1u << callee->nr_regs) - 1);
	return ((1u << nr) - 1) << callee->nr_regs;
}

static void enter(struct walk *w, u64 addr, const struct callee *callee, const struct state *s)
{
	struct state args = *s;
	u32 known = callee->known ? (1u << callee->nr_regs) - 1 : w->arch->args;

	/* a variadic function saves all argument registers, with arguments or without */
	if (callee->variadic && !callee->known)
		known = 0;
	/* a C function reads a register that is no argument only after it has written it */
	forget(&args, ~known);
	args.inside = w->arch->result & w->arch->args;
	push(w, addr, &args);
	if (callee->variadic)
		w->found.use.doubts |= live(s) & more_args(w, callee, s);
}

/*
 * Any function of the static call's prototype may be patched in, so the call uses all arguments.
 * If no declaration tells how many there are, the function that is there now does. If only a return
 * instruction is there, the number is not known.
 *
 * Returns whether the call keeps all registers, as a thunk is there now.
 */
static bool call_patchable(struct walk *w, u64 addr, struct callee *callee, const struct state *s)
{
	struct insn insn;

	if (!callee->known && insn_read(w->dec, w->file, addr, &insn) && insn.flow == FLOW_JUMP) {
		w->ops->callee(w->ops->ctx, insn.target, callee);
		if (callee->kind == CALLEE_KEEPS)
			return true;
		callee->known &= callee->kind == CALLEE_C;
	}
	if (s->stale)
		return false;
	if (callee->known && !callee->variadic)
		w->found.use.reads |= s->low & ((1u << callee->nr_regs) - 1);
	else
		w->found.use.doubts |= live(s) & w->arch->args;
	return false;
}

static struct livein walk(struct walk *w, u64 start, const struct state *s);
static struct livein walk_on(struct walk *w, u32 regs);

/* A walk that is a part of another one. */
static struct walk nested(const struct walk *w)
{
	return (struct walk){ .arch = w->arch,
			      .dec = w->dec,
			      .file = w->file,
			      .ops = w->ops,
			      .depth = w->depth + 1,
			      .nr_insns = w->nr_insns };
}

/*
 * Add the registers that asm reads, and keep those that it leaves alone: C code that calls it
 * may still use them.
 */
static void call_asm(struct walk *w, u64 addr, struct state *s)
{
	struct walk callee = nested(w);
	struct livein found = { .use.doubts = live(s) };

	if (callee.depth < MAX_DEPTH)
		found = walk(&callee, addr, s);
	reg_use_add(&w->found.use, &found.use, UINT32_MAX);
	forget(s, ~found.returned);
}

/* The function returns. What has only its upper bits left is no value any more. */
static void leave(struct walk *w, const struct state *s)
{
	if (s->inside)
		doubt(w, s, w->arch->result & s->low);
	else
		w->found.returned |= s->low;
}

/*
 * Follow a call or jump to @addr. Returns whether control comes back from there, and
 * changes @s to what is left of it then.
 */
static bool follow(struct walk *w, u64 addr, bool call, struct state *s)
{
	struct callee callee = {};

	w->ops->callee(w->ops->ctx, addr, &callee);
	switch (callee.kind) {
	case CALLEE_KEEPS:
		return true;
	case CALLEE_RETURN:
		if (!call)
			leave(w, s);
		return false;
	case CALLEE_INDIRECT:
		w->found.use.reads |= callee.target_reg & s->low;
		doubt(w, s, w->arch->args);
		return false;
	case CALLEE_NONE:
		if (call)
			doubt(w, s, w->arch->all);
		else
			push(w, addr, s);
		return false;
	case CALLEE_STATIC_CALL:
		s->stale |= !call_patchable(w, addr, &callee, s);
		return true;
	case CALLEE_UNKNOWN:
		/* the target may be asm, whose arguments can be in any register */
		doubt(w, s, w->arch->all);
		forget(s, w->arch->result);
		s->stale = true;
		return !callee.noreturn;
	case CALLEE_ASM:
		if (call)
			call_asm(w, addr, s);
		else
			push(w, addr, s);
		return !callee.noreturn;
	case CALLEE_C:
		if (!s->stale)
			enter(w, addr, &callee, s);
		return false;
	}
	return false;
}

/* Go on where the kernel's tables say. @s: the state before the instruction. */
static void follow_edges(struct walk *w, const struct insn *insn, u64 addr, const struct state *s)
{
	const struct code_edges *edges = w->ops->edges;
	const struct code_edge *edge;
	struct state there;

	for (edge = code_edges_from(edges, addr); edge; edge = code_edges_next(edges, edge)) {
		there = *s;
		w->found.use.reads |= edge->reads & s->low;
		/* after a fault, what the instruction writes may be there, or not */
		if (edge->fault)
			there.low &= ~(insn->writes | insn->writes_low);
		forget(&there, edge->writes);
		push(w, edge->to ? edge->to : addr + insn->len, &there);
	}
}

/* What may become of a register's value that is pushed. */
enum { SLOT_READ = 1, SLOT_DOUBT = 2, SLOT_RESTORED = 4 };

/**
 * struct slot_walk - who reads a word that was pushed
 * @seen: addresses; all paths to one have rsp at the same place
 * @reg: the register that was pushed
 * @found: SLOT_*
 */
struct slot_walk {
	struct walk *w;
	struct {
		u64 addr;
		int64_t off, bp;
	} * todo;
	size_t nr;
	struct u64map seen;
	u32 reg;
	u32 found;
};

/* @off: how far the word is above rsp; @bp: above rbp, INT64_MAX if rbp is something else */
static void slot_push(struct slot_walk *sw, u64 addr, int64_t off, int64_t bp)
{
	if (u64map_get(&sw->seen, addr))
		return;
	u64map_set(&sw->seen, addr, 1);
	PUSH(sw->todo, sw->nr, addr, off, bp);
}

/* The word is popped into a register: what becomes of that? */
static void slot_popped(struct slot_walk *sw, const struct insn *insn, u64 next)
{
	u32 regs = insn->writes & sw->w->arch->all;
	struct state s = { .low = regs, .high = regs };
	struct walk after = nested(sw->w);
	struct livein found;

	if (!regs || after.depth >= MAX_DEPTH) {
		sw->found |= regs ? SLOT_DOUBT : SLOT_READ;
		return;
	}
	found = walk(&after, next, &s);
	if (found.use.reads)
		sw->found |= SLOT_READ;
	else if (found.use.doubts || (found.returned & sw->w->arch->result & ~sw->reg))
		sw->found |= SLOT_DOUBT;
	if (found.returned & sw->reg)
		sw->found |= SLOT_RESTORED;
}

/* May a called function take the word as an argument? */
static bool slot_is_arg(const struct slot_walk *sw, const struct insn *insn)
{
	struct callee callee = {};

	if (insn->flow == FLOW_INDIRECT_CALL)
		return true;
	sw->w->ops->callee(sw->w->ops->ctx, insn->target, &callee);
	return (callee.kind == CALLEE_C && (!callee.known || callee.variadic)) ||
	       callee.kind == CALLEE_UNKNOWN || callee.kind == CALLEE_NONE;
}

/* Does an instruction use the word in memory, @off above its base? Returns whether that is all. */
static bool slot_used(struct slot_walk *sw, const struct insn *insn, int64_t off)
{
	if (insn->is_lea || off == INT64_MAX || insn->disp >= off + 8 ||
	    insn->disp + (int64_t)insn->mem_size <= off)
		return false;
	if (!insn->is_store)
		sw->found |= SLOT_READ;
	return true;
}

/* One instruction; the word is @off above rsp and @bp above rbp before it. */
static void slot_step(struct slot_walk *sw, const struct insn *insn, u64 addr, int64_t off,
		      int64_t bp)
{
	u64 next = addr + insn->len;

	if (insn->mem != MEM_OTHER && slot_used(sw, insn, insn->mem == MEM_SP ? off : bp))
		return;
	if (insn->pops && !off) {
		slot_popped(sw, insn, next);
		return;
	}
	if (insn->sp == SP_MOVED)
		off -= insn->sp_change;
	else if (insn->sp == SP_TO_BP)
		bp = off;
	else if (insn->sp == SP_FROM_BP && bp != INT64_MAX)
		off = bp - insn->sp_change;
	else if (insn->sp != SP_KEPT)
		sw->found |= SLOT_DOUBT;
	if (insn->bp_lost)
		bp = INT64_MAX;
	/* rsp is above the word */
	if (off < 0 || sw->found & SLOT_DOUBT)
		return;
	if ((insn->flow == FLOW_CALL || insn->flow == FLOW_INDIRECT_CALL) && slot_is_arg(sw, insn))
		sw->found |= SLOT_DOUBT;
	if (insn->flow == FLOW_INDIRECT_JUMP)
		sw->found |= SLOT_DOUBT;
	if ((insn->flow == FLOW_BRANCH || insn->flow == FLOW_JUMP))
		slot_push(sw, insn->target, off, bp);
	if (insn->flow <= FLOW_BRANCH || insn->flow == FLOW_CALL ||
	    insn->flow == FLOW_INDIRECT_CALL)
		slot_push(sw, code_edges_behind(sw->w->ops->edges, addr, next), off, bp);
}

/*
 * A register is pushed before @addr. Compilers push one to align the stack, too: only who reads the
 * word afterwards reads the register. Returns SLOT_*.
 */
static u32 slot_use(struct walk *w, u64 addr, u32 reg)
{
	struct slot_walk sw = { .w = w, .reg = reg };
	struct insn insn;

	slot_push(&sw, addr, 0, INT64_MAX);
	while (sw.nr && !(sw.found & (SLOT_READ | SLOT_DOUBT))) {
		sw.nr--;
		addr = sw.todo[sw.nr].addr;
		if (++*w->nr_insns > MAX_INSNS || !insn_read(w->dec, w->file, addr, &insn))
			sw.found |= SLOT_DOUBT;
		else
			slot_step(&sw, &insn, addr, sw.todo[sw.nr].off, sw.todo[sw.nr].bp);
	}
	free(sw.todo);
	u64map_free(&sw.seen);
	return sw.found;
}

/*
 * A push may only save a register, which is no use of its value. It is one if the function reads
 * the saved value for something else than to restore the register.
 */
static void look_at_push(struct walk *w, struct insn *insn, u64 addr, const struct state *s)
{
	u32 regs = insn->pushed & s->low, found;

	if (!regs)
		return;
	found = slot_use(w, addr + insn->len, regs);
	insn->reads &= ~insn->pushed;
	if (!(found & SLOT_READ))
		w->found.pushed = addr + insn->len;
	if (found & SLOT_READ)
		insn->reads |= regs;
	else if (found & SLOT_DOUBT)
		insn->may_read |= regs;
	if (found & SLOT_RESTORED)
		w->found.returned |= regs;
}

bool leaves_function(const struct elf_file *file, const struct livein_ops *ops, u64 addr, u64 next)
{
	struct callee callee = {};
	size_t len;

	/* a replacement goes on elsewhere */
	if (next - addr > MAX_INSN_SIZE)
		return false;
	if (!elf_file_code(file, next, &len))
		return true;
	if (elf_file_function_start(file, next) <= addr)
		return false;
	/* assembler may go on in another function */
	ops->callee(ops->ctx, next, &callee);
	return callee.kind != CALLEE_ASM;
}

/* Go on behind an instruction, unless another function begins there. */
static void fall(struct walk *w, u64 addr, u64 next, const struct state *s)
{
	if (!leaves_function(w->file, w->ops, addr, next))
		push(w, next, s);
	else if (w->depth)
		w->found.use.doubts |= live(s);
}

static void push_table(struct walk *w, const u8 *table, u32 nr, const struct state *s)
{
	u64 to;

	for (; nr--; table += sizeof(to)) {
		memcpy(&to, table, sizeof(to));
		push(w, to, s);
	}
}

/*
 * Follow a jump by a table. If its index has no known bound, some of the places may be behind the
 * end of the table, and never reached: what is read at them is in doubt.
 */
static void follow_table(struct walk *w, const struct insn *insn, u64 addr, const struct state *s)
{
	struct walk there = nested(w);
	struct livein found = { .use.doubts = live(s) };
	bool bounded;
	u32 nr;
	const u8 *table =
		code_edges_table(w->ops->edges, w->file, addr, insn, &s->bound, &nr, &bounded);

	if (bounded) {
		push_table(w, table, nr, s);
		return;
	}
	if (nr && there.depth < MAX_DEPTH) {
		push_table(&there, table, nr, s);
		found = walk_on(&there, live(s));
	}
	w->found.use.doubts |= found.use.reads | found.use.doubts;
	w->found.returned |= found.returned;
}

static void go_on(struct walk *w, const struct insn *insn, u64 addr, struct state *s)
{
	u64 next = code_edges_behind(w->ops->edges, addr, addr + insn->len);
	struct state there = *s;

	insn_bound_step(&s->bound, insn);
	switch (insn->flow) {
	case FLOW_BRANCH:
		follow(w, insn->target, false, &there);
		/* fallthrough */
	case FLOW_NEXT:
		fall(w, addr, next, s);
		break;
	case FLOW_JUMP:
		follow(w, insn->target, false, s);
		break;
	case FLOW_CALL:
		if (!follow(w, insn->target, true, s))
			break;
		forget(s, w->arch->result & ~w->arch->args);
		memset(s->loaded, 0, sizeof(s->loaded));
		fall(w, addr, next, s);
		break;
	case FLOW_INDIRECT_CALL:
		doubt(w, s, w->arch->args);
		if (!insn->pointer || !w->ops->keeps_regs(w->ops->ctx, insn->pointer))
			break;
		forget(s, w->arch->result & ~w->arch->args);
		s->stale = true;
		push(w, next, s);
		break;
	case FLOW_INDIRECT_JUMP:
		follow_table(w, insn, addr, s);
		break;
	case FLOW_RETURN:
		leave(w, s);
		break;
	case FLOW_STOP:
		break;
	}
}

/* Note the constant that an instruction loads, and forget what it overwrites. */
static void load(struct state *s, const struct insn *insn)
{
	u32 i, written = insn->writes | insn->writes_low;

	for (i = 0; i < MAX_ARG_REGS; i++) {
		if (written & 1u << i)
			s->loaded[i] = insn->loaded & 1u << i ? insn->limit : 0;
	}
}

/* Look at one instruction, where registers have the values that @s says, and note what follows. */
static void step(struct walk *w, u64 addr, struct state s)
{
	struct insn insn;
	u32 reads;

	if (!insn_read(w->dec, w->file, addr, &insn)) {
		w->found.use.doubts |= live(&s);
		return;
	}
	follow_edges(w, &insn, addr, &s);
	look_at_push(w, &insn, addr, &s);
	reads = insn.reads & s.low;
	w->found.use.reads |= reads;
	w->found.use.doubts |= insn.may_read & live(&s);
	/* if a register's lowest bits are new, the others may or may not be garbage */
	if (!s.stale)
		w->found.use.doubts |= insn.reads & ~insn.reads_low & live(&s) & ~reads;
	forget(&s, reads | insn.writes);
	s.low &= ~insn.writes_low;
	load(&s, &insn);
	go_on(w, &insn, addr, &s);
}

/* Look at all that is still to be looked at, where @regs have the values that are asked for. */
static struct livein walk_on(struct walk *w, u32 regs)
{
	while (w->nr && w->found.use.reads != regs) {
		w->nr--;
		if (++*w->nr_insns > MAX_INSNS) {
			w->found.use.doubts = regs;
			break;
		}
		step(w, w->todo[w->nr].addr, w->todo[w->nr].state);
	}
	free(w->todo);
	u64map_free(&w->seen);
	u64map_free(&w->values);
	return w->found;
}

static struct livein walk(struct walk *w, u64 start, const struct state *s)
{
	push(w, start, s);
	return walk_on(w, live(s));
}

struct livein livein_regs(struct insn_decoder *dec, const struct elf_file *file, u64 start,
			  u32 regs, const struct livein_ops *ops)
{
	u32 nr_insns = 0;
	struct walk w = {
		.arch = file->arch, .dec = dec, .file = file, .ops = ops, .nr_insns = &nr_insns
	};
	struct state s = { .low = regs, .high = regs };
	struct livein found = walk(&w, start, &s);

	found.use.doubts &= ~found.use.reads;
	return found;
}
