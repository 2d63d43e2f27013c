/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BTFADDR_TYPES_SAME_H
#define BTFADDR_TYPES_SAME_H

#include "btf/btf_index.h"
#include "dwarf/dwarf_die.h"

/**
 * types_same() - are a DWARF type and a BTF type the same?
 * @idx: of the BTF that @id is of
 * @strict: a mere declaration equals only a BTF_KIND_FWD
 */
bool types_same(const struct btf_index *idx, Dwarf_Die *die, u32 id, bool strict);

/* Do size and the names and places of members, or of enumerators, agree? */
bool types_same_shape(const struct btf *btf, Dwarf_Die *die, const struct btf_type *t);

#endif
