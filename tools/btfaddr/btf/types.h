/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_TYPES_H
#define BTFADDR_TYPES_H

#include <bpf/btf.h>

#include "btf/btf_index.h"
#include "dwarf/dwarf_die.h"

/**
 * struct types_seen - what types_same() has found out
 * @die_nr: maps a die_key() to a number, counted from 1
 * @verdicts: maps such a number and a BTF id to what is known of the pair
 */
struct types_seen {
	struct u64map die_nr, verdicts;
};

/**
 * types_same() - are a DWARF type and a BTF type the same?
 * @idx: index of the BTF that has type @id
 * @seen: results of earlier calls, until types are added; free with types_seen_free()
 * @strict: a mere declaration equals only a BTF_KIND_FWD
 */
bool types_same(const struct btf_index *idx, struct types_seen *seen, Dwarf_Die *die, u32 id,
		bool strict);
void types_seen_free(struct types_seen *seen);

/* Do the size, the members' names and places, or the enumerators agree? */
bool types_same_shape(const struct btf_image *img, Dwarf_Die *die, const struct btf_type *t);

/* BTF kind for a DIE's tag, ENUM64 as ENUM and FLOAT as INT; 0 if none fits. */
u32 die_btf_kind(Dwarf_Die *die);

/* btf_type_tag annotations of a pointer, in DWARF order. Returns their number. */
int die_type_tags(Dwarf_Die *pointer, const char **tags, int max);
#define MAX_TYPE_TAGS 8

/* Type chains in damaged DWARF may be cyclic, so nobody follows them further than this. */
#define TYPE_MAX_DEPTH 64

/* Why a DWARF type has no BTF type. */
enum type_status {
	TYPE_OK,
	TYPE_MISSING,	  /* not in this BTF */
	TYPE_AMBIGUOUS,	  /* several in this BTF look the same */
	TYPE_BAD,	  /* DWARF is damaged here */
	TYPE_UNSUPPORTED, /* no such thing in C */
};

/* DWARF types to BTF type ids. */
struct types {
	struct btf_index idx; /* of the BTF whose ids are wanted */
	u32 own;	      /* the first id that is not of the base */
	struct u64map memo; /* die_key() of a type to BTF id + MEMO_ID, or to an enum type_status */
	struct types_seen seen; /* which types were compared with each other */
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
