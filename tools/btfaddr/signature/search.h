/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_SEARCH_H
#define BTFADDR_SEARCH_H

#include "code/livein.h"
#include "signature/source.h"

/* What became of a parameter in a candidate signature. */
enum fate { KEPT, REMOVED, REDUCED };

/**
 * struct search - looking for the signature that agrees with all locations
 * @code: registers that the function's code reads, or NULL if it isn't looked at
 * @fates: of the parameters in the current candidate
 * @found: in the first candidate that agrees; removal is tried first
 * @nr_regs/@stack: argument registers of @found, and its bytes on the stack
 * @nr_found: how many candidates agree
 * @steps: taken so far, of MAX_STEPS
 */
struct search {
	const struct source *src;
	const struct livein *code;
	enum fate fates[MAX_PARAMS];
	enum fate found[MAX_PARAMS];
	u32 nr_found;
	u32 nr_regs, stack;
	u32 steps;
};

/* Next free argument register and stack byte, as the trampoline counts them. */
struct place {
	u32 reg;
	u32 stack;
};

/**
 * search_run() - try all signatures that the compiler may have made of the source's
 *
 * Return: REASON_NONE, and @search->nr_found says how many agree, or REASON_UNDECIDED if
 * there are too many to try.
 */
enum reason search_run(struct search *search, const struct source *src, const struct livein *code);

/*
 * The kernel's trampoline goes by the size of an argument alone. Does it look in registers for a
 * packed struct, which is in memory (psABI 3.2.3), if @nr_regs registers are taken before it, or in
 * the wrong ones for what arm64 has in an even register, or on the stack aligned to 16 bytes? The
 * kernel attaches to no function that takes a struct of more than 16 bytes.
 */
bool param_is_misplaced(const struct source *src, const struct src_param *p, u32 nr_regs);

/*
 * May a parameter be on the stack though DWARF doesn't have it there at entry? GCC says so late of
 * what is larger than a register. But a parameter that would be in a register, as one behind it is,
 * is not on the stack; and one that DWARF has on the stack comes after all that is there before it.
 */
bool params_may_be_on_stack(const struct source *src);

/* Does DWARF have a place for all bytes of a parameter? */
bool param_is_whole(const struct src_param *p);

/*
 * Does the code fill the place in its frame, where DWARF has the parameter, from something else
 * than the registers from @reg on? All callers pass one value then, or only half of it.
 */
bool param_is_stored_elsewhere(const struct src_param *p, u32 reg);

/* Give a kept parameter its place; false if DWARF or the code has something else there. */
bool place_kept(const struct search *search, const struct src_param *p, struct place *place);

/* The same for the pieces that are left of an aggregate: one register for each. */
bool place_reduced(const struct source *src, const struct src_param *p, struct place *place);

#endif
