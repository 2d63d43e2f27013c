/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BTFADDR_SIGNATURE_H
#define BTFADDR_SIGNATURE_H

#include "dwarf/dwarf_die.h"

/* Why a function has no address in the output. Texts in reason_text[]. */
enum reason {
	REASON_NONE,
	REASON_NO_DWARF,
	REASON_LANGUAGE,
	REASON_NAME,
	REASON_SEVERAL,
	REASON_LOCATION,
	REASON_REGISTERS,
	REASON_SPLIT,
	REASON_UNDECIDED,
	REASON_FLOAT,
	REASON_TOO_MANY,
	REASON_TYPE_MISSING,
	REASON_TYPE_AMBIGUOUS,
	REASON_TYPE_BAD,
	REASON_TYPE_UNSUPPORTED,
	REASON_OFFSET,
	NR_REASONS
};

/* "no DWARF description", ... and the key of each in --stats=json. */
extern const char *const reason_text[NR_REASONS];
extern const char *const reason_key[NR_REASONS];

#define MAX_PARAMS 32

/**
 * struct sig_param - a parameter as it is passed
 * @name: of the parameter, or <param>__<member>; owned by the signature if @own
 * @raw: a register of which only that it is an argument is known: some member of
 *	what @name is called after, as the 64 bits that the register has
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
 * @ret: type of the return value, .addr NULL for void
 * @variadic: followed by `...`
 * @nr_regs: how many argument registers it takes, in their order
 * @open: more may follow, passed in place of a trailing pointer that is gone: see
 *	signature_close()
 * @open_name: parameter that these would be members of; NULL if it may be several
 * @nr_raw: how many of @params are raw
 * @params: the first @nr; in a copy that is kept, and isn't open, no more are there
 */
struct signature {
	bool changed;
	bool variadic;
	bool open;
	const char *open_name;
	u32 nr_regs;
	u32 nr_raw;
	Dwarf_Die ret;
	u32 nr;
	struct sig_param params[MAX_PARAMS];
};

/**
 * struct compiler - who compiled a unit, and so what DWARF doesn't say
 * @gcc: signature changes show in the symbol's name (.isra, .constprop, .part)
 * @clang_marks: signature changes show as DW_CC_nocall (LLVM 15 and later)
 */
struct compiler {
	bool gcc;
	bool clang_marks;
};

/**
 * signature_read() - establish the signature of a function instance
 * @die: its concrete DIE
 * @symbol: its name in the symbol table, suffixes included
 * @entry: its address
 * @code: its first bytes, of which there are @len
 * @sig: set on REASON_NONE; free with signature_free()
 */
enum reason signature_read(Dwarf_Die *die, const struct compiler *cc, const char *symbol,
			   u64 entry, const u8 *code, size_t len, struct signature *sig);
void signature_free(struct signature *sig);

/**
 * signature_close() - add the raw parameters at the end of an open signature
 * @nr_regs: how many argument registers the function takes in all
 *
 * Return: 0, or -1 if these are too many.
 */
int signature_close(struct signature *sig, u32 nr_regs);

/* Read DW_AT_producer. */
void compiler_read(Dwarf_Die *unit, struct compiler *cc);

#endif
