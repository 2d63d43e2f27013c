// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Where arguments are when a function is entered: psABI 3.2.3 on x86-64, AAPCS64 on arm64, for what
 * a kernel passes. Floating-point arguments are in registers that a probe doesn't see.
 */
#include "index.h"
#include "registers.h"
#include "type.h"

#define SLOT_SIZE 8

static const unsigned char regs[] = { ARGUMENT_REGISTERS };

/* Where the next argument goes. */
struct places {
	const struct btf *btf;
	unsigned int reg;  /* position in regs */
	unsigned int slot; /* on the stack */
};

static bool is_on_stack(unsigned int slots)
{
	return !LARGE_BY_ADDRESS && slots > 2;
}

/* The address of a large return value may be in the first register. */
static void take_return(struct places *p, __u32 id)
{
	const struct btf_type *t = fentry_type__skip_names(p->btf, id);

	p->reg = !LARGE_BY_ADDRESS && btf_is_composite(t) && t->size > 2 * SLOT_SIZE;
}

static void take_stack(struct places *p, unsigned int slots, __u32 size,
		       struct fentry_location *ret)
{
	*ret = (struct fentry_location){
		.place = FENTRY_MEMORY,
		.size = size,
		.reg = REGISTER_SP,
		.offset = RETURN_ADDRESS_SIZE + p->slot * SLOT_SIZE,
	};
	p->slot += slots;
}

/* Returns false if it isn't known where this argument and the ones behind it are. */
static bool take(struct places *p, __u32 id, struct fentry_location *ret)
{
	const struct btf_type *t = fentry_type__skip_names(p->btf, id);
	__s64 size = id ? btf__resolve_size(p->btf, id) : 0;
	unsigned int slots = (size + SLOT_SIZE - 1) / SLOT_SIZE;
	bool by_address = LARGE_BY_ADDRESS && slots > 2;

	if (size <= 0 || btf_is_float(t) || btf_is_array(t))
		return false;
	if (LARGE_BY_ADDRESS && slots == 2 && btf_is_int(t)) /* aligned to two registers */
		return false;
	if (by_address)
		slots = 1;
	if (is_on_stack(slots) || p->reg + slots > sizeof(regs)) {
		/* BTF doesn't say whether a place is aligned to more than a slot */
		if (slots == 2 || by_address)
			return false;
		take_stack(p, slots, size, ret);
		return true;
	}
	*ret = (struct fentry_location){
		.place = by_address ? FENTRY_MEMORY :
			 slots == 2 ? FENTRY_REGISTERS :
				      FENTRY_REGISTER,
		.size = size,
		.reg = regs[p->reg],
		.high = slots == 2 ? regs[p->reg + 1] : 0,
	};
	p->reg += slots;
	return true;
}

void fentry_target__at_entry(const struct fentry_target *func, __u32 nr,
			     struct fentry_location *ret)
{
	const struct btf_type *proto = fentry_type__proto(func->btf, func->type_id);
	const struct btf_param *params = btf_params(proto);
	struct places p = { .btf = func->btf };
	struct fentry_location at = {};
	__u32 i;

	*ret = at;
	take_return(&p, proto->type);
	for (i = 0; i <= nr && i < btf_vlen(proto); i++)
		if (!take(&p, params[i].type, &at))
			return;
	if (i > nr)
		*ret = at;
}
