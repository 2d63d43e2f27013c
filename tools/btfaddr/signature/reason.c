// SPDX-License-Identifier: GPL-2.0-only
#include "signature/reason.h"

const char *const reason_text[NR_REASONS] = {
	[REASON_NO_DWARF] = "no DWARF function at this address",
	[REASON_STATIC_CALL] = "static call trampoline",
	[REASON_LANGUAGE] = "not written in C",
	[REASON_NAME] = "name that BTF cannot have",
	[REASON_SEVERAL] = "several different DWARF functions at this address",
	[REASON_LOCATION] = "damaged parameter list or locations",
	[REASON_REGISTERS] = "parameters not where the calling convention has them",
	[REASON_CODE] = "code uses registers otherwise than DWARF says",
	[REASON_SPLIT] = "may pass parts of what a pointer points to",
	[REASON_UNDECIDED] = "parameters without location",
	[REASON_RETURN] = "half of the return value is dropped, and nothing tells which",
	[REASON_FLOAT] = "floating-point or unknown parameter type",
	[REASON_TOO_MANY] = "too many parameters",
	[REASON_TYPE_MISSING] = "type not in BTF",
	[REASON_TYPE_AMBIGUOUS] = "several BTF types look like the type",
	[REASON_TYPE_BAD] = "damaged type",
	[REASON_TYPE_UNSUPPORTED] = "type that C does not have",
	[REASON_OFFSET] = "not within 4 GiB after _text",
};

const char *const reason_key[NR_REASONS] = {
	[REASON_NO_DWARF] = "no_dwarf",
	[REASON_STATIC_CALL] = "static_call",
	[REASON_LANGUAGE] = "language",
	[REASON_NAME] = "name",
	[REASON_SEVERAL] = "several_dwarf",
	[REASON_LOCATION] = "location",
	[REASON_REGISTERS] = "registers",
	[REASON_CODE] = "code",
	[REASON_SPLIT] = "split_pointer",
	[REASON_UNDECIDED] = "undecided",
	[REASON_RETURN] = "return",
	[REASON_FLOAT] = "float",
	[REASON_TOO_MANY] = "too_many",
	[REASON_TYPE_MISSING] = "type_missing",
	[REASON_TYPE_AMBIGUOUS] = "type_ambiguous",
	[REASON_TYPE_BAD] = "type_bad",
	[REASON_TYPE_UNSUPPORTED] = "type_unsupported",
	[REASON_OFFSET] = "offset",
};
