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
 * What is added is appended to the input, whose type ids and string offsets it continues.
 */
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
	const char *dot = strchr(name, '.');
	size_t i;

	for (i = 0; dot && i < ARRAY_SIZE(table); i++) {
		if (strstr(dot, table[i].text))
			return table[i].suffix;
	}
	return dot ? SUFFIX_OTHER : SUFFIX_NONE;
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

static enum type_status param_type_id(struct annotator *a, struct sig_param *param,
				      u32 *id_ret)
{
	if (!param->raw)
		return types_resolve(&a->types, &param->type, id_ret);
	*id_ret = a->ulong_id;
	return a->ulong_id ? TYPE_OK : TYPE_MISSING;
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
static void find_proto(struct annotator *a, struct func *func)
{
	struct signature *sig = func->sig;
	const char *names[MAX_PARAMS];
	u32 ids[MAX_PARAMS], i;
	struct proto_key key = { .types = ids, .names = names, .nr = sig->nr };
	enum type_status status;

	status = types_resolve(&a->types, &sig->ret, &key.ret);
	for (i = 0; status == TYPE_OK && i < sig->nr; i++) {
		names[i] = sig->params[i].name;
		status = param_type_id(a, &sig->params[i], &ids[i]);
	}
	if (status != TYPE_OK) {
		func->reason = type_reason(status);
		return;
	}
	if (!names_valid(&key)) {
		func->reason = REASON_LOCATION;
		return;
	}
	if (sig->variadic) {
		names[key.nr] = "";
		ids[key.nr++] = 0;
	}
	func->proto = btf_index_find_proto(&a->types.idx, &key) ?: add_proto(a, &key);
}

void annotator_find_protos(struct annotator *a)
{
	u32 i;

	for (i = 0; i < a->funcs->nr; i++) {
		if (a->funcs->funcs[i].reason == REASON_NONE)
			find_proto(a, &a->funcs->funcs[i]);
	}
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

static void set_addr(struct annotator *a, u32 id, const struct func *func)
{
	*btf_image_addr(a->img, id) = elf_file_place(a->file, func->sym->addr);
	a->img->nr_addrs++;
}

/* Give FUNC @id of the input to @func. */
static void take_func(struct annotator *a, u32 id, struct func *func)
{
	struct btf_type *t = own_type(a->img, id);

	if (t->type == func->proto) {
		a->stats->kept++;
	} else {
		a->stats->corrected++;
		u64map_set(&a->corrected, id, t->type);
	}
	t->type = func->proto;
	set_addr(a, id, func);
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
		t = type_by_id(a->img, id);
		if (!btf_is_func(t) || id < a->img->first_id ||
		    *btf_image_addr(a->img, id) != NO_ADDR ||
		    strcmp(type_name(a->img, t), name))
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

static void add_func(struct annotator *a, struct func *func)
{
	func->id = annotator_add_func(a, func->sym->name, func->proto);
	set_addr(a, func->id, func);
	a->stats->added++;
}

/* Say which file this instance is from, as users tell instances apart by that. */
static void add_unit_tag(struct annotator *a, const struct func *func)
{
	const struct unit *unit = &a->funcs->units.units[func->unit];
	char *tag = xasprintf("cu:%s", a->funcs->cus.paths[unit->path]);

	annotator_add_tag(a, func->id, tag);
	free(tag);
}

/* Say what the function is in the source, if the compiler has changed it. */
static void add_source_tag(struct annotator *a, const struct func *func)
{
	char *tag = xasprintf("source:%s", func->source);
	size_t types = a->img->types.len, strs = a->img->strs.len;

	annotator_add_tag(a, func->id, tag);
	a->stats->source_bytes += a->img->types.len - types + a->img->strs.len - strs;
	free(tag);
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

static void assign_funcs(struct annotator *a)
{
	struct func *funcs = a->funcs->funcs;
	u32 first, end, i;

	for (first = 0; first < a->funcs->nr; first = end) {
		end = name_end(a->funcs, first);
		assign_input_funcs(a, first, end, MATCH_GLOBAL);
		assign_input_funcs(a, first, end, MATCH_PROTO);
		assign_input_funcs(a, first, end, MATCH_ANY);
		for (i = first; i < end; i++) {
			if (!funcs[i].reason && !funcs[i].id)
				add_func(a, &funcs[i]);
		}
	}
	/* tags come after all FUNCs, so that FUNCs stay together */
	for (i = 0; i < a->funcs->nr; i++) {
		if (needs_unit_tag(a->funcs, i))
			add_unit_tag(a, &funcs[i]);
		if (funcs[i].id && funcs[i].source)
			add_source_tag(a, &funcs[i]);
	}
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
		ret = add_types(&a, name);
	}
	if (!ret) {
		annotator_find_protos(&a);
		assign_funcs(&a);
		settle_input(&a);
		count_funcs(&a);
	}
	annotator_unload(&a);
	return ret;
}
