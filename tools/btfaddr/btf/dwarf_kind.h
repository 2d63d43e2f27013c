/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_DWARF_KIND_H
#define BTFADDR_DWARF_KIND_H

#include <bpf/btf.h>

#include "dwarf/dwarf_die.h"

/* BTF kind for a DIE's tag, ENUM64 as ENUM and FLOAT as INT; 0 if none fits. */
u32 die_btf_kind(Dwarf_Die *die);

/* btf_type_tag annotations of a pointer, in DWARF order. Returns their number. */
int die_type_tags(Dwarf_Die *pointer, const char **tags, int max);
#define MAX_TYPE_TAGS 8

/* Type chains in damaged DWARF may be cyclic, so nobody follows them further than this. */
#define TYPE_MAX_DEPTH 64

#endif
