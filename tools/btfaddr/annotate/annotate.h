/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_ANNOTATE_H
#define BTFADDR_ANNOTATE_H

#include "btf/types.h"
#include "funcs/funcs.h"

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

/**
 * annotate() - give every established function a FUNC with its address
 * @img: ordinary BTF; types are appended, FUNCs get addresses, in place
 * @funcs: their reason, proto and id are filled in
 * @stats: must be all zeros before
 *
 * Types of the input keep their ids; only the prototype that a FUNC refers to may change.
 *
 * Return: 0, or -1 after an error message.
 */
int annotate(struct btf_image *img, const char *name, struct funcs *funcs, struct elf_file *file,
	     struct stats *stats);

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

/* State of annotate(). */
struct annotator {
	struct btf_image *img; /* the input, and behind it what is added */
	struct funcs *funcs;
	struct elf_file *file;
	struct stats *stats;
	struct btf_strings strs; /* of @img */
	struct types types;	 /* index of its types */
	/*
	 * By index of the function, @nr_lacking of them: its prototype, if the input has all types
	 * of the prototype but not the prototype itself; else NULL.
	 */
	struct proto **lacking;
	u32 nr_lacking;
	/* Maps the id of a FUNC of the input that got another prototype to its old prototype. */
	struct u64map corrected;
	/* By id - first id, the name of a FUNC of the input that was removed, or NULL. */
	const char **removed;
	u32 ulong_id; /* of unsigned long, the type of raw parameters; 0 if there is none */
};

/* Index the image. Returns 0, or -1 after an error message; @name is that of the input. */
int annotator_load(struct annotator *a, const char *name);
void annotator_unload(struct annotator *a);
/* Index the types that were appended to the image. */
void annotator_update(struct annotator *a);

/* The first type of this kind and name whose id is @from or more; 0 if there is none. */
u32 annotator_find(const struct annotator *a, u32 kind, const char *name, u32 from);

/* Append a FUNC, or a tag on one. Return its id. */
u32 annotator_add_func(struct annotator *a, const char *name, u32 proto);
u32 annotator_add_tag(struct annotator *a, u32 func, const char *text);

/* Tags that say a function's compilation unit, and the file that defines it if that is another. */
#define UNIT_TAG "cu:"
#define FILE_TAG "file:"
/* Says what is false about a FUNC of BTF without addresses. */
#define FALSE_TAG "false:"
void annotator_tag_path(struct annotator *a, u32 func, const char *prefix, const char *path);

/* Tag a FUNC with what the compiler changed: its declaration in the source, an unsure return. */
void annotator_tag_changes(struct annotator *a, u32 id, const struct func *func);

/*
 * Set func.input of each function, and a reason if the function is not to be described: another
 * name of its address is chosen, or ftrace can't patch it.
 */
void annotator_leave_out(struct annotator *a);

/* Set func.proto of each function whose prototype is in the input, on all threads. */
void find_in_input(struct annotator *a);

/*
 * Add the prototypes that the input lacks. Their types must be there: see add_types(). A function
 * gets a reason if its prototype can't be described.
 */
void add_protos(struct annotator *a);

/**
 * add_types() - add the types that signatures need and the input lacks
 * @name: of the input, for messages
 *
 * A function gets the reason REASON_TYPE_BAD if one of its types cannot be added, as libbpf or
 * the kernel would refuse it.
 *
 * Return: 0, or -1 after an error message.
 */
int add_types(struct annotator *a, const char *name);

#endif
