/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_TYPES_H
#define BTFADDR_TYPES_H

#include "btf/btf_index.h"
#include "btf/types_same.h"
#include "dwarf/dwarf_die.h"

/* Why a DWARF type has no BTF type. */
enum type_status {
	TYPE_OK,
	TYPE_MISSING,	  /* not in this BTF */
	TYPE_AMBIGUOUS,	  /* several in this BTF look the same */
	TYPE_BAD,	  /* DWARF is damaged here */
	TYPE_UNSUPPORTED, /* no such thing in C */
};

/**
 * struct types - DWARF types to BTF type ids
 * @idx: index of the BTF whose ids are wanted
 * @own: of a module's BTF, the first id that is not its base's
 * @memo: maps the die_key() of a type to BTF id + MEMO_ID, or to an enum type_status
 * @seen: which types were compared with each other
 */
struct types {
	struct btf_index idx;
	u32 own;
	struct u64map memo;
	struct types_seen seen;
};

void types_init(struct types *types, const struct btf_image *img);
void types_free(struct types *types);

/**
 * types_resolve() - find the BTF type of a DWARF type
 * @die: the type's DIE; its .addr is NULL for void
 * @id_ret: BTF id, set on TYPE_OK
 *
 * A struct is looked for by name and layout. If several definitions of the name
 * have that layout, their members' types decide, as deep as necessary.
 */
enum type_status types_resolve(struct types *types, Dwarf_Die *die, u32 *id_ret);

/* Index the types that were appended to the image, and look again for what was missing. */
void types_index_added(struct types *types);

#endif
