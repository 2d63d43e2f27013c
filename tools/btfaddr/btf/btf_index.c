// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding types of a BTF by their content.
 */
#include "btf/btf_index.h"

u64 btf_key_named(u32 kind, const char *name)
{
	return hash_mix(kind, hash_str(name));
}

u64 btf_key_ref(u32 kind, u32 type)
{
	return hash_mix(kind + 100, type);
}

u64 btf_key_array(u32 type, u32 nelems)
{
	return hash_mix(hash_mix(BTF_KIND_ARRAY + 200, type), nelems);
}

u64 btf_key_anon(u32 kind, u32 size, u32 vlen)
{
	return hash_mix(hash_mix(kind + 300, size), vlen);
}

u32 btf_index_next(const struct btf_index *idx, u32 kind, const char *name, u32 id)
{
	const struct btf_type *t;

	id = id ? idx->next[id] : btf_index_first(idx, btf_key_named(kind, name));
	for (; id; id = idx->next[id]) {
		t = type_by_id(idx->img, id);
		if ((btf_kind(t) == kind || (kind == BTF_KIND_ENUM && btf_is_enum64(t))) &&
		    !strcmp(type_name(idx->img, t), name))
			break;
	}
	return id;
}

/* The key leaves out names, which are compared in the end: few prototypes differ by names alone. */
static u64 btf_key_proto(const struct proto_key *key)
{
	u64 h = hash_mix(key->ret + 400, key->nr);
	u32 i;

	for (i = 0; i < key->nr; i++)
		h = hash_mix(h, key->types[i]);
	return h;
}

static u64 type_proto_key(const struct btf_type *t)
{
	const struct btf_param *p = btf_params(t);
	u64 h = hash_mix(t->type + 400, btf_vlen(t));
	u32 i;

	for (i = 0; i < btf_vlen(t); i++)
		h = hash_mix(h, p[i].type);
	return h;
}

static bool proto_equal(const struct btf_image *img, const struct btf_type *t,
			const struct proto_key *key)
{
	const struct btf_param *p = btf_params(t);
	u32 i;

	if (!btf_is_func_proto(t) || t->type != key->ret || btf_vlen(t) != key->nr)
		return false;
	for (i = 0; i < key->nr; i++) {
		if (p[i].type != key->types[i] ||
		    strcmp(btf_image_str(img, p[i].name_off), key->names[i] ?: ""))
			return false;
	}
	return true;
}

u32 btf_index_find_proto(const struct btf_index *idx, const struct proto_key *key)
{
	u32 id;

	for (id = btf_index_first(idx, btf_key_proto(key)); id; id = idx->next[id]) {
		if (proto_equal(idx->img, type_by_id(idx->img, id), key))
			return id;
	}
	return 0;
}

/* Does anyone look for types of this kind? Sets the type's key. */
static bool type_key(const struct btf_index *idx, u32 id, u64 *key_ret)
{
	const struct btf_type *t = type_by_id(idx->img, id);
	u32 kind = btf_kind(t);
	const char *name;

	switch (kind) {
	case BTF_KIND_VAR:
	case BTF_KIND_DATASEC:
	case BTF_KIND_DECL_TAG:
		return false;
	case BTF_KIND_PTR:
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		*key_ret = btf_key_ref(kind, t->type);
		return true;
	case BTF_KIND_ARRAY:
		*key_ret = btf_key_array(btf_array(t)->type, btf_array(t)->nelems);
		return true;
	case BTF_KIND_FUNC_PROTO:
		*key_ret = type_proto_key(t);
		return true;
	case BTF_KIND_FUNC:
		if (id < idx->img->first_id)
			return false;
		break;
	case BTF_KIND_FLOAT:
		kind = BTF_KIND_INT;
		break;
	case BTF_KIND_ENUM64:
		kind = BTF_KIND_ENUM;
		break;
	}
	name = type_name(idx->img, t);
	*key_ret = *name ? btf_key_named(kind, name) : btf_key_anon(kind, t->size, btf_vlen(t));
	return true;
}

void btf_index_add(struct btf_index *idx, u32 id)
{
	u64 key;
	u32 *p;

	if (id >= idx->cap) {
		idx->cap = id * 2;
		idx->next = xrealloc(idx->next, idx->cap * sizeof(*idx->next));
	}
	idx->next[id] = 0;
	idx->nr = id + 1;
	if (!type_key(idx, id, &key))
		return;
	/* at the end, so that the chain stays in order */
	for (p = &idx->heads[key & idx->mask]; *p;)
		p = &idx->next[*p];
	*p = id;
}

/* Take what there is of the base, and go on with @img's own types. */
static bool take_types(struct btf_index *idx, const struct btf_image *img)
{
	struct base_indexes *from = img->base ? img->base->indexes : NULL;

	if (!from || !from->types.img)
		return false;
	*idx = from->types;
	memset(&from->types, 0, sizeof(from->types));
	idx->img = img;
	while (idx->nr < img->nr_types)
		btf_index_add(idx, idx->nr);
	return true;
}

void btf_index_init(struct btf_index *idx, const struct btf_image *img)
{
	u32 size = 1024, id;
	u64 key;

	if (take_types(idx, img))
		return;
	while (size < img->nr_types)
		size *= 2;
	idx->img = img;
	idx->mask = size - 1;
	ALLOC(idx->heads, size);
	idx->nr = idx->cap = img->nr_types;
	idx->next = xmalloc(idx->cap * sizeof(*idx->next));
	/* backwards and always to the front, so that chains are in ascending order */
	for (id = idx->nr - 1; id; id--) {
		if (!type_key(idx, id, &key))
			continue;
		idx->next[id] = idx->heads[key & idx->mask];
		idx->heads[key & idx->mask] = id;
	}
}

void btf_index_free(struct btf_index *idx)
{
	free(idx->heads);
	free(idx->next);
	memset(idx, 0, sizeof(*idx));
}

/* Index the strings appended since the last call. Of equal strings the first is found. */
static void catch_up(struct btf_strings *strs)
{
	u32 end = btf_image_strs_end(strs->img), off = strs->end;
	const char *s;
	size_t len;
	u64 hash;

	/* most strings are longer than 16 bytes */
	if (!off)
		u64map_reserve(&strs->by_hash, end / 16);
	for (; off < end; off += len + 1) {
		s = btf_image_str(strs->img, off);
		len = strlen(s);
		hash = hash_bytes(s, len);
		if (len && !u64map_get(&strs->by_hash, hash))
			u64map_set(&strs->by_hash, hash, off);
	}
	strs->end = end;
}

void btf_strings_init(struct btf_strings *strs, struct btf_image *img)
{
	struct base_indexes *from = img->base ? img->base->indexes : NULL;

	memset(strs, 0, sizeof(*strs));
	if (from) {
		*strs = from->strs;
		memset(&from->strs, 0, sizeof(from->strs));
	}
	strs->img = img;
}

void btf_strings_free(struct btf_strings *strs)
{
	u64map_free(&strs->by_hash);
}

void base_index(struct btf_image *base)
{
	struct base_indexes *indexes = xcalloc(1, sizeof(*indexes));

	btf_index_init(&indexes->types, base);
	btf_strings_init(&indexes->strs, base);
	catch_up(&indexes->strs);
	base->indexes = indexes;
}

u32 btf_strings_find(struct btf_strings *strs, const char *s)
{
	u32 off;

	if (!*s)
		return 0;
	catch_up(strs);
	off = u64map_get(&strs->by_hash, hash_str(s));
	return strcmp(btf_image_str(strs->img, off), s) ? 0 : off;
}

u32 btf_strings_add(struct btf_strings *strs, const char *s)
{
	u32 off = btf_strings_find(strs, s);

	if (off || !*s)
		return off;
	off = btf_image_strs_end(strs->img);
	buf_add(&strs->img->strs, s, strlen(s) + 1);
	return off;
}
