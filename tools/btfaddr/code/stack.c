// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arguments on the stack, such as x86's (psABI 3.2.2 and 3.2.3):
 *
 *	f:	push	%rbx			rsp is 8 below what it was at entry
 *		mov	0x18(%rsp),%rax		0x10 above rsp at entry: the second argument
 *
 * rsp is followed through the function, and so is rbp where it is a copy of rsp.
 */
#include "code/livein.h"

#define MAX_INSNS 20000
#define MAX_WORDS 64

/**
 * struct frame - where the stack pointers are, at some place
 * @sp: how far rsp is below its value at entry; -1 if that isn't known
 * @bp: the same of rbp
 * @written: argument registers that don't have their arguments any more
 * @pointer: register that got an address in the frame last, @pointed below rsp at entry; or 0
 * @bound: of an index
 */
struct frame {
	int32_t sp, bp, pointed;
	u32 written, pointer;
	struct insn_bound bound;
};

/**
 * struct stack_walk - instructions still to be looked at
 * @seen: addresses; in a compiler's code, all paths to an address have the same frame there
 * @doubt: arguments may be used that aren't in @use
 * @lost: it isn't known where some instructions are, or where the stack pointers are
 * @fps: to how many places the frame pointer was set
 */
struct stack_walk {
	struct insn_decoder *dec;
	const struct elf_file *file;
	const struct livein_ops *ops;
	struct {
		u64 addr;
		struct frame frame;
	} * todo;
	size_t nr;
	struct u64map seen;
	struct stack_use *use;
	bool doubt, lost;
	u32 fps;
};

static void push(struct stack_walk *w, u64 addr, const struct frame *frame)
{
	if (u64map_get(&w->seen, addr))
		return;
	u64map_set(&w->seen, addr, 1);
	PUSH(w->todo, w->nr, addr, *frame);
}

/* A jump out of the function hands the function's own arguments on to the target. */
static void follow_jump(struct stack_walk *w, u64 addr, const struct frame *frame)
{
	struct callee callee = {};

	w->ops->callee(w->ops->ctx, addr, &callee);
	if (callee.kind == CALLEE_NONE)
		push(w, addr, frame);
	else if (callee.kind == CALLEE_C && (!callee.known || callee.variadic))
		w->doubt = true;
	else if (callee.kind == CALLEE_UNKNOWN || callee.kind == CALLEE_INDIRECT ||
		 callee.kind == CALLEE_STATIC_CALL)
		w->doubt = true;
}

/* A function is called. */
static void forget(struct frame *frame)
{
	frame->written = UINT32_MAX;
	frame->pointer = 0;
}

/* Returns whether a called function comes back. */
static bool follow_call(struct stack_walk *w, u64 addr, struct frame *frame)
{
	struct callee callee = {};

	w->ops->callee(w->ops->ctx, addr, &callee);
	if (callee.kind != CALLEE_KEEPS)
		forget(frame);
	return !callee.noreturn;
}

/* Go on behind an instruction of @len bytes, unless another function begins there. */
static void fall(struct stack_walk *w, u64 addr, u32 len, const struct frame *frame)
{
	u64 next = code_edges_behind(w->ops->edges, addr, addr + len);

	if (!leaves_function(w->file, w->ops, addr, next))
		push(w, next, frame);
}

/*
 * Does the instruction use arguments? On x86 they are behind the return address. If the address of
 * the first one is taken, it is read through that; any other address may be the end of an argument.
 */
static void use_memory(struct stack_walk *w, const struct insn *insn, const struct frame *frame)
{
	int32_t base = insn->mem == MEM_SP ? frame->sp : frame->bp, off, end;
	u32 word, last;

	if (insn->mem == MEM_OTHER || base < 0)
		return;
	off = insn->disp - base - w->file->arch->stack_args;
	/* an index may lead from the function's own frame to arguments, or from one to others */
	if (insn->has_index || (insn->is_lea && off >= 0))
		w->doubt = true;
	if (insn->is_lea && !off && !insn->has_index)
		w->use->words |= 1;
	if (insn->is_lea && off >= 0 && off % 8 == 0 && off / 8 < MAX_WORDS)
		w->use->taken |= 1ull << off / 8;
	end = off + insn->mem_size;
	if (insn->is_lea || end <= 0)
		return;
	/* a packed member may be in two words; arm64's ldp may begin in the function's own frame */
	last = (end - 1) / 8;
	for (word = off > 0 ? off / 8 : 0; word <= last; word++) {
		if (word < MAX_WORDS && !insn->is_store)
			w->use->words |= 1ull << word;
		if (word * 8 + 8 > w->use->bytes)
			w->use->bytes = word * 8 + 8;
	}
}

/* How far below rsp at entry the memory operand is; <= 0 if that isn't known, or it is above. */
static int64_t frame_place(const struct insn *insn, const struct frame *frame)
{
	int32_t base = insn->mem == MEM_SP ? frame->sp : frame->bp;

	if (insn->mem == MEM_OTHER)
		base = insn->base && insn->base == frame->pointer ? frame->pointed : -1;
	return base < 0 || insn->has_index ? -1 : base - insn->disp;
}

/* Note which argument, if any, a word of the function's own frame gets first. */
static void note_word(struct stack_walk *w, int64_t below, u32 arg)
{
	if (below > 0 && !u64map_get(&w->use->homes, below))
		u64map_set(&w->use->homes, below, arg ? __builtin_ctz(arg) + 1 : NOT_ARG);
}

static void note_home(struct stack_walk *w, const struct insn *insn, const struct frame *frame)
{
	u32 args = w->file->arch->args & ~frame->written;
	int64_t below = frame_place(insn, frame);

	if (insn->is_lea || !insn->is_store)
		return;
	note_word(w, below, insn->stored & args);
	if (insn->is_pair)
		note_word(w, below - insn->mem_size / 2, insn->stored_next & args);
}

/* Note a register that gets an address in the frame: clang -Os stores parameters through one. */
static void note_pointer(const struct insn *insn, struct frame *frame)
{
	int64_t below = insn->sp_copy ? frame->sp : frame_place(insn, frame);

	if ((insn->sp_copy || insn->is_lea) && below > 0) {
		frame->pointer = insn->writes;
		frame->pointed = below;
	} else if (frame->pointer & (insn->writes | insn->writes_low)) {
		frame->pointer = 0;
	}
}

static void move_pointers(struct stack_walk *w, const struct insn *insn, struct frame *frame)
{
	switch (insn->sp) {
	case SP_KEPT:
		break;
	case SP_MOVED:
		if (frame->sp >= 0)
			frame->sp -= insn->sp_change;
		break;
	case SP_TO_BP:
		frame->bp = frame->sp < 0 ? -1 : frame->sp - (int32_t)insn->sp_change;
		w->fps += w->use->fp != frame->bp;
		w->use->fp = frame->bp;
		break;
	case SP_FROM_BP:
		frame->sp = frame->bp < 0 ? -1 : frame->bp - (int32_t)insn->sp_change;
		break;
	case SP_LOST:
		/* when rsp is aligned, arguments are found by rbp, and only locals by rsp */
		frame->sp = -1;
		w->lost |= frame->bp < 0;
		break;
	}
	if (insn->bp_lost)
		frame->bp = -1;
}

/* Go on where the kernel's tables say. @frame: before the instruction. */
static void follow_edges(struct stack_walk *w, const struct insn *insn, u64 addr,
			 const struct frame *frame)
{
	const struct code_edges *edges = w->ops->edges;
	const struct code_edge *edge;

	for (edge = code_edges_from(edges, addr); edge; edge = code_edges_next(edges, edge))
		push(w, edge->to ? edge->to : addr + insn->len, frame);
}

/*
 * An indirect jump that isn't by a table and leaves nothing on the stack hands the function's own
 * arguments on, as above.
 */
static void follow_table(struct stack_walk *w, const struct insn *insn, u64 addr,
			 const struct frame *frame)
{
	u64 to;
	u32 nr;
	bool bounded;
	const u8 *table =
		code_edges_table(w->ops->edges, w->file, addr, insn, &frame->bound, &nr, &bounded);

	w->doubt |= !bounded;
	w->lost |= !bounded && (insn->table || frame->sp);
	for (; bounded && nr--; table += sizeof(to)) {
		memcpy(&to, table, sizeof(to));
		push(w, to, frame);
	}
}

static void step(struct stack_walk *w, u64 addr, struct frame frame)
{
	struct frame there;
	struct insn insn;

	if (!insn_read(w->dec, w->file, addr, &insn)) {
		w->lost = true;
		return;
	}
	if (frame.sp >= 0)
		u64map_set(&w->use->depths, frame.sp, u64map_get(&w->use->depths, frame.sp) + 1);
	follow_edges(w, &insn, addr, &frame);
	use_memory(w, &insn, &frame);
	note_home(w, &insn, &frame);
	note_pointer(&insn, &frame);
	frame.written |= insn.writes | insn.writes_low;
	move_pointers(w, &insn, &frame);
	there = frame;
	insn_bound_step(&frame.bound, &insn);
	switch (insn.flow) {
	case FLOW_CALL:
		if (!follow_call(w, insn.target, &frame))
			break;
		fall(w, addr, insn.len, &frame);
		break;
	case FLOW_INDIRECT_CALL:
		forget(&frame);
		fall(w, addr, insn.len, &frame);
		break;
	case FLOW_BRANCH:
		follow_jump(w, insn.target, &there);
		/* fallthrough */
	case FLOW_NEXT:
		fall(w, addr, insn.len, &frame);
		break;
	case FLOW_JUMP:
		follow_jump(w, insn.target, &frame);
		break;
	case FLOW_INDIRECT_JUMP:
		follow_table(w, &insn, addr, &frame);
		break;
	case FLOW_RETURN:
	case FLOW_STOP:
		break;
	}
}

void stack_use_read(struct insn_decoder *dec, const struct elf_file *file, u64 entry,
		    const struct livein_ops *ops, struct stack_use *ret)
{
	struct stack_walk w = { .dec = dec, .file = file, .ops = ops, .use = ret };
	struct frame frame = { .bp = -1 };
	u32 nr = 0;

	memset(ret, 0, sizeof(*ret));
	ret->fp = INT64_MIN;
	push(&w, entry, &frame);
	while (w.nr && nr < MAX_INSNS) {
		w.nr--;
		nr++;
		step(&w, w.todo[w.nr].addr, w.todo[w.nr].frame);
	}
	ret->followed = !w.lost && !w.nr;
	if (w.fps != 1 || ret->fp < 0 || !ret->followed)
		ret->fp = INT64_MIN;
	ret->known = ret->followed && !w.doubt;
	free(w.todo);
	u64map_free(&w.seen);
}

void stack_use_free(struct stack_use *use)
{
	u64map_free(&use->depths);
	u64map_free(&use->homes);
}

int64_t stack_offset(const struct stack_use *use, int64_t off)
{
	const struct u64map_slot *slot;
	u32 nr = 0;
	u64 depth = 0;

	for_each(slot, use->depths.slots, use->depths.cap) {
		if (slot->val < nr || (slot->val == nr && slot->key < depth))
			continue;
		nr = slot->val;
		depth = slot->key;
	}
	return use->followed && nr ? off - (int64_t)depth : INT64_MIN;
}
