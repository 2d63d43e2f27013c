/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_REPORT_H
#define BTFADDR_REPORT_H

#include "btf/btf_image.h"
#include "funcs/funcs.h"

/* Tags that say a function's compilation unit, and the file that defines it if that is another. */
#define UNIT_TAG "cu:"
#define FILE_TAG "file:"
/* Says what is false about a FUNC of BTF without addresses. */
#define FALSE_TAG "false:"

/* What the compiler put behind the name of the source. */
enum suffix {
	SUFFIX_NONE,
	SUFFIX_ISRA,
	SUFFIX_CONSTPROP,
	SUFFIX_PART,
	SUFFIX_LLVM,
	SUFFIX_OTHER,
	NR_SUFFIXES
};

/* What happened to the functions. */
struct stats {
	u32 seen;      /* functions of resident text: (symbol name, address) pairs */
	u32 annotated; /* those of them whose FUNC has an address */
	u32 ambiguous_seen, ambiguous; /* of @seen, @annotated: others have the name, too */
	u32 kept;      /* annotated FUNCs that the input had with this very prototype */
	u32 corrected; /* annotated FUNCs of the input that got another prototype */
	u32 added;     /* FUNCs that are new */
	u32 changed;   /* annotated functions whose signature isn't the source's; a tag says so */
	u32 dropped;   /* functions annotated as void, because nobody uses what they return */
	u32 by_suffix[NR_SUFFIXES]; /* annotated functions, by SUFFIX_* */
	u32 left[NR_REASONS];	    /* functions that are not annotated, by reason */
	/*
	 * FUNCs of the input that were removed: their signature could not be established, or
	 * another FUNC of the name has the function.
	 */
	u32 removed;
	u32 init;	     /* FUNCs of the input whose only functions are in init text */
	u32 no_symbol;	     /* FUNCs of the input without any symbol */
	u32 types_added;     /* types that were missing in the input */
	u32 already;	     /* addresses that the input had already; the rest is 0 then */
	size_t source_bytes; /* size of the tags of @changed, with their strings */
	size_t bytes_in, bytes_out;
};

/* By type id, the path in the "cu:" tag of a FUNC of the image itself, or NULL. To be freed. */
const char **unit_tags(const struct btf_image *img);

/* Print what happened, on stdout. */
void report_stats(const struct stats *stats, bool json);

/* Print each function that has no address in @img, and the reason, on stdout. */
void report_left_out(const struct funcs *funcs, const struct elf_file *file,
		     const struct btf_image *img);

/**
 * report_dump() - print each FUNC, on stdout, in the order of ids
 * @name: of the file, for messages
 * @file: it, or NULL if it is a BTF file
 *
 * A line has the offset from _text ("-" if it has none), the type id, the compilation unit from its
 * "cu:" tag ("-" if it has none) and the C prototype. A function of a module has section and offset
 * instead, as in .text+0x10. The functions of a module's base are not printed.
 *
 * Return: 0, or -1 after an error message.
 */
int report_dump(const struct btf_image *img, const char *name, const struct elf_file *file);

#endif
