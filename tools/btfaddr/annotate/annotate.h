/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_ANNOTATE_H
#define BTFADDR_ANNOTATE_H

#include "annotate/annotator.h"

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

/*
 * Does the prototype of FUNC @id of the input have all registers that the code of @func may read,
 * whose signature isn't known?
 */
bool input_covers_uses(const struct btf_image *img, u32 id, const struct func *func);

/*
 * Tag a FUNC with its unit and, if it is another one, the file that defines it. Either may be NULL.
 */
void annotator_tag_files(struct annotator *a, u32 id, const char *unit, const char *file);

/* Tag a FUNC with what the compiler changed: its declaration in the source, an unsure return. */
void annotator_tag_changes(struct annotator *a, u32 id, const struct func *func);

/*
 * Set func.input of each function, and a reason if the function is not to be described: another
 * name of its address is chosen, or ftrace can't patch it.
 */
void annotator_leave_out(struct annotator *a);

#endif
