// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The functions of an index: where they are, which of them a specification means, and what each is
 * called. index_open.c fills an index, spec.c has the rules of names.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "inlined/functions_file.h"
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

bool fentry_index__is_verified(const struct fentry_index *idx, const char *module)
{
	const struct fentry_object *obj = fentry_index__object(idx, module);

	/* another tool's file, without origins, says nothing of BTF */
	return idx->exact || (obj && obj->inlined && obj->inlined->files);
}

/* @a/@b: structures that begin with their name, or pointers to names */
static int cmp_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t fentry_targets__lower_bound(const struct fentry_target *targets, size_t cnt,
				   const char *name)
{
	return lower_bound(&name, targets, cnt, sizeof(*targets), cmp_name);
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

/* Which functions of an index a specification matches. */

/* What a search has found so far. */
struct result {
	const struct fentry_target **found;
	size_t cnt;
};

static int result__add(struct result *r, const struct fentry_target *target)
{
	if (!ARRAY_GROW(r->found, r->cnt))
		return -ENOMEM;
	r->found[r->cnt++] = target;
	return 0;
}

/* Is @name @base, or @base with suffixes? The index has these names next to each other. */
static bool has_base(const char *name, const char *base, size_t len)
{
	return !strncmp(name, base, len) && (!name[len] || name[len] == '.');
}

/* Find functions that have an alias which matches. */
static int search_aliases(const struct fentry_index *idx, const struct fentry_spec *spec,
			  struct result *r)
{
	size_t i = 0, len = strlen(spec->name);
	struct fentry_target named;
	int err = 0;

	if (!spec->glob)
		i = lower_bound(&spec->name, idx->aliases, idx->alias_cnt, sizeof(*idx->aliases),
				cmp_name);
	for (; i < idx->alias_cnt && !err; i++) {
		const struct fentry_alias *alias = &idx->aliases[i];

		if (!spec->glob && !has_base(alias->name, spec->name, len))
			break;
		named = *alias->target;
		named.name = alias->name;
		if (fentry_spec__is_candidate(spec, &named))
			err = result__add(r, alias->target);
	}
	return err;
}

/* Find functions by their names. An id or a glob may mean any function. */
static int search_names(const struct fentry_index *idx, const struct fentry_spec *spec,
			struct result *r)
{
	bool any = spec->id || spec->glob;
	size_t i = any ? 0 : fentry_index__lower_bound(idx, spec->name);
	size_t len = any ? 0 : strlen(spec->name);
	int err = 0;

	for (; i < idx->cnt && !err && (any || has_base(idx->targets[i].name, spec->name, len));
	     i++)
		if (fentry_spec__is_candidate(spec, &idx->targets[i]))
			err = result__add(r, &idx->targets[i]);
	return err;
}

static bool same_base(const struct fentry_target *a, const struct fentry_target *b)
{
	size_t len = fentry_symbol__base_len(a->name);

	return len == fentry_symbol__base_len(b->name) && !strncmp(a->name, b->name, len);
}

/*
 * Keep the functions that the path means. For each base name, units come first: the user who names
 * a file that is compiled, and also included elsewhere, means the former.
 */
static void result__keep_path(struct result *r, const char *path)
{
	size_t i, end, n = 0;
	bool by_unit;

	for (i = 0; i < r->cnt; i = end) {
		by_unit = false;
		for (end = i; end < r->cnt && same_base(r->found[i], r->found[end]); end++)
			by_unit |= fentry_path__is_meant(r->found[end]->unit, path);
		for (; i < end; i++) {
			const struct fentry_target *t = r->found[i];

			if (fentry_path__is_meant(by_unit ? t->unit : t->file, path))
				r->found[n++] = t;
		}
	}
	r->cnt = n;
}

static int search(const struct fentry_index *idx, const struct fentry_spec *spec,
		  const struct fentry_target ***ret, size_t *cnt)
{
	struct result r = {};
	int err = search_names(idx, spec, &r);

	if (!err && !spec->id)
		err = search_aliases(idx, spec, &r);
	if (err) {
		free(r.found);
		return err;
	}
	/* several of a function's names may match */
	r.cnt = array_settle(r.found, r.cnt, sizeof(*r.found), cmp_position);
	if (spec->unit)
		result__keep_path(&r, spec->unit);
	*ret = r.found;
	*cnt = r.cnt;
	return 0;
}

/*
 * Which symbols are one function of the source? Those with the same base name that one file
 * defines. Two modules that were built outside of the kernel's tree can each have a file of the
 * same path, also a header. So only a header that vmlinux uses counts as one file in several
 * objects.
 */

static bool is_shared_file(const char *path)
{
	size_t len = strlen(path);

	return len > 2 && !strcmp(path + len - 2, ".h") &&
	       (!strncmp(path, "include/", 8) || !strncmp(path, "arch/", 5));
}

bool fentry_target__same_source(const struct fentry_target *a, const struct fentry_target *b)
{
	if (a == b)
		return true;
	return same_base(a, b) && a->file && b->file && !strcmp(a->file, b->file) &&
	       (a->module == b->module || (is_shared_file(a->file) && (!a->module || !b->module)));
}

bool fentry_targets__is_repeated(const struct fentry_target *const *found, size_t i)
{
	size_t j;

	for (j = i; j-- && same_base(found[j], found[i]);)
		if (found[j]->same_name <= 1 && fentry_target__same_source(found[j], found[i]))
			return true;
	return false;
}

size_t fentry_targets__sources(const struct fentry_target *const *found, size_t cnt)
{
	size_t i, n = 0;

	for (i = 0; i < cnt; i++)
		n += !fentry_targets__is_repeated(found, i);
	return n;
}

/* The functions of an index that have the base name of @target: positions from @first to @end. */
static void find_family(const struct fentry_target *target, size_t *first, size_t *end)
{
	const struct fentry_index *idx = target->idx;
	size_t len = fentry_symbol__base_len(target->name), i = target - idx->targets;

	while (i && has_base(idx->targets[i - 1].name, target->name, len))
		i--;
	*first = i;
	while (i < idx->cnt && has_base(idx->targets[i].name, target->name, len))
		i++;
	*end = i;
}

bool fentry_target__is_ambiguous(const struct fentry_target *target)
{
	const struct fentry_index *idx = target->idx;
	size_t i, end;

	if (target->same_name > 1)
		return true;
	for (find_family(target, &i, &end); i < end; i++)
		if (!fentry_symbol__is_piece(idx->targets[i].name) &&
		    !fentry_target__same_source(target, &idx->targets[i]))
			return true;
	return false;
}

int fentry_target__pieces(const struct fentry_target *target, const struct fentry_target ***ret,
			  size_t *cnt)
{
	const struct fentry_index *idx = target->idx;
	struct result r = {};
	size_t i, end;
	int err = 0;

	for (find_family(target, &i, &end); i < end && !err; i++)
		if (fentry_symbol__is_piece(idx->targets[i].name) &&
		    fentry_target__same_source(target, &idx->targets[i]))
			err = result__add(&r, &idx->targets[i]);
	if (err) {
		free(r.found);
		return err;
	}
	*ret = r.found;
	*cnt = r.cnt;
	return 0;
}

/* A function: what it is called, and whether programs can be attached to it. */

static bool is_only_match(const struct fentry_target *target, const struct fentry_spec *spec)
{
	const struct fentry_target **found;
	bool ret;
	size_t cnt;

	if (fentry_index__find(target->idx, spec, &found, &cnt, NULL))
		return false;
	ret = cnt == 1 && found[0] == target;
	free(found);
	return ret;
}

/* Find the first specification that means the symbol alone. Returns false if only an id does. */
static bool find_spec(const struct fentry_target *target, bool exact, struct fentry_spec *ret)
{
	char *unit = (char *)target->unit, *module = (char *)target->module ?: "vmlinux";
	const struct fentry_spec places[] = {
		{},
		{ .unit = unit },
		{ .module = module },
		{ .module = module, .unit = unit },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		*ret = places[i];
		ret->name = (char *)target->name;
		ret->exact = exact;
		if (is_only_match(target, ret))
			return true;
		/* a name with a suffix means the symbol anyway */
		ret->exact = !ret->name[fentry_symbol__base_len(ret->name)];
		if (!exact && is_only_match(target, ret))
			return true;
	}
	return false;
}

void fentry_target__spec(const struct fentry_target *target, char *buf, size_t size)
{
	struct fentry_spec spec;

	if (!find_spec(target, false, &spec))
		spec = (struct fentry_spec){
			.id = target->type_id,
			.module = (char *)target->module,
		};
	fentry_spec__text(&spec, buf, size);
}

/* Does a specification mean all symbols of the target's function of the source, and no other? */
static bool means_function(const struct fentry_target *target, const struct fentry_spec *spec)
{
	const struct fentry_target **found, *targets = target->idx->targets;
	size_t i, cnt, end, n = 0;
	bool ret = true;

	if (fentry_index__find(target->idx, spec, &found, &cnt, NULL))
		return false;
	for (i = 0; i < cnt; i++)
		ret &= fentry_target__same_source(target, found[i]);
	free(found);
	for (find_family(target, &i, &end); i < end; i++)
		n += !fentry_symbol__is_piece(targets[i].name) &&
		     fentry_target__same_source(target, &targets[i]);
	return ret && n == cnt;
}

/* The specification of a function that is only inlined, in any number of units. */
static void inlined_spec(const struct fentry_target *target, struct fentry_spec *ret)
{
	const struct fentry_index *idx = target->idx;
	size_t i = fentry_targets__lower_bound(idx->inlined, idx->inlined_cnt, target->name);

	*ret = (struct fentry_spec){ .name = (char *)target->name, .unit = (char *)target->file };
	for (; i < idx->inlined_cnt && !strcmp(idx->inlined[i].name, target->name); i++)
		if (idx->inlined[i].module != target->module)
			ret->module = (char *)target->module ?: "vmlinux";
}

bool fentry_target__function_spec(const struct fentry_target *target, char *buf, size_t size)
{
	char *module = (char *)target->module ?: "vmlinux", name[FENTRY_LABEL_MAX];
	char *paths[] = { NULL, (char *)target->unit, (char *)target->file };
	struct fentry_spec spec = { .name = name };
	size_t i;

	if (!fentry_target__is_listed(target)) {
		inlined_spec(target, &spec);
		fentry_spec__text(&spec, buf, size);
		return true;
	}
	snprintf(name, sizeof(name), "%.*s", (int)fentry_symbol__base_len(target->name),
		 target->name);
	for (i = 0; i < 6 && !fentry_symbol__is_piece(target->name); i++) {
		spec.module = i < 3 ? NULL : module;
		spec.unit = paths[i % 3];
		if (means_function(target, &spec)) {
			fentry_spec__text(&spec, buf, size);
			return true;
		}
	}
	fentry_target__spec(target, buf, size);
	return false;
}

void fentry_target__label(const struct fentry_target *target, char buf[FENTRY_LABEL_MAX])
{
	const char *path = target->unit ?: target->file;
	struct fentry_spec spec;
	char id[16] = "";

	if (fentry_target__is_listed(target)) {
		if (find_spec(target, true, &spec)) {
			spec.exact = false;
			fentry_spec__text(&spec, buf, FENTRY_LABEL_MAX);
			return;
		}
		snprintf(id, sizeof(id), "#%u", target->type_id);
	}
	snprintf(buf, FENTRY_LABEL_MAX, "%s%s%s%s%s%s", target->module ?: "",
		 target->module ? ":" : "", target->name, path ? "@" : "", path ?: "", id);
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

const struct fentry_target *fentry_index__replaced(const struct fentry_index *idx, size_t i)
{
	return i < idx->replaced_cnt ? &idx->replaced[i] : NULL;
}

bool fentry_target__is_coming(const struct fentry_target *target)
{
	const struct fentry_object *obj =
		target->idx ? fentry_index__object(target->idx, target->module) : NULL;

	return obj && obj->coming;
}

int fentry_target__check(const struct fentry_target *target, struct fentry_error *error)
{
	if (target->same_name <= 1)
		return 0;
	return fentry_error__set(
		error, -ENOTUNIQ,
		"%u functions are called %s, and this kernel can't tell them apart%s",
		target->same_name, target->name,
		target->idx && fentry_index__is_verified(target->idx, target->module) ?
			", nor can its functions file" :
			": a functions file can, see fentry(1)");
}

/* From a specification to the functions that it means, or why it means none. */

#define TEXT_MAX FENTRY_LABEL_MAX

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
 * Refuse a path if it isn't known of each candidate where it is from: the one that the user means
 * may be among these.
 */
static int check_units(const struct fentry_index *idx, const struct fentry_spec *spec,
		       struct fentry_error *error)
{
	char text[TEXT_MAX], label[FENTRY_LABEL_MAX];
	const struct fentry_target **found, *unknown = NULL;
	struct fentry_spec any_unit = *spec;
	size_t i, cnt;

	any_unit.unit = NULL;
	if (search(idx, &any_unit, &found, &cnt))
		return fentry_error__no_memory(error);
	for (i = 0; i < cnt; i++)
		if (!found[i]->unit &&
		    (found[i]->addr || !has_twin_with_addr(found[i], found, cnt)))
			unknown = unknown ?: found[i];
	free(found);
	if (!unknown)
		return 0;
	fentry_spec__text(spec, text, sizeof(text));
	if (unknown->same_name > 1)
		return fentry_target__check(unknown, error);
	fentry_target__label(unknown, label);
	return fentry_error__set(
		error, -ENOTUNIQ,
		"'%s' may mean another function: the compilation unit of %s isn't known without a file of inlined calls of %s, see FILES in fentry(1)",
		text, label, unknown->module ?: "vmlinux");
}

/* Refuse the id of a FUNC that isn't used. */
static int check_replaced(const struct fentry_index *idx, const struct fentry_spec *spec,
			  struct fentry_error *error)
{
	const struct fentry_target *t;
	size_t i;

	for (i = 0; spec->id && (t = fentry_index__replaced(idx, i)); i++) {
		if (!fentry_spec__is_candidate(spec, t))
			continue;
		if (t->untrue)
			return fentry_error__set(
				error, -EINVAL,
				"BTF's #%u is a false prototype of %s (%s): give the name instead",
				spec->id, t->name, t->untrue);
		return fentry_error__set(
			error, -EINVAL,
			"BTF's #%u isn't the only FUNC or function of its name: give the name, %s, instead",
			spec->id, t->name);
	}
	return 0;
}

int fentry_index__find(const struct fentry_index *idx, const struct fentry_spec *spec,
		       const struct fentry_target ***ret, size_t *cnt, struct fentry_error *error)
{
	const struct fentry_target **found;
	char text[TEXT_MAX];
	size_t n;
	int err = 0;

	if (spec->unit && !spec->glob && !spec->id)
		err = check_units(idx, spec, error);
	if (err)
		return err;
	if (search(idx, spec, &found, &n))
		return fentry_error__no_memory(error);
	if (!n) {
		free(found);
		err = check_replaced(idx, spec, error);
		if (err)
			return err;
		fentry_spec__text(spec, text, sizeof(text));
		return fentry_error__set(error, -ENOENT, "no function matches '%s'", text);
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

int fentry_targets__several(const char *text, const struct fentry_target *const *found, size_t cnt,
			    struct fentry_error *error)
{
	size_t sources = fentry_targets__sources(found, cnt);

	if (sources == 1)
		return fentry_error__set(
			error, -ENOTUNIQ,
			"'%s' is one function of the source, but %zu functions of the kernel; choose one",
			text, cnt);
	return fentry_error__set(error, -ENOTUNIQ, "'%s' matches %zu functions; choose one", text,
				 sources);
}

int fentry_index__resolve(const struct fentry_index *idx, const struct fentry_spec *spec,
			  const struct fentry_target ***ret, size_t *cnt,
			  struct fentry_error *error)
{
	char text[TEXT_MAX];
	size_t i;
	int err;

	err = fentry_index__find(idx, spec, ret, cnt, error);
	if (err || spec->glob)
		return err;
	*cnt = drop_without_addr(*ret, *cnt);
	if (*cnt == 1 || !has_choice(*ret, *cnt))
		return fentry_target__check(**ret, error);
	/* a name with a suffix means one symbol */
	if (fentry_targets__sources(*ret, *cnt) == 1 && !spec->exact &&
	    !spec->name[fentry_symbol__base_len(spec->name)]) {
		for (i = 0, err = 0; i < *cnt && !err; i++)
			err = fentry_target__check((*ret)[i], error);
		return err;
	}
	fentry_spec__text(spec, text, sizeof(text));
	return fentry_targets__several(text, *ret, *cnt, error);
}

bool fentry_targets__choice(const struct fentry_target *const *found, size_t cnt, size_t i,
			    char *buf, size_t size)
{
	bool one = true;
	size_t j;

	if (found[i]->same_name > 1)
		return false;
	for (j = 1; j < cnt && one; j++)
		one = fentry_target__same_source(found[0], found[j]);
	if (one || !fentry_target__function_spec(found[i], buf, size)) {
		fentry_target__spec(found[i], buf, size);
		return true;
	}
	return !fentry_targets__is_repeated(found, i);
}

void fentry_targets__choose(const struct fentry_target **found, size_t cnt,
			    struct fentry_error *error)
{
	char text[TEXT_MAX];
	size_t i, len, room, n = 0;

	for (i = 0; error && i < cnt; i++) {
		if (!fentry_targets__choice(found, cnt, i, text, sizeof(text)))
			continue;
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
	if (!err && cnt > 1 && spec.glob)
		err = fentry_error__set(error, -ENOTUNIQ, "'%s' matches %zu functions; choose one",
					text, cnt);
	else if (!err && cnt > 1)
		err = fentry_targets__several(text, found, cnt, error);
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
