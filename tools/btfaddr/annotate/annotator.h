/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_ANNOTATOR_H
#define BTFADDR_ANNOTATOR_H

#include "annotate/annotate.h"
#include "btf/types.h"

/**
 * struct annotator - state of annotate()
 * @base: the input as libbpf has it
 * @split: what is added
 * @types: index of the types in @base, and of the FUNC_PROTOs in @split
 * @offsets: by id, where each type begins in @img
 * @removed: by id, whether it was a FUNC of the input and was removed
 * @ulong_id: id of unsigned long, the type of raw parameters; <0 if there is none
 */
struct annotator {
	struct btf_image *img;
	struct funcs *funcs;
	struct elf_file *file;
	struct stats *stats;
	struct btf *base, *split;
	struct types types;
	u32 *offsets;
	bool *removed;
	int ulong_id;
};

/* All return 0, or -1 after an error message; @name is that of the input. */

/* Read the image; what is added from here on goes on top of it. */
int annotator_load(struct annotator *a, const char *name);
/* The same again. Types keep their ids, so what is known of them is still true. */
int annotator_reload(struct annotator *a, const char *name);
void annotator_unload(struct annotator *a);
/* Append what was added to the image. */
int annotator_flatten(struct annotator *a);

/*
 * Set the prototype of each function that has a signature, and add those that are missing. The
 * types must be there: see add_types().
 */
int annotator_find_protos(struct annotator *a);

#endif
