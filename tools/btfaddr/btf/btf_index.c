// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding types of a BTF by what they are.
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

static const char *param_name(const char *name)
{
	return name ? name : "";
}

u64 btf_key_proto(const struct proto_key *key)
{
	u64 h = hash_mix(key->ret + 400, key->nr);
	u32 i;

	for (i = 0; i < key->nr; i++) {
		h = hash_mix(h, key->types[i]);
		h = hash_mix(h, hash_str(param_name(key->names[i])));
	}
	return h;
}

static u64 type_proto_key(const struct btf *btf, const struct btf_type *t)
{
	const struct btf_param *p = btf_params(t);
	u64 h = hash_mix(t->type + 400, btf_vlen(t));
	u32 i;

	for (i = 0; i < btf_vlen(t); i++) {
		h = hash_mix(h, p[i].type);
		h = hash_mix(h, hash_str(param_name(btf__name_by_offset(btf, p[i].name_off))));
	}
	return h;
}

bool btf_proto_equal(const struct btf *btf, const struct btf_type *t,
		     const struct proto_key *key)
{
	const struct btf_param *p = btf_params(t);
	u32 i;

	if (!btf_is_func_proto(t) || t->type != key->ret || btf_vlen(t) != key->nr)
		return false;
	for (i = 0; i < key->nr; i++) {
		if (p[i].type != key->types[i] ||
		    strcmp(param_name(btf__name_by_offset(btf, p[i].name_off)),
			   param_name(key->names[i])))
			return false;
	}
	return true;
}

u32 btf_index_find_proto(const struct btf_index *idx, const struct proto_key *key)
{
	u32 id;

	for (id = btf_index_first(idx, btf_key_proto(key)); id; id = idx->next[id]) {
		if (btf_proto_equal(idx->btf, btf__type_by_id(idx->btf, id), key))
			return id;
	}
	return 0;
}

static u64 type_key(const struct btf *btf, const struct btf_type *t)
{
	const char *name = btf_type_name(btf, t);
	u32 kind = btf_kind(t);

	switch (kind) {
	case BTF_KIND_FLOAT:
		kind = BTF_KIND_INT;
		break;
	case BTF_KIND_ENUM64:
		kind = BTF_KIND_ENUM;
		break;
	case BTF_KIND_PTR:
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		return btf_key_ref(kind, t->type);
	case BTF_KIND_ARRAY:
		return btf_key_array(btf_array(t)->type, btf_array(t)->nelems);
	case BTF_KIND_FUNC_PROTO:
		return type_proto_key(btf, t);
	}
	if (!*name)
		return btf_key_anon(kind, t->size, btf_vlen(t));
	return btf_key_named(kind, name);
}

void btf_index_add(struct btf_index *idx, u32 id)
{
	u32 *p = &idx->heads[type_key(idx->btf, btf__type_by_id(idx->btf, id)) & idx->mask];

	idx->next = xrealloc(idx->next, (id + 1) * sizeof(*idx->next));
	idx->next[id] = 0;
	idx->nr = id + 1;
	/* at the end, so that the chain stays in order */
	while (*p)
		p = &idx->next[*p];
	*p = id;
}

void btf_index_init(struct btf_index *idx, const struct btf *btf)
{
	u32 nr = btf__type_cnt(btf), size = 1024, id, slot;

	while (size < nr * 2)
		size *= 2;
	idx->btf = btf;
	idx->mask = size - 1;
	idx->heads = xcalloc(size, sizeof(*idx->heads));
	idx->next = xcalloc(nr, sizeof(*idx->next));
	idx->nr = nr;
	/* backwards and always to the front, so that chains are in ascending order */
	for (id = nr - 1; id; id--) {
		slot = type_key(btf, btf__type_by_id(btf, id)) & idx->mask;
		idx->next[id] = idx->heads[slot];
		idx->heads[slot] = id;
	}
}

void btf_index_free(struct btf_index *idx)
{
	free(idx->heads);
	free(idx->next);
	memset(idx, 0, sizeof(*idx));
}
