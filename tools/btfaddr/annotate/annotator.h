/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_ANNOTATOR_H
#define BTFADDR_ANNOTATOR_H

#include "annotate/annotate.h"
#include "btf/btf_index.h"
#include "btf/types.h"

/**
 * struct annotator - state of annotate()
 * @img: the input, and behind it what is added
 * @strs: its strings
 * @types: index of its types
 * @lacking: by index of the function, of @nr_lacking: a prototype all types of which are in the
 *	input, but it isn't
 * @corrected: maps the id of a FUNC of the input that got another prototype to the one it had
 * @removed: by id - first id, the name of a FUNC of the input that was removed, or NULL
 * @ulong_id: id of unsigned long, the type of raw parameters; 0 if there is none
 */
struct annotator {
	struct btf_image *img;
	struct funcs *funcs;
	struct elf_file *file;
	struct stats *stats;
	struct btf_strings strs;
	struct types types;
	struct proto **lacking;
	u32 nr_lacking;
	struct u64map corrected;
	const char **removed;
	u32 ulong_id;
};

/* Index the image. Returns 0, or -1 after an error message; @name is that of the input. */
int annotator_load(struct annotator *a, const char *name);
void annotator_unload(struct annotator *a);
/* Take in types that were appended to the image. */
void annotator_update(struct annotator *a);

/* The first type of this kind and name whose id is @from or more; 0 if there is none. */
u32 annotator_find(const struct annotator *a, u32 kind, const char *name, u32 from);

/* Append a FUNC, or a tag on one. Return its id. */
u32 annotator_add_func(struct annotator *a, const char *name, u32 proto);
u32 annotator_add_tag(struct annotator *a, u32 func, const char *text);

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
