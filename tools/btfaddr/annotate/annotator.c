// SPDX-License-Identifier: GPL-2.0-only
/*
 * The input with its indexes, and what is appended to it.
 */
#include "annotate/annotator.h"
#include "btf/check.h"

u32 annotator_find(const struct annotator *a, u32 kind, const char *name, u32 from)
{
	u32 id;

	for_each_named(id, &a->types.idx, kind, name) {
		if (id >= from)
			break;
	}
	return id;
}

static u32 find_ulong(const struct annotator *a)
{
	return annotator_find(a, BTF_KIND_INT, "long unsigned int", 0);
}

int annotator_load(struct annotator *a, const char *name)
{
	if (btf_verify_refs(a->img, name))
		return -1;
	types_init(&a->types, a->img);
	btf_strings_init(&a->strs, a->img);
	a->ulong_id = find_ulong(a);
	return 0;
}

void annotator_unload(struct annotator *a)
{
	types_free(&a->types);
	btf_strings_free(&a->strs);
	u64map_free(&a->corrected);
}

void annotator_update(struct annotator *a)
{
	types_index_added(&a->types);
	a->ulong_id = find_ulong(a);
}

u32 annotator_add_func(struct annotator *a, const char *name, u32 proto)
{
	struct btf_type t = {
		.name_off = btf_strings_add(&a->strs, name),
		.info = type_info(BTF_KIND_FUNC, BTF_FUNC_STATIC),
		.type = proto,
	};

	return btf_image_add_type(a->img, &t, NULL, 0);
}

u32 annotator_add_tag(struct annotator *a, u32 func, const char *text)
{
	struct btf_decl_tag tag = { .component_idx = -1 };
	struct btf_type t = {
		.name_off = btf_strings_add(&a->strs, text),
		.info = type_info(BTF_KIND_DECL_TAG, 0),
		.type = func,
	};

	return btf_image_add_type(a->img, &t, &tag, sizeof(tag));
}

void annotator_tag_path(struct annotator *a, u32 func, const char *prefix, const char *path)
{
	char *tag = xasprintf("%s%s", prefix, path);

	annotator_add_tag(a, func, tag);
	free(tag);
}

/*
 * The prototypes of functions, and their FUNCs. Most are in the input already, and are found on all
 * threads.
 */

static enum reason type_reason(enum type_status status)
{
	switch (status) {
	case TYPE_OK:
		return REASON_NONE;
	case TYPE_MISSING:
		return REASON_TYPE_MISSING;
	case TYPE_AMBIGUOUS:
		return REASON_TYPE_AMBIGUOUS;
	case TYPE_UNSUPPORTED:
		return REASON_TYPE_UNSUPPORTED;
	default:
		return REASON_TYPE_BAD;
	}
}

static enum type_status param_type_id(struct types *types, u32 ulong_id, struct sig_param *param,
				      u32 *id_ret)
{
	if (!param->raw)
		return types_resolve(types, &param->type, id_ret);
	*id_ret = ulong_id;
	return ulong_id ? TYPE_OK : TYPE_MISSING;
}

/*
 * Parameters must have names that C allows, and the kernel refuses one without a name. A loader
 * finds parameters by name, so no two may have the same.
 */
static bool names_valid(const struct proto_key *key)
{
	u32 i, j;

	for (i = 0; i < key->nr; i++) {
		if (!btf_name_valid(key->names[i]))
			return false;
		for (j = 0; j < i; j++) {
			if (!strcmp(key->names[i], key->names[j]))
				return false;
		}
	}
	return true;
}

/* A prototype and the arrays that its key points to. */
struct proto {
	struct proto_key key;
	const char *names[MAX_PARAMS];
	u32 types[MAX_PARAMS];
};

/* What prototype does a signature need? */
static enum reason proto_read(struct types *types, u32 ulong_id, struct signature *sig,
			      struct proto *ret)
{
	struct proto_key *key = &ret->key;
	enum type_status status;

	*key = (struct proto_key){ .types = ret->types, .names = ret->names };
	status = types_resolve(types, &sig->ret, &key->ret);
	for (; status == TYPE_OK && key->nr < sig->nr; key->nr++) {
		ret->names[key->nr] = sig->params[key->nr].name;
		status =
			param_type_id(types, ulong_id, &sig->params[key->nr], &ret->types[key->nr]);
	}
	if (status != TYPE_OK)
		return type_reason(status);
	if (!names_valid(key))
		return REASON_NAME;
	if (sig->variadic) {
		ret->names[key->nr] = "";
		ret->types[key->nr++] = 0;
	}
	return REASON_NONE;
}

/* A copy that outlives the pass over the units. */
static struct proto *proto_copy(const struct proto *proto)
{
	struct proto *copy = xmalloc(sizeof(*copy));

	*copy = *proto;
	copy->key.types = copy->types;
	copy->key.names = copy->names;
	return copy;
}

/*
 * Each unit starts without known types, so the result does not depend on the units that its thread
 * had before.
 */
static void find_protos_of_unit(void *ctx, u32 unit)
{
	const struct annotator *a = ctx;
	struct types types = { .idx = a->types.idx, .own = a->types.own };
	struct proto proto;
	struct func *func;

	for_each_in(func, a->funcs, unit) {
		if (func->reason || proto_read(&types, a->ulong_id, func->sig, &proto))
			continue;
		func->proto = btf_index_find_proto(&types.idx, &proto.key);
		if (!func->proto)
			func->lacking = proto_copy(&proto);
	}
	u64map_free(&types.memo);
	types_seen_free(&types.seen);
}

void find_in_input(struct annotator *a)
{
	units_each(&a->funcs->units, find_protos_of_unit, a);
}

/* Append a FUNC_PROTO. Returns its id. */
static u32 add_proto(struct annotator *a, const struct proto_key *key)
{
	struct btf_type t = {
		.info = type_info(BTF_KIND_FUNC_PROTO, key->nr),
		.type = key->ret,
	};
	struct btf_param params[MAX_PARAMS];
	u32 i, id;

	for (i = 0; i < key->nr; i++)
		params[i] = (struct btf_param){
			.name_off = btf_strings_add(&a->strs, key->names[i]),
			.type = key->types[i],
		};
	id = btf_image_add_type(a->img, &t, params, key->nr * sizeof(*params));
	btf_index_add(&a->types.idx, id);
	return id;
}

void add_protos(struct annotator *a)
{
	struct proto read, *proto;
	struct func *func;

	for_each(func, a->funcs->funcs, a->funcs->nr) {
		if (func->reason || func->proto)
			continue;
		proto = func->lacking ?: &read;
		if (!func->lacking)
			func->reason = proto_read(&a->types, a->ulong_id, func->sig, proto);
		/* several functions may need it */
		if (!func->reason)
			func->proto = btf_index_find_proto(&a->types.idx, &proto->key) ?:
					      add_proto(a, &proto->key);
		free(func->lacking);
		func->lacking = NULL;
	}
}
