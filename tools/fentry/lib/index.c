// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The functions of an index: where they are, which of them a specification means, and what each is
 * called. index_open.c fills an index.
 */
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "index.h"
#include "type.h"
#include "util.h"

bool fentry_index__is_exact(const struct fentry_index *idx)
{
	return idx->exact;
}

size_t fentry_index__cnt(const struct fentry_index *idx)
{
	return idx->cnt;
}

const struct fentry_target *fentry_index__target(const struct fentry_index *idx, size_t i)
{
	return i < idx->cnt ? &idx->targets[i] : NULL;
}

struct fentry_object *fentry_index__object(const struct fentry_index *idx, const char *module)
{
	size_t i;

	for (i = 0; i < idx->object_cnt; i++) {
		struct fentry_object *obj = &idx->objects[i];

		if (obj->module == module ||
		    (module && obj->module && !strcmp(obj->module, module)))
			return obj;
	}
	return NULL;
}

size_t fentry_targets__lower_bound(const struct fentry_target *targets, size_t cnt,
				   const char *name)
{
	size_t from = 0, to = cnt;

	while (from < to) {
		size_t mid = (from + to) / 2;

		if (strcmp(targets[mid].name, name) < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

bool fentry_index__has_inlined(const struct fentry_index *idx)
{
	size_t i;

	for (i = 0; i < idx->object_cnt; i++)
		if (idx->objects[i].inlined)
			return true;
	return false;
}

const char *fentry_index__inline_problem(const struct fentry_index *idx)
{
	return idx->inline_problem;
}

const char *fentry_target__alias(const struct fentry_target *target, size_t i)
{
	const struct fentry_index *idx = target->idx;
	size_t j;

	for (j = 0; idx && j < idx->alias_cnt; j++)
		if (idx->aliases[j].target == target && !i--)
			return idx->aliases[j].name;
	return NULL;
}

/* Target specifications: parsing, matching, printing. */

/*
 * Suffixes that compilers append to the name of a whole function, followed by a number. A base name
 * doesn't mean parts of the function (.part., .cold).
 */
static const char *const suffixes[] = {
	".constprop.",
	".isra.",
	".llvm.",
	".specialized.",
};

static bool parse_id(const char *text, __u32 *ret)
{
	unsigned long id;
	char *end;

	errno = 0;
	id = strtoul(text, &end, 10);
	*ret = id;
	return text[0] >= '0' && text[0] <= '9' && !*end && !errno && id && id <= UINT_MAX;
}

/* Copy @len characters of @text. */
static int copy_part(const char *text, size_t len, char **ret)
{
	*ret = strndup(text, len);
	return *ret ? 0 : -ENOMEM;
}

int fentry_spec__parse(const char *text, struct fentry_spec *ret, struct fentry_error *error)
{
	const char *name = text, *at, *colon;
	struct fentry_spec spec = {};
	int err = 0;

	at = strchr(text, '@');
	colon = memchr(text, ':', at ? (size_t)(at - text) : strlen(text));
	if (colon)
		name = colon + 1;
	if (colon == text || name == at || !*name || (at && !at[1]))
		return fentry_error__set(
			error, -EINVAL,
			"bad target '%s': expected [module:]name[@path] or [module:]#id", text);
	if (*name == '#' && !parse_id(name + 1, &spec.id))
		return fentry_error__set(
			error, -EINVAL,
			"bad target '%s': '#' must be followed by a BTF id (a decimal number from 1)",
			text);

	if (colon)
		err = copy_part(text, colon - text, &spec.module);
	if (!err && at)
		err = copy_part(at + 1, strlen(at + 1), &spec.unit);
	if (!err && !spec.id)
		err = copy_part(name, at ? (size_t)(at - name) : strlen(name), &spec.name);
	if (err) {
		fentry_spec__clear(&spec);
		return fentry_error__no_memory(error);
	}
	spec.glob = spec.name && strpbrk(spec.name, "*?[");
	*ret = spec;
	return 0;
}

void fentry_spec__clear(struct fentry_spec *spec)
{
	free(spec->module);
	free(spec->name);
	free(spec->unit);
	memset(spec, 0, sizeof(*spec));
}

/* Is @tail the last components of @path? */
static bool path_has_tail(const char *path, const char *tail)
{
	size_t path_len = strlen(path), tail_len = strlen(tail);
	const char *start;

	if (tail_len > path_len)
		return false;
	start = path + path_len - tail_len;
	return !strcmp(start, tail) && (start == path || start[-1] == '/');
}

/* Length of the suffix that a text begins with, number included; 0 if it's none. */
static size_t suffix_len(const char *text)
{
	size_t i, len, digits;

	for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		len = strlen(suffixes[i]);
		if (strncmp(text, suffixes[i], len))
			continue;
		digits = strspn(text + len, "0123456789");
		return digits ? len + digits : 0;
	}
	return 0;
}

bool fentry_spec__is_base_name(const char *base, const char *name)
{
	size_t len = strlen(base);

	if (strncmp(name, base, len) || !name[len])
		return false;
	for (name += len; *name; name += len) {
		len = suffix_len(name);
		if (!len)
			return false;
	}
	return true;
}

bool fentry_spec__match(const struct fentry_spec *spec, const struct fentry_target *target)
{
	const char *module = target->module ?: "vmlinux";

	if (spec->id)
		return target->type_id == spec->id && !strcmp(spec->module ?: "vmlinux", module);
	if (spec->module && strcmp(spec->module, module))
		return false;
	if (spec->glob ? fnmatch(spec->name, target->name, 0) :
			 strcmp(spec->name, target->name) &&
				 !fentry_spec__is_base_name(spec->name, target->name))
		return false;
	return !spec->unit || (target->unit && path_has_tail(target->unit, spec->unit));
}

void fentry_spec__text(const struct fentry_spec *spec, char *buf, size_t size)
{
	const char *module = spec->module ?: "", *colon = spec->module ? ":" : "";

	if (spec->id)
		snprintf(buf, size, "%s%s#%u", module, colon, spec->id);
	else
		snprintf(buf, size, "%s%s%s%s%s", module, colon, spec->name, spec->unit ? "@" : "",
			 spec->unit ?: "");
}

/* Which functions of an index a specification matches. */

/* What a search has found so far. */
struct result {
	const struct fentry_target **found;
	size_t cnt;
};

static int result__add(struct result *r, const struct fentry_target *target)
{
	const struct fentry_target **found = fentry_grow(r->found, r->cnt, sizeof(*found));

	if (!found)
		return -ENOMEM;
	r->found = found;
	r->found[r->cnt++] = target;
	return 0;
}

/* Find functions that have an alias which matches. */
static int search_aliases(const struct fentry_index *idx, const struct fentry_spec *spec,
			  struct result *r)
{
	struct fentry_target named;
	size_t i;
	int err = 0;

	for (i = 0; i < idx->alias_cnt && !err; i++) {
		const struct fentry_alias *alias = &idx->aliases[i];

		if (!spec->glob && strcmp(spec->name, alias->name))
			continue;
		named = *alias->target;
		named.name = alias->name;
		if (fentry_spec__match(spec, &named))
			err = result__add(r, alias->target);
	}
	return err;
}

/* Pointers compare as positions in the index do. */
static int cmp_position(const void *a, const void *b)
{
	const struct fentry_target *x = *(const struct fentry_target **)a;
	const struct fentry_target *y = *(const struct fentry_target **)b;

	return x < y ? -1 : x > y;
}

/* Sort by position, and keep each function once: several of its names may match. */
static void result__settle(struct result *r)
{
	size_t i, n = 0;

	if (r->cnt)
		qsort(r->found, r->cnt, sizeof(*r->found), cmp_position);
	for (i = 0; i < r->cnt; i++)
		if (!n || r->found[n - 1] != r->found[i])
			r->found[n++] = r->found[i];
	r->cnt = n;
}

/* Look at all functions: the specification has no plain name. */
static int search_all(const struct fentry_index *idx, const struct fentry_spec *spec,
		      struct result *r)
{
	size_t i;
	int err = 0;

	for (i = 0; i < idx->cnt && !err; i++)
		if (fentry_spec__match(spec, &idx->targets[i]))
			err = result__add(r, &idx->targets[i]);
	if (!err && !spec->id)
		err = search_aliases(idx, spec, r);
	return err;
}

/*
 * Find the functions of this name and those whose base name it is; the index has names with the
 * same beginning next to each other. Without a unit, a function of exactly this name wins, even if
 * the name is an alias.
 */
static int search_name(const struct fentry_index *idx, const struct fentry_spec *spec,
		       struct result *r)
{
	size_t i = fentry_index__lower_bound(idx, spec->name);
	size_t len = strlen(spec->name), base_cnt;
	bool exact = false;
	int err = 0;

	for (; i < idx->cnt && !err; i++) {
		const struct fentry_target *t = &idx->targets[i];

		if (strncmp(t->name, spec->name, len))
			break;
		if (t->name[len] && exact && !spec->unit)
			break;
		if (!fentry_spec__match(spec, t))
			continue;
		exact |= !t->name[len];
		err = result__add(r, t);
	}
	if (err || exact)
		return err;
	base_cnt = r->cnt;
	err = search_aliases(idx, spec, r);
	if (!err && !spec->unit && r->cnt > base_cnt) {
		r->cnt -= base_cnt;
		memmove(r->found, r->found + base_cnt, r->cnt * sizeof(*r->found));
	}
	return err;
}

static int search(const struct fentry_index *idx, const struct fentry_spec *spec,
		  const struct fentry_target ***ret, size_t *cnt)
{
	struct result r = {};
	int err;

	err = spec->id || spec->glob ? search_all(idx, spec, &r) : search_name(idx, spec, &r);
	if (err) {
		free(r.found);
		return err;
	}
	result__settle(&r);
	*ret = r.found;
	*cnt = r.cnt;
	return 0;
}

/* A function: what it is called, and whether programs can be attached to it. */

/* MAX_BPF_FUNC_ARGS. The limit holds for slots of 8 bytes, too. */
#define ARGS_MAX	12
#define ARG_SIZE_MAX	16 /* of a structure by value */
#define RETURN_SIZE_MAX 8  /* for a program at the exit */

static bool is_only_match(const struct fentry_index *idx, const struct fentry_spec *spec)
{
	const struct fentry_target **found;
	size_t cnt;

	if (search(idx, spec, &found, &cnt))
		return false;
	free(found);
	return cnt == 1;
}

void fentry_target__spec(const struct fentry_target *target, char *buf, size_t size)
{
	char *name = (char *)target->name, *unit = (char *)target->unit;
	char *module = (char *)target->module ?: "vmlinux";
	const struct fentry_spec specs[] = {
		{ .name = name },
		{ .name = name, .unit = unit },
		{ .name = name, .module = module },
		{ .name = name, .module = module, .unit = unit },
		/* always unique */
		{ .id = target->type_id, .module = (char *)target->module },
	};
	size_t i, last = sizeof(specs) / sizeof(specs[0]) - 1;

	for (i = 0; i < last; i++)
		if (is_only_match(target->idx, &specs[i]))
			break;
	fentry_spec__text(&specs[i], buf, size);
}

void fentry_target__label(const struct fentry_target *target, char buf[FENTRY_LABEL_MAX])
{
	char id[16] = "";

	if (fentry_target__is_listed(target)) {
		fentry_target__spec(target, buf, FENTRY_LABEL_MAX);
		if (!strchr(buf, '#'))
			return;
		snprintf(id, sizeof(id), "#%u", target->type_id);
	}
	snprintf(buf, FENTRY_LABEL_MAX, "%s%s%s%s%s%s", target->module ?: "",
		 target->module ? ":" : "", target->name, target->unit ? "@" : "",
		 target->unit ?: "", id);
}

int fentry_target__refuse(const struct fentry_target *target, int err, struct fentry_error *error,
			  const char *fmt, ...)
{
	char label[FENTRY_LABEL_MAX], why[sizeof(error->msg)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	fentry_target__label(target, label);
	return fentry_error__set(error, err, "can't attach to %s: %s", label, why);
}

int fentry_target__check(const struct fentry_target *target, struct fentry_error *error)
{
	if (target->same_name <= 1)
		return 0;
	return fentry_error__set(
		error, -ENOTUNIQ,
		"%u functions are called %s, and this kernel can't tell them apart: it has no /proc/kallsyms_btf (CONFIG_DEBUG_INFO_BTF_FUNC_ADDR)",
		target->same_name, target->name);
}

/* As __get_type_size(): -1 for a type that no argument can have. */
static long size_of(const struct btf *btf, const struct btf_type *t)
{
	if (btf_is_ptr(t))
		return btf__pointer_size(btf);
	if (btf_is_int(t) || btf_is_any_enum(t) || btf_is_composite(t))
		return t->size;
	return btf_is_void(t) ? 0 : -1;
}

static const char *refuse_return(const struct btf *btf, __u32 id, bool exit)
{
	const struct btf_type *t = fentry_type__skip_names(btf, id);
	long size = size_of(btf, t);

	if (size < 0)
		return "returns a type without size";
	if (btf_is_composite(t))
		return "returns a structure or union by value";
	if (exit && size > RETURN_SIZE_MAX)
		return "returns more than 8 bytes, too much for a program at its exit";
	return NULL;
}

const char *fentry_target__unfit(const struct fentry_target *target, bool exit)
{
	const struct btf *btf = target->btf;
	const struct btf_type *proto = fentry_type__proto(btf, target->type_id);
	const struct btf_param *params = btf_params(proto);
	int i, cnt = btf_vlen(proto), slots = 0;

	if (cnt > ARGS_MAX)
		return "has more than 12 arguments";
	for (i = 0; i < cnt; i++) {
		long size;

		if (!params[i].type)
			return i == cnt - 1 ? "has variable arguments" :
					      "has an argument without type";
		size = size_of(btf, fentry_type__skip_names(btf, params[i].type));
		if (size <= 0)
			return "has an argument without size";
		if (size > ARG_SIZE_MAX)
			return "has a structure of more than 16 bytes by value";
		slots += (size + 7) / 8;
	}
	if (slots > ARGS_MAX)
		return "has more than 12 arguments, as a structure counts twice";
	return refuse_return(btf, proto->type, exit);
}

int fentry_target__check_fit(const struct fentry_target *target, bool exit,
			     struct fentry_error *error)
{
	int err = fentry_target__check(target, error);
	const char *why = err ? NULL : fentry_target__unfit(target, exit);

	return why ? fentry_target__refuse(target, -EINVAL, error, "it %s", why) : err;
}

/* From a specification to the functions that it means, or why it means none. */

#define TEXT_MAX FENTRY_LABEL_MAX

/*
 * A function whose name is unique is taken with any unit, if its own isn't known: BTF says units of
 * ambiguous names only. Otherwise no specification with a unit would work on every kernel that has
 * the function.
 */
static int find_unique(const struct fentry_index *idx, const struct fentry_spec *spec,
		       const struct fentry_target **found, struct fentry_error *error)
{
	const struct fentry_target **all = NULL, *only = NULL;
	struct fentry_spec any_unit = *spec;
	char text[TEXT_MAX];
	size_t cnt = 0;

	any_unit.unit = NULL;
	if (spec->unit && !spec->glob && !search(idx, &any_unit, &all, &cnt) && cnt == 1 &&
	    !all[0]->unit)
		only = all[0];
	free(all);
	if (only && only->same_name > 1)
		return fentry_target__check(only, error);
	fentry_spec__text(spec, text, sizeof(text));
	if (!only)
		return fentry_error__set(error, -ENOENT, "no function matches '%s'", text);
	found[0] = only;
	return 0;
}

int fentry_index__find(const struct fentry_index *idx, const struct fentry_spec *spec,
		       const struct fentry_target ***ret, size_t *cnt, struct fentry_error *error)
{
	const struct fentry_target **found;
	size_t n;
	int err;

	err = search(idx, spec, &found, &n);
	if (err)
		return fentry_error__no_memory(error);
	if (!n) {
		free(found);
		found = calloc(1, sizeof(*found));
		err = found ? find_unique(idx, spec, found, error) : fentry_error__no_memory(error);
		n = 1;
	}
	if (err) {
		free(found);
		return err;
	}
	*ret = found;
	*cnt = n;
	return 0;
}

/* Would at least one candidate be accepted if the user chose it? */
static bool has_choice(const struct fentry_target **found, size_t cnt)
{
	size_t i;

	for (i = 0; i < cnt; i++)
		if (!fentry_target__check(found[i], NULL))
			return true;
	return false;
}

static bool has_twin_with_addr(const struct fentry_target *t, const struct fentry_target **found,
			       size_t cnt)
{
	size_t i;

	for (i = 0; i < cnt; i++)
		if (found[i]->addr && found[i]->module == t->module &&
		    !strcmp(found[i]->name, t->name))
			return true;
	return false;
}

/*
 * If one function of a name has an address, the kernel refuses the functions of this name that have
 * none: the symbol belongs to the one with the address.
 */
static size_t drop_without_addr(const struct fentry_target **found, size_t cnt)
{
	size_t i, n = 0;

	for (i = 0; i < cnt; i++)
		if (found[i]->addr || !has_twin_with_addr(found[i], found, cnt))
			found[n++] = found[i];
	return n;
}

int fentry_targets__several(const char *text, size_t cnt, struct fentry_error *error)
{
	return fentry_error__set(error, -ENOTUNIQ, "'%s' matches %zu functions; choose one", text,
				 cnt);
}

int fentry_index__resolve(const struct fentry_index *idx, const struct fentry_spec *spec,
			  const struct fentry_target ***ret, size_t *cnt,
			  struct fentry_error *error)
{
	char text[TEXT_MAX];
	int err;

	err = fentry_index__find(idx, spec, ret, cnt, error);
	if (err || spec->glob)
		return err;
	*cnt = drop_without_addr(*ret, *cnt);
	if (*cnt == 1 || !has_choice(*ret, *cnt))
		return fentry_target__check(**ret, error);
	fentry_spec__text(spec, text, sizeof(text));
	return fentry_targets__several(text, *cnt, error);
}

void fentry_targets__choose(const struct fentry_target **found, size_t cnt,
			    struct fentry_error *error)
{
	char text[TEXT_MAX];
	size_t i, len, room, n = 0;

	for (i = 0; error && i < cnt; i++) {
		if (fentry_target__check(found[i], NULL))
			continue;
		fentry_target__spec(found[i], text, sizeof(text));
		len = strlen(error->msg);
		room = sizeof(error->msg) - len;
		if (strlen(text) + strlen(", , ...") >= room) {
			snprintf(error->msg + len, room, ", ...");
			break;
		}
		snprintf(error->msg + len, room, "%s%s", n++ ? ", " : ": ", text);
	}
}

int fentry_index__lookup(const struct fentry_index *idx, const char *text,
			 const struct fentry_target **ret, struct fentry_error *error)
{
	const struct fentry_target **found = NULL;
	struct fentry_spec spec = {};
	size_t cnt = 0;
	int err;

	err = fentry_spec__parse(text, &spec, error) ?:
		      fentry_index__resolve(idx, &spec, &found, &cnt, error);
	if (!err && cnt > 1)
		err = fentry_targets__several(text, cnt, error);
	if (err == -ENOTUNIQ && cnt > 1)
		fentry_targets__choose(found, cnt, error);
	if (!err) /* resolve() hasn't checked a glob's match */
		err = fentry_target__check(found[0], error);
	if (!err)
		*ret = found[0];
	free(found);
	fentry_spec__clear(&spec);
	return err;
}
