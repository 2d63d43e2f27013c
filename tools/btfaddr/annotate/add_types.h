/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_ADD_TYPES_H
#define BTFADDR_ADD_TYPES_H

#include "annotate/annotator.h"

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
