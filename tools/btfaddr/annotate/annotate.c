// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bringing functions and BTF together.
 *
 * 1. The prototype of each function is looked up in the BTF, by the types that
 *    its DWARF type DIEs stand for, and added if no FUNC_PROTO equals it.
 * 2. A FUNC of the input goes to the instance of its name that has its prototype;
 *    if none has, it goes to the first instance, and gets that one's prototype. FUNCs
 *    that are left over are removed.
 * 3. Instances left over get FUNCs of their own.
 *
 * What is added is a split BTF on top of the input. At the end it is appended to the
 * input, whose type ids and string offsets it continues.
 */
#include <errno.h>
#include <stdio.h>

#include "annotate/add_types.h"
#include "annotate/annotator.h"
#include "annotate/settle_input.h"
#include "annotate/resolve.h"
#include "btf/check_type.h"

const char *const suffix_name[NR_SUFFIXES] = {
	[SUFFIX_NONE] = "plain",
	[SUFFIX_ISRA] = "isra",
	[SUFFIX_CONSTPROP] = "constprop",
	[SUFFIX_PART] = "part",
	[SUFFIX_LLVM] = "llvm",
	[SUFFIX_OTHER] = "other",
};

enum suffix symbol_suffix(const char *name)
{
	static const struct {
		const char *text;
		enum suffix suffix;
	} table[] = {
		{ ".llvm.", SUFFIX_LLVM },
		{ ".isra.", SUFFIX_ISRA },
		{ ".constprop.", SUFFIX_CONSTPROP },
		{ ".part.", SUFFIX_PART },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (strstr(name, table[i].text))
			return table[i].suffix;
	}
	return strchr(name, '.') ? SUFFIX_OTHER : SUFFIX_NONE;
}

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

/* Append a FUNC_PROTO. Returns its id, <0 on error. */
static int add_proto(struct annotator *a, const struct proto_key *key)
{
	int id, ret;
	u32 i;

	id = btf__add_func_proto(a->split, key->ret);
	for (i = 0; id > 0 && i < key->nr; i++) {
		ret = btf__add_func_param(a->split, key->names[i], key->types[i]);
		if (ret)
			return ret;
	}
	if (id > 0)
		btf_index_add(&a->types.idx, id);
	return id;
}

static enum type_status param_type_id(struct annotator *a, struct sig_param *param,
				      u32 *id_ret)
{
	if (!param->raw)
		return types_resolve(&a->types, &param->type, id_ret);
	*id_ret = a->ulong_id;
	return a->ulong_id > 0 ? TYPE_OK : TYPE_MISSING;
}

/*
 * The names of parameters must be such as C has, and the kernel takes none without a name. A loader
 * finds parameters by name, so no two have the same.
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

/* Find the prototype of @func in the BTF, and add it if it isn't there yet. */
static int find_proto(struct annotator *a, struct func *func)
{
	struct signature *sig = func->sig;
	const char *names[MAX_PARAMS];
	u32 ids[MAX_PARAMS], i;
	struct proto_key key = { .types = ids, .names = names, .nr = sig->nr };
	enum type_status status;
	int id;

	status = types_resolve(&a->types, &sig->ret, &key.ret);
	for (i = 0; status == TYPE_OK && i < sig->nr; i++) {
		names[i] = sig->params[i].name;
		status = param_type_id(a, &sig->params[i], &ids[i]);
	}
	if (status != TYPE_OK) {
		func->reason = type_reason(status);
		return 0;
	}
	if (!names_valid(&key)) {
		func->reason = REASON_LOCATION;
		return 0;
	}
	if (sig->variadic) {
		names[key.nr] = NULL;
		ids[key.nr++] = 0;
	}
	func->proto = btf_index_find_proto(&a->types.idx, &key);
	if (func->proto)
		return 0;
	id = add_proto(a, &key);
	if (id < 0)
		return err("cannot add a prototype for %s: %s", func->sym->name, strerror(-id));
	func->proto = id;
	return 0;
}

int annotator_find_protos(struct annotator *a)
{
	u32 i;

	for (i = 0; i < a->funcs->nr; i++) {
		if (a->funcs->funcs[i].reason == REASON_NONE &&
		    find_proto(a, &a->funcs->funcs[i]))
			return -1;
	}
	return 0;
}

/* Functions of one name stand together. Where do those that begin with @first end? */
static u32 name_end(const struct funcs *funcs, u32 first)
{
	u32 end = first + 1;

	while (end < funcs->nr &&
	       !strcmp(funcs->funcs[first].sym->name, funcs->funcs[end].sym->name))
		end++;
	return end;
}

/* Give FUNC @id of the input to @func. */
static void take_func(struct annotator *a, u32 id, struct func *func)
{
	u8 *p = a->img->types.data + a->offsets[id];
	struct btf_type t;

	memcpy(&t, p, sizeof(t));
	if (t.type == func->proto)
		a->stats->kept++;
	else
		a->stats->corrected++;
	t.type = func->proto;
	memcpy(p, &t, sizeof(t));
	a->img->addrs[id] = elf_file_place(a->file, func->sym->addr);
	a->img->nr_addrs++;
	func->id = id;
}

/* Which of the functions of a name may take a FUNC of the input: three tries, the best first. */
enum match { MATCH_GLOBAL, MATCH_PROTO, MATCH_ANY };

static bool matches(const struct func *func, u32 proto, enum match match)
{
	if (func->reason || func->id)
		return false;
	return match == MATCH_ANY ||
	       (func->proto == proto && (match == MATCH_PROTO || func->sym->global));
}

/*
 * Give the FUNCs of the input to the functions of their name. pahole 1.24 writes one FUNC for a
 * name. If several functions have its prototype, it goes to the global one: kfuncs are global,
 * and the tags that mark them belong to their FUNC.
 */
static void assign_input_funcs(struct annotator *a, u32 first, u32 end, enum match match)
{
	const char *name = a->funcs->funcs[first].sym->name;
	const struct btf_index *idx = &a->types.idx;
	const struct btf_type *t;
	struct func *func;
	u32 id, i;

	for (id = btf_index_first(idx, btf_key_named(BTF_KIND_FUNC, name)); id;
	     id = idx->next[id]) {
		if (id < a->img->first_id || id >= a->img->nr_types ||
		    a->img->addrs[id] != NO_ADDR)
			continue;
		t = btf__type_by_id(a->base, id);
		if (!btf_is_func(t) || strcmp(btf_type_name(a->base, t), name))
			continue;
		for (i = first; i < end; i++) {
			func = &a->funcs->funcs[i];
			if (!matches(func, t->type, match))
				continue;
			take_func(a, id, func);
			break;
		}
	}
}

static int add_func(struct annotator *a, struct func *func)
{
	int id = btf__add_func_addr(a->split, func->sym->name, BTF_FUNC_STATIC, func->proto,
				    elf_file_place(a->file, func->sym->addr));

	if (id < 0)
		return err("cannot add function %s: %s", func->sym->name, strerror(-id));
	func->id = id;
	a->stats->added++;
	return 0;
}

/* Put a tag on the FUNC of @func. Frees @tag. */
static int add_tag(struct annotator *a, const struct func *func, char *tag)
{
	int id = btf__add_decl_tag(a->split, tag, func->id, -1);

	free(tag);
	if (id < 0)
		return err("cannot add a tag for %s: %s", func->sym->name, strerror(-id));
	return 0;
}

/* Say which file this instance is from, as users tell instances apart by that. */
static int add_unit_tag(struct annotator *a, const struct func *func)
{
	const struct unit *unit = &a->funcs->units.units[func->unit];

	return add_tag(a, func, xasprintf("cu:%s", a->funcs->cus.paths[unit->path]));
}

/* Say what the function is in the source, if the compiler has changed it. */
static int add_source_tag(struct annotator *a, const struct func *func)
{
	char *tag = xasprintf("source:%s", func->source);

	a->stats->source_bytes += sizeof(struct btf_type) + sizeof(struct btf_decl_tag);
	if (btf__find_str(a->split, tag) < 0)
		a->stats->source_bytes += strlen(tag) + 1;
	return add_tag(a, func, tag);
}

/* Length of a symbol's name without the suffix that ThinLTO gave it. */
static size_t base_len(const char *name)
{
	const char *suffix = strstr(name, ".llvm.");

	return suffix ? (size_t)(suffix - name) : strlen(name);
}

/* Are two names the same but for that suffix? Sets @near if they are up to the first dot. */
static bool same_base(const char *a, const char *b, bool *near)
{
	size_t first = strcspn(a, "."), len = base_len(a);

	*near = first == strcspn(b, ".") && !strncmp(a, b, first);
	return *near && len == base_len(b) && !strncmp(a, b, len);
}

/*
 * ThinLTO makes ambiguous names unique by hashes that nobody can know. Users mean the name
 * before the hash. So if several functions have that name, each of them needs the tag, too.
 */
static bool base_ambiguous(const struct funcs *funcs, u32 i)
{
	const char *name = funcs->funcs[i].sym->name;
	bool near = true;
	u32 j;

	/* functions are sorted by name, so those that are the same up to the dot are neighbours */
	for (j = i; near && j--;) {
		if (same_base(name, funcs->funcs[j].sym->name, &near))
			return true;
	}
	near = true;
	for (j = i + 1; near && j < funcs->nr; j++) {
		if (same_base(name, funcs->funcs[j].sym->name, &near))
			return true;
	}
	return false;
}

static bool needs_unit_tag(const struct funcs *funcs, u32 i)
{
	return funcs->funcs[i].id &&
	       (funcs->funcs[i].sym->ambiguous || base_ambiguous(funcs, i));
}

static int assign_funcs(struct annotator *a)
{
	struct func *funcs = a->funcs->funcs;
	u32 first, end, i;

	for (first = 0; first < a->funcs->nr; first = end) {
		end = name_end(a->funcs, first);
		assign_input_funcs(a, first, end, MATCH_GLOBAL);
		assign_input_funcs(a, first, end, MATCH_PROTO);
		assign_input_funcs(a, first, end, MATCH_ANY);
		for (i = first; i < end; i++) {
			if (!funcs[i].reason && !funcs[i].id && add_func(a, &funcs[i]))
				return -1;
		}
	}
	/* tags come after all FUNCs, so that FUNCs stay together */
	for (i = 0; i < a->funcs->nr; i++) {
		if (needs_unit_tag(a->funcs, i) && add_unit_tag(a, &funcs[i]))
			return -1;
		if (funcs[i].id && funcs[i].source && add_source_tag(a, &funcs[i]))
			return -1;
	}
	return 0;
}

static void count_funcs(struct annotator *a)
{
	struct stats *stats = a->stats;
	const struct func *func;
	u32 i;

	for (i = 0; i < a->funcs->nr; i++) {
		func = &a->funcs->funcs[i];
		stats->seen++;
		stats->ambiguous_seen += func->sym->ambiguous;
		stats->left[func->reason]++;
		if (func->reason)
			continue;
		stats->annotated++;
		stats->ambiguous += func->sym->ambiguous;
		stats->changed += func->sig->changed;
		stats->dropped += func->sig->returns == RETURN_DROPPED;
		stats->by_suffix[symbol_suffix(func->sym->name)]++;
	}
}

int annotate(struct btf_image *img, const char *name, struct funcs *funcs,
	     struct elf_file *file, struct stats *stats)
{
	struct annotator a = {
		.img = img,
		.funcs = funcs,
		.file = file,
		.stats = stats,
	};
	int ret;

	ret = annotator_load(&a, name);
	if (!ret) {
		resolve_all(&a.types, funcs);
		ret = add_types(&a, name) || annotator_find_protos(&a) || assign_funcs(&a) ? -1 : 0;
	}
	if (!ret) {
		settle_input(&a);
		ret = annotator_flatten(&a);
	}
	if (!ret)
		count_funcs(&a);
	annotator_unload(&a);
	return ret;
}
