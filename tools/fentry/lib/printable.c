// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Refusing types that libbpf's printer can't print: nobody may have verified the BTF. */
#include "printable.h"

/* Entries of libbpf's stack, which are types that are being printed. */
#define STACK_MAX 64
/*
 * libbpf moves the stack when it gets more entries than these, and then loses those that it has yet
 * to print.
 */
#define STACK_STAYS 16
/* Levels of types that contain each other. */
#define DEPTH_MAX 32
/* Types to look at. 64 bytes of a nameless struct count as one: it may have gaps to print. */
#define STEPS_MAX 100000

struct walk {
	const struct btf *btf;
	int steps;
};

/* Entries on libbpf's stack, and how many there may be. */
struct stack {
	int cnt, max;
};

static bool decl_ends(struct walk *w, __u32 id, struct stack stack);

/* Return a type; NULL if there is none, or if too many were looked at already. */
static const struct btf_type *step(struct walk *w, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(w->btf, id);

	return t && w->steps-- > 0 ? t : NULL;
}

/* Does btf__align_of() find an alignment of a type? */
static bool is_aligned(struct walk *w, __u32 id, int depth)
{
	const struct btf_type *t = step(w, id);
	__u32 i;

	if (!t || depth == DEPTH_MAX)
		return false;
	if (btf_is_ptr(t))
		return true;
	if (btf_is_mod(t) || btf_is_typedef(t))
		return is_aligned(w, t->type, depth + 1);
	if (btf_is_array(t))
		return is_aligned(w, btf_array(t)->type, depth + 1);
	for (i = 0; btf_is_composite(t) && i < btf_vlen(t); i++)
		if (!is_aligned(w, btf_members(t)[i].type, depth + 1))
			return false;
	return btf_is_composite(t) ||
	       (t->size && (btf_is_int(t) || btf_is_any_enum(t) || btf_is_float(t)));
}

/* Is a member in the struct, and behind the one before it? Else libbpf prints an endless gap. */
static bool member_fits(const struct walk *w, const struct btf_type *t, __u32 i)
{
	__u32 off = btf_member_bit_offset(t, i);
	long long size = 0;

	if (!btf_member_bitfield_size(t, i))
		size = btf__resolve_size(w->btf, btf_members(t)[i].type);
	if (i && btf_is_struct(t) && off < btf_member_bit_offset(t, i - 1))
		return false;
	return off / 8 + (size > 0 ? size : 0) <= t->size;
}

static bool members_end(struct walk *w, const struct btf_type *t, struct stack stack)
{
	const struct btf_member *m = btf_members(t);
	__u32 i;

	w->steps -= t->size / 64 < STEPS_MAX ? t->size / 64 : STEPS_MAX;
	for (i = 0; i < btf_vlen(t); i++)
		if (!is_aligned(w, m[i].type, 0) || !member_fits(w, t, i) ||
		    !decl_ends(w, m[i].type, stack))
			return false;
	return true;
}

static bool params_end(struct walk *w, const struct btf_type *t, struct stack stack)
{
	const struct btf_param *p = btf_params(t);
	__u32 i;

	for (i = 0; i < btf_vlen(t); i++)
		if (!decl_ends(w, p[i].type, stack))
			return false;
	return true;
}

/* Check the parts of a type that libbpf prints with the type. */
static bool parts_end(struct walk *w, const struct btf_type *t, struct stack stack)
{
	if (btf_is_func_proto(t))
		return params_end(w, t, stack);
	if (btf_is_composite(t) && !t->name_off)
		return members_end(w, t, stack);
	return true;
}

/* Return the next type of a declaration; -1 if it ends, -2 if no declaration has this type. */
static long next_id(const struct btf_type *t)
{
	switch (btf_kind(t)) {
	case BTF_KIND_PTR:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
	case BTF_KIND_FUNC_PROTO:
		return t->type;
	case BTF_KIND_ARRAY:
		return btf_array(t)->type;
	case BTF_KIND_FUNC:
	case BTF_KIND_VAR:
	case BTF_KIND_DATASEC:
	case BTF_KIND_DECL_TAG:
		return -2;
	default:
		return -1;
	}
}

/*
 * libbpf has all types from @id to the end of its pointers on the stack while it prints their
 * parts. A pointer to a nameless struct is printed after the struct's members.
 */
static bool decl_ends(struct walk *w, __u32 id, struct stack stack)
{
	const struct btf_type *chain[STACK_MAX];
	int cnt = 0, i;
	long next;

	for (next = id; next >= 0; next = next_id(chain[cnt++]))
		if (stack.cnt++ >= stack.max || !(chain[cnt] = step(w, next)))
			return false;
	for (i = 0; i < cnt; i++) {
		if (i && btf_is_composite(chain[i]))
			stack.max = STACK_STAYS;
		if (!parts_end(w, chain[i], stack))
			return false;
	}
	return next == -1;
}

bool fentry_btf__printable(const struct btf *btf, __u32 id)
{
	struct walk w = { .btf = btf, .steps = STEPS_MAX };

	return decl_ends(&w, id, (struct stack){ .max = STACK_MAX });
}
