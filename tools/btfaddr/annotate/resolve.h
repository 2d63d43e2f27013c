/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_RESOLVE_H
#define BTFADDR_RESOLVE_H

#include "btf/types.h"
#include "funcs/funcs.h"

/**
 * resolve_all() - look up the types of all signatures, on all threads
 *
 * After this, types_resolve() knows the answer for each.
 */
void resolve_all(struct types *types, struct funcs *funcs);

#endif
