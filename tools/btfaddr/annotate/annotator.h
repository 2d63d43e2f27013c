/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_ANNOTATOR_H
#define BTFADDR_ANNOTATOR_H

#include "annotate/report.h"
#include "btf/types.h"

/* State of annotate(). */
struct annotator {
	struct btf_image *img; /* the input, and behind it what is added */
	struct funcs *funcs;
	struct elf_file *file;
	struct stats *stats;
	struct btf_strings strs; /* of @img */
	struct types types;	 /* index of its types */
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

/* The FUNC of a function's name that follows FUNC @id of the input; 0 if there is none. */
static inline u32 annotator_next_input(const struct annotator *a, const struct func *func, u32 id)
{
	return btf_index_next(&a->types.idx, BTF_KIND_FUNC, func->sym->name, id);
}

/* Append a FUNC, or a tag on one: @text, or @prefix and @path. Return its id. */
u32 annotator_add_func(struct annotator *a, const char *name, u32 proto);
u32 annotator_add_tag(struct annotator *a, u32 func, const char *text);
void annotator_tag_path(struct annotator *a, u32 func, const char *prefix, const char *path);

/* Set func.proto of each function whose prototype is in the input, on all threads. */
void find_in_input(struct annotator *a);

/*
 * Add the prototypes that the input lacks. Their types must be there: see add_types(). A function
 * gets a reason if its prototype can't be described.
 */
void add_protos(struct annotator *a);

#endif
