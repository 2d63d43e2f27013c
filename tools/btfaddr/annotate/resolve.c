// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looking up the types of all signatures in advance, on several threads.
 */
#include "annotate/resolve.h"

/**
 * struct resolve_pass - state of resolve_all()
 * @types: the caller's; its memo is not used
 * @memos: by unit, what was found there
 *
 * Each unit starts with an empty memo. So the result does not depend on which units its thread
 * had before.
 */
struct resolve_pass {
	const struct types *types;
	struct funcs *funcs;
	struct u64map *memos;
};

static void resolve_signature(struct types *types, struct signature *sig)
{
	u32 i, id;

	types_resolve(types, &sig->ret, &id);
	for (i = 0; i < sig->nr; i++) {
		if (!sig->params[i].raw)
			types_resolve(types, &sig->params[i].type, &id);
	}
}

static void resolve_unit(void *ctx, u32 unit)
{
	struct resolve_pass *pass = ctx;
	struct types types = { .idx = pass->types->idx, .own = pass->types->own };
	struct func *func;
	u32 i;

	for (i = pass->funcs->first_in[unit]; i; i = func->next_in) {
		func = &pass->funcs->funcs[i - 1];
		if (func->reason == REASON_NONE)
			resolve_signature(&types, func->sig);
	}
	pass->memos[unit] = types.memo;
	types_seen_free(&types.seen);
}

void resolve_all(struct types *types, struct funcs *funcs)
{
	struct resolve_pass pass = { .types = types, .funcs = funcs };
	u32 i;

	pass.memos = xcalloc(funcs->units.nr, sizeof(*pass.memos));
	units_each(&funcs->units, resolve_unit, &pass);
	for (i = 0; i < funcs->units.nr; i++) {
		u64map_merge(&types->memo, &pass.memos[i]);
		u64map_free(&pass.memos[i]);
	}
	free(pass.memos);
}
