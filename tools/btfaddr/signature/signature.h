/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_SIGNATURE_H
#define BTFADDR_SIGNATURE_H

#include "code/livein.h"
#include "signature/source.h"

/**
 * struct sig_param - a parameter as it is passed
 * @name: of the parameter, or <param>__<member>; owned by the signature if @own
 * @raw: an argument register of unknown type: some member of the parameter that @name is made
 *	from, as the register's 64 bits
 * @type: its DWARF type, unset if @raw
 */
struct sig_param {
	const char *name;
	bool own;
	bool raw;
	Dwarf_Die type;
};

/**
 * struct signature - what a function takes and returns at its address
 * @changed: not what the source says
 * @marked: the compiler says that it changed something
 * @variadic: followed by `...`
 * @ret: type of the return value, .addr NULL for void
 * @unsure: the compiler may have dropped the value
 * @nr_regs: how many argument registers it takes, in their order
 * @stack: how many bytes on the stack, when all registers are taken
 * @nr_raw: how many of @params are raw
 * @params: the first @nr are set; a copy that is kept has no more than these
 */
struct signature {
	bool changed;
	bool marked;
	bool variadic;
	bool unsure;
	Dwarf_Die ret;
	u32 nr_regs, stack;
	u32 nr_raw;
	u32 nr;
	struct sig_param params[MAX_PARAMS];
};

/* Is the function's code needed to find its signature? If not, DWARF is enough. */
bool signature_needs_code(const struct source *src);

/**
 * signature_establish() - the signature of a function instance
 * @src: what DWARF says of it
 * @code: argument registers that its code reads; NULL if these are not known
 * @sig: set on REASON_NONE; free with signature_free()
 *
 * If types can't be established, but @code leaves no doubt about the registers, these are
 * raw parameters, and so is the address at which to return a struct.
 */
enum reason signature_establish(const struct source *src, const struct livein *code,
				struct signature *sig);
/**
 * struct sig_place - where the calling convention has a parameter when the function is entered
 * @size: in bytes; 0 if it isn't passed
 * @nr_regs: it is in so many argument registers, from number @reg on; if 0, it is in memory, at
 *	offset @stack behind the return address
 */
struct sig_place {
	u32 size, nr_regs, reg, stack;
};

/**
 * signature_places() - where a function has its parameters
 * @first_reg: number of the first argument register that may have one
 * @ret: room for @sig->nr of them
 *
 * Return: false if they can't be stated.
 */
bool signature_places(const struct signature *sig, const struct arch *arch, u32 first_reg,
		      struct sig_place *ret);

void signature_free(struct signature *sig);

/* Nobody uses what the function returns: make it void. */
void signature_drop_return(struct signature *sig);

#endif
