/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_PROTOS_H
#define BTFADDR_PROTOS_H

#include "annotate/annotator.h"

/* Set func.proto of each function whose prototype is in the input, on all threads. */
void find_in_input(struct annotator *a);

/* Is it a FUNC of that name, and not the base's? */
bool is_input_func(const struct annotator *a, u32 id, const char *name);

/*
 * Add the prototypes of the other functions that have a signature. The types must be there: see
 * add_types(). A function of which that can't be done gets a reason.
 */
void add_protos(struct annotator *a);

#endif
