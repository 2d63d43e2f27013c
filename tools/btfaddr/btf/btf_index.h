/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_BTF_INDEX_H
#define BTFADDR_BTF_INDEX_H

#include "btf/btf_image.h"

/**
 * struct btf_index - hash index of types, by content
 *
 * Types with the same key are chained in ascending order of id. The key of a type with a name is
 * that name, the key of a reference is the type that it refers to, and so on: see btf_key_*().
 * A chain may hold types with other keys as well, so callers must compare. FUNCs of a base,
 * variables and declaration tags are not in the index, as nobody looks for them.
 *
 * @img: not owned
 * @heads: first id of each chain, 0 if none
 * @next: by id, next in its chain
 * @nr: number of ids indexed so far, with void; there is room for @cap
 */
struct btf_index {
	const struct btf_image *img;
	u32 *heads;
	u32 mask;
	u32 *next;
	u32 nr, cap;
};

void btf_index_init(struct btf_index *idx, const struct btf_image *img);
void btf_index_free(struct btf_index *idx);

/* Add type @id, which must follow the last type that was indexed. */
void btf_index_add(struct btf_index *idx, u32 id);

static inline u32 btf_index_first(const struct btf_index *idx, u64 key)
{
	return idx->heads[key & idx->mask];
}

/*
 * The next type of a kind and name behind type @id, or the first one if @id is 0; 0 if there is
 * none. ENUM64 counts as BTF_KIND_ENUM.
 */
u32 btf_index_next(const struct btf_index *idx, u32 kind, const char *name, u32 id);

#define for_each_named(id, idx, kind, name)                   \
	for ((id) = btf_index_next(idx, kind, name, 0); (id); \
	     (id) = btf_index_next(idx, kind, name, id))

/* ENUM and ENUM64 share keys (as BTF_KIND_ENUM), INT and FLOAT too (as INT). */
u64 btf_key_named(u32 kind, const char *name);
u64 btf_key_ref(u32 kind, u32 type);
u64 btf_key_array(u32 type, u32 nelems);
/* Anonymous struct, union or enum. */
u64 btf_key_anon(u32 kind, u32 size, u32 vlen);

/**
 * struct proto_key - a FUNC_PROTO to look for
 * @names: of the parameters, NULL or "" if they have none; a last parameter of type 0
 *	without a name means that the function is variadic
 */
struct proto_key {
	u32 ret;
	u32 nr;
	const u32 *types;
	const char *const *names;
};

/* Id of a FUNC_PROTO that equals @key, 0 if there is none. */
u32 btf_index_find_proto(const struct btf_index *idx, const struct proto_key *key);

/**
 * struct btf_strings - index of the strings of an image
 *
 * libbpf could find and append strings. But to add a first string, it hashes all strings of
 * vmlinux, even if a module needs just that one. A small module takes 18 ms of CPU with
 * btf__new_empty_split() and btf__add_str(), 9 ms with this, and pahole takes 30 ms (7.3,
 * 2026-11-26: "btfaddr --btf_base vmlinux x.ko -o x", "pahole -J --btf_base vmlinux x.ko").
 *
 * @img: not owned
 * @by_hash: maps the hash_str() of a string to its offset
 * @end: offset of the first string that isn't in it yet
 */
struct btf_strings {
	struct btf_image *img;
	struct u64map by_hash;
	u32 end;
};

/**
 * struct base_indexes - indexes of a base alone
 *
 * For many modules, btfaddr indexes the base once, and each module gets a process that goes on with
 * the indexes: the first btf_index_init() and btf_strings_init() of it take them.
 */
struct base_indexes {
	struct btf_index types;
	struct btf_strings strs;
};

/* Set @base->indexes. */
void base_index(struct btf_image *base);

/* Free it with btf_strings_free(). */
void btf_strings_init(struct btf_strings *strs, struct btf_image *img);
void btf_strings_free(struct btf_strings *strs);

/* Offset of the first string that equals @s; 0 if there is none, or if it is empty. */
u32 btf_strings_find(struct btf_strings *strs, const char *s);
/* As btf_strings_find(), but appends the string to the image if the image lacks it. */
u32 btf_strings_add(struct btf_strings *strs, const char *s);

#endif
