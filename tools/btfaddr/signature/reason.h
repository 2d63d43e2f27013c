/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_REASON_H
#define BTFADDR_REASON_H

/* Why a function has no address in the output. Texts in reason_text[]. */
enum reason {
	REASON_NONE,
	REASON_NO_DWARF,
	REASON_STATIC_CALL,
	REASON_OTHER_NAME,
	REASON_UNTRACEABLE,
	REASON_LANGUAGE,
	REASON_NAME,
	REASON_SEVERAL,
	REASON_LOCATION,
	REASON_REGISTERS,
	REASON_CODE,
	REASON_SPLIT,
	REASON_UNDECIDED,
	REASON_RETURN,
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

#endif
