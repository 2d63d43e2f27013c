// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "attach/selection.h"
#include "array.h"
#include "kernel/verdict.h"
#include "output/text.h"

#define NEAREST_MAX 5

static const char *functions_path; /* NULL: where it is by default */
static bool unverified;		   /* take_unverified() was called */
static const struct fentry_coming *coming;
static const bool *coming_made;
static size_t coming_cnt;

struct candidate {
	const struct fentry_target *target;
	unsigned int score; /* the less, the nearer */
};

/*
 * How far @name is from @wanted: typing errors first, then names that begin with @wanted ("foo"
 * finds "foo.isra.0"), then names that contain it.
 */
static unsigned int score(const char *wanted, size_t len, const char *name, unsigned int limit)
{
	unsigned int dist = text_distance(wanted, len, name, limit);
	const char *at;

	if (dist <= limit)
		return dist;
	if (!strncasecmp(wanted, name, len) && !name[len])
		return limit;
	at = memmem(name, strlen(name), wanted, len);
	if (!at)
		return -1U;
	return limit + 1 + (at != name) * LABEL_MAX + strlen(name);
}

/* Keep the @max best, sorted; equal ones stay in the index's order. */
static void keep_best(struct candidate *best, size_t *cnt, size_t max, struct candidate new)
{
	size_t i = *cnt;

	if (new.score == -1U || (i == max && new.score >= best[max - 1].score))
		return;
	if (i == max)
		i--;
	else
		(*cnt)++;
	for (; i && best[i - 1].score > new.score; i--)
		best[i] = best[i - 1];
	best[i] = new;
}

int nearest(const struct fentry_index *idx, const struct fentry_spec *spec, size_t max,
	    const struct fentry_target **ret)
{
	/* names are compared with the beginning of a glob */
	size_t i, cnt = 0, len = spec->id ? 0 : strcspn(spec->name, spec->glob ? "*?[" : "");
	struct candidate *best;
	bool same_name = false;

	if (!len || !max)
		return 0;
	best = calloc(max, sizeof(*best));
	if (!best)
		return -ENOMEM;
	for (i = 0; i < fentry_index__cnt(idx); i++) {
		struct candidate new = { .target = fentry_index__target(idx, i) };

		new.score = score(spec->name, len, new.target->name, 1 + len / 4);
		if (!new.score && !same_name) {
			same_name = true;
			cnt = 0;
		}
		if (!same_name || !new.score)
			keep_best(best, &cnt, max, new);
	}
	for (i = 0; i < cnt; i++)
		ret[i] = best[i].target;
	free(best);
	return cnt;
}

/* A specification as a shell takes it: '#' would begin a comment, and zsh expands '='. */
static void print_spec(const char *spec)
{
	const char *quote = strpbrk(spec, "#=") ? "'" : "";

	fprintf(stderr, "  %s%s%s\n", quote, spec, quote);
}

static void print_choices(const struct fentry_target **found, size_t cnt)
{
	char spec[LABEL_MAX];
	size_t i;

	for (i = 0; i < cnt; i++)
		if (fentry_targets__choice(found, cnt, i, spec, sizeof(spec)))
			print_spec(spec);
}

static void print_nearest(const struct fentry_index *idx, const struct fentry_spec *spec)
{
	const struct fentry_target *near[NEAREST_MAX];
	char text[LABEL_MAX];
	int i, cnt;

	cnt = nearest(idx, spec, NEAREST_MAX, near);
	if (cnt > 0)
		fputs("nearest:\n", stderr);
	for (i = 0; i < cnt; i++) {
		const char *unit = spec->unit ? near[i]->unit : NULL;

		fentry_target__spec(near[i], text, sizeof(text));
		if (unit && !strpbrk(text, "@#"))
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "@%s", unit);
		print_spec(text);
	}
}

/* The kernel's symbols, read when they are first asked for. */
static bool load_verdicts(const struct fentry_index *idx, struct verdicts **v)
{
	return *v || !verdicts__load(idx, true, v);
}

/* Add what a specification means in the kernel, but not in BTF. */
static void add_undescribed(const struct fentry_index *idx, const struct fentry_spec *spec,
			    bool init, struct verdicts **v, struct left_out *ret)
{
	struct fentry_spec any_unit = *spec;

	any_unit.unit = NULL;
	if (!spec->id && load_verdicts(idx, v))
		left_out__add_undescribed(ret, *v, &any_unit, init);
}

/* Complain if a function has nothing but inlined calls. Return whether that is so. */
static bool complain_inlined(const struct fentry_index *idx, const struct fentry_spec *spec)
{
	const struct fentry_target **found = NULL;
	size_t i, found_cnt = 0, cnt = 0;
	char name[LABEL_MAX];

	if (spec->glob || fentry_index__find_inlined(idx, spec, &found, &found_cnt))
		return false;
	for (i = 0; i < found_cnt; i++)
		cnt += fentry_target__inlined_cnt(found[i]);
	free(found);
	snprintf(name, sizeof(name), "%s%s%s", spec->module ?: "", spec->module ? ":" : "",
		 spec->name);
	if (cnt)
		complain(
			"%zu call%s of %s %s inlined, and not seen without trace --inlined: 'fentry explain %s' says where",
			cnt, cnt == 1 ? "" : "s", name, cnt == 1 ? "is" : "are", name);
	return cnt;
}

/* Is it a function that a system call of this name has? Return 1 for its entry, 2 for others. */
static int syscall_part(const char *function, const char *name)
{
	static const char *const prefixes[] = { "__x64_sys_", "__arm64_sys_", "__se_sys_",
						"__do_sys_",  "do_sys_",      "ksys_" };
	size_t i, len;

	for (i = 0; i < ARRAY_SIZE(prefixes); i++) {
		len = strlen(prefixes[i]);
		if (strncmp(function, prefixes[i], len) ||
		    strncmp(function + len, name, strlen(name)))
			continue;
		len += strlen(name);
		if (!function[len] ||
		    (i > 1 && !function[len + strspn(function + len, "0123456789")]))
			return i > 1 ? 2 : 1;
	}
	return 0;
}

/* Complain if a name means a system call. Return whether that is so. */
static bool complain_syscall(const struct fentry_index *idx, const struct fentry_spec *spec)
{
	const char *name = spec->name ?: "", *comma = "";
	char text[LABEL_MAX], functions[2 * LABEL_MAX] = "";
	bool found = false;
	int part;
	size_t i;

	name += !strncmp(name, "sys_", 4) ? 4 : 0;
	for (i = 0; *name && !spec->module && i < fentry_index__cnt(idx); i++) {
		part = syscall_part(fentry_index__target(idx, i)->name, name);
		if (!part || strlen(functions) > LABEL_MAX)
			continue;
		found |= part == 1;
		fentry_target__spec(fentry_index__target(idx, i), text, sizeof(text));
		strcat(strcat(functions, comma), text);
		comma = ", ";
	}
	if (found)
		complain("%s is a system call: %s", name, functions);
	return found;
}

/* Does BTF have a function of this name in another unit? */
static bool has_name(const struct fentry_index *idx, const struct fentry_spec *spec)
{
	const struct fentry_target **found = NULL;
	struct fentry_spec any_unit = *spec;
	size_t cnt;
	bool ret;

	any_unit.unit = NULL;
	ret = !fentry_index__find(idx, &any_unit, &found, &cnt, NULL);
	free(found);
	return ret;
}

/* Say as much as is known of a name that neither BTF nor the symbols have. */
static void complain_absent(const struct fentry_index *idx, const struct fentry_spec *spec)
{
	const char *where = spec->module ?: "the kernel";

	if (spec->module && module__complain_absent(spec->module))
		return;
	if (fentry_index__has_inlined(idx))
		complain("%s has neither a function %s nor known inlined calls of one", where,
			 spec->name);
	else
		complain(
			"%s has no function %s; without a file of inlined calls it isn't known if one is inlined everywhere",
			where, spec->name);
}

/* Complain of matching functions that BTF doesn't describe, or say that the kernel has none. */
static bool complain_undescribed(const struct fentry_index *idx, const struct fentry_spec *spec)
{
	struct left_out left_out = {};
	struct verdicts *v = NULL;
	bool some;

	add_undescribed(idx, spec, true, &v, &left_out);
	some = left_out.cnt;
	left_out__complain(&left_out);
	some |= complain_inlined(idx, spec);
	if (!some && v && !spec->glob && !spec->id && !has_name(idx, spec))
		complain_absent(idx, spec);
	verdicts__free(v);
	return some;
}

/* A user who doesn't see addresses can hardly load programs: other messages say so. */
static bool sees_addresses(const struct fentry_index *idx, struct verdicts **v)
{
	return load_verdicts(idx, v) && !verdicts__ksyms(*v)->hidden;
}

/*
 * May the kernel have symbols that a specification means, but BTF doesn't describe? Reading all
 * symbols takes time.
 */
static bool may_lack(const struct selection *sel, const struct fentry_spec *spec)
{
	size_t i;

	if (spec->exact)
		return false;
	if (spec->glob || !fentry_index__is_exact(sel->idx))
		return true;
	for (i = 0; i < sel->cnt; i++)
		if (sel->targets[i]->shares_name && fentry_spec__match(spec, sel->targets[i]))
			return true;
	return false;
}

/* A glob with a path matches only functions of which it is known where they are from. */
static void complain_unknown_units(const struct fentry_index *idx, const struct fentry_spec *spec)
{
	const struct fentry_target **found = NULL;
	struct fentry_spec any_unit = *spec;
	size_t i, cnt = 0, unknown = 0;

	any_unit.unit = NULL;
	fentry_index__find(idx, &any_unit, &found, &cnt, NULL);
	for (i = 0; i < cnt; i++)
		unknown += !found[i]->unit && found[i]->addr;
	free(found);
	if (unknown)
		complain(
			"%zu functions that '%s' matches are left out: without a file of inlined calls their units aren't known",
			unknown, spec->name);
}

void selection__complain_unseen(struct selection *sel)
{
	struct left_out left_out = {};
	const struct fentry_spec *spec;

	for_each(spec, sel->specs, sel->spec_cnt) {
		if (!spec->unit && may_lack(sel, spec) && sees_addresses(sel->idx, &sel->verdicts))
			add_undescribed(sel->idx, spec, false, &sel->verdicts, &left_out);
		else if (spec->unit && spec->glob)
			complain_unknown_units(sel->idx, spec);
	}
	left_out__complain(&left_out);
}

/* Complain about a specification that can't be used, with a way out. */
static int report(const struct fentry_index *idx, const struct fentry_spec *spec,
		  const struct fentry_target **found, size_t cnt, const struct fentry_error *error)
{
	complain("%s", error->msg);
	switch (error->err) {
	case -ENOENT:
		if (!complain_syscall(idx, spec) &&
		    (!complain_undescribed(idx, spec) || spec->unit))
			print_nearest(idx, spec);
		return EXIT_NO_MATCH;
	case -ENOTUNIQ:
		if (cnt > 1)
			print_choices(found, cnt);
		return EXIT_AMBIGUOUS;
	default:
		return EXIT_FAILED;
	}
}

int no_match(const struct fentry_index *idx, const struct fentry_spec *spec)
{
	const struct fentry_target **found = NULL;
	struct fentry_error error = { .err = -ENOENT };
	size_t cnt = 0;

	fentry_index__find(idx, spec, &found, &cnt, &error);
	free(found);
	return report(idx, spec, NULL, 0, &error);
}

/* Messages have the name that BTF has, not the alias that was given. */
static void tell_own_name(const struct fentry_spec *spec, const struct fentry_target *target)
{
	const char *alias;
	size_t i;

	for (i = 0; spec->name && (alias = fentry_target__alias(target, i)); i++)
		if (!strcmp(spec->name, alias))
			complain("%s is another name of %s", alias, target->name);
}

/* Add functions that are only inlined. Return whether there are any. */
static bool add_inlined(struct selection *sel, const struct fentry_spec *spec)
{
	const struct fentry_target **found = NULL;
	size_t cnt = 0;
	bool added;

	if (fentry_index__find_inlined(sel->idx, spec, &found, &cnt))
		return false;
	added = ARRAY_APPEND(sel->inlined, sel->inlined_cnt, found, cnt);
	if (!added)
		no_memory();
	free(found);
	return added && cnt;
}

static int add_spec(struct selection *sel, const struct fentry_spec *spec, unsigned int flags)
{
	const struct fentry_target **found = NULL;
	struct fentry_error error;
	bool has_inlined;
	size_t cnt = 0;
	int err, status;

	if (flags & SELECT_INLINED && fentry_index__check_inlined(sel->idx, spec, &error))
		return report(sel->idx, spec, NULL, 0, &error);
	has_inlined = flags & SELECT_INLINED && add_inlined(sel, spec);
	err = flags & SELECT_SEVERAL ? fentry_index__find(sel->idx, spec, &found, &cnt, &error) :
				       fentry_index__resolve(sel->idx, spec, &found, &cnt, &error);
	if (err == -ENOENT && has_inlined)
		return 0;
	if (err)
		status = report(sel->idx, spec, found, cnt, &error);
	else
		status = ARRAY_APPEND(sel->targets, sel->cnt, found, cnt) ? 0 : no_memory();
	if (!status && cnt == 1 && !spec->glob)
		tell_own_name(spec, found[0]);
	free(found);
	return status;
}

static void sort_unique(struct selection *sel)
{
	sel->cnt = array_settle(sel->targets, sel->cnt, sizeof(*sel->targets), cmp_position);
}

void set_functions_path(const char *path)
{
	functions_path = path;
}

void expect_modules(const struct fentry_coming *modules, const bool *made, size_t cnt)
{
	coming = modules;
	coming_made = made;
	coming_cnt = cnt;
}

void take_unverified(void)
{
	unverified = true;
}

/*
 * Say what is wrong with the functions file, or that there is none for vmlinux or for @module, and
 * what makes one.
 */
static void complain_files(const char *problem, const char *module)
{
	struct utsname uts = {};
	char how[512];

	uname(&uts);
	snprintf(how, sizeof(how), "'fentry-files' makes that of Linux %s from its debug info",
		 uts.release);
	if (problem)
		complain("not used: %s: %s", problem, how);
	else
		complain(
			"the BTF of %s isn't verified, so its functions are traced by probes, with arguments as BTF says, as there is no functions file: %s",
			module ?: "this kernel", how);
}

static bool is_made(const char *module)
{
	size_t i = 0;

	while (i < coming_cnt && strcmp(coming[i].module, module))
		i++;
	return i < coming_cnt && coming_made[i];
}

void complain_unverified(const struct fentry_index *idx, const struct fentry_target *const *targets,
			 size_t cnt)
{
	const char *first = NULL, *more = "", *module = NULL;
	char what[128];
	static bool told;
	size_t i;

	/* open_index() may have failed, and complains itself if vmlinux has no file */
	if (told || !cnt || !fentry_index__is_verified(idx, NULL))
		return;
	for (i = 0; i < cnt; i++) {
		if (!targets[i]->module || targets[i]->module == module)
			continue;
		module = targets[i]->module; /* the functions of an object follow one another */
		if (is_made(module) || fentry_index__is_verified(idx, module))
			continue;
		first = first ?: module;
		more = strcmp(first, module) ? " and other modules" : more;
	}
	if (!first)
		return;
	snprintf(what, sizeof(what), "%s%s", first, more);
	complain_files(NULL, what);
	told = true;
}

int open_index(struct fentry_index **ret)
{
	LIBBPF_OPTS(fentry_index_opts, opts, .functions_path = functions_path,
		    .unverified = unverified, .coming = coming, .coming_cnt = coming_cnt);
	static bool told;
	struct fentry_error error;
	const char *problem;

	if (fentry_index__open(&opts, ret, &error))
		return complain_error(&error);
	problem = fentry_index__inline_problem(*ret);
	if (!told && (problem || !fentry_index__is_verified(*ret, NULL)))
		complain_files(problem, NULL);
	told = true; /* trace opens an index at its end, too */
	return 0;
}

static int parse(const char *text, struct fentry_spec *ret)
{
	struct fentry_error error;
	int err = fentry_spec__parse(text, ret, &error);

	if (err == -EINVAL)
		return usage_error("%s", error.msg);
	return err ? complain_error(&error) : 0;
}

int selection__parse(struct selection *sel, const char *text)
{
	int status;

	if (!ARRAY_GROW(sel->specs, sel->spec_cnt))
		return no_memory();
	status = parse(text, &sel->specs[sel->spec_cnt]);
	sel->spec_cnt += !status;
	return status;
}

static int finish(struct selection *sel, int status)
{
	if (!status)
		sort_unique(sel);
	complain_unverified(sel->idx, sel->targets, status ? 0 : sel->cnt);
	return status;
}

int selection__add(struct selection *sel, const char *text, unsigned int flags)
{
	struct fentry_spec spec;
	int status = parse(text, &spec);

	if (status)
		return status;
	status = add_spec(sel, &spec, flags);
	fentry_spec__clear(&spec);
	return finish(sel, status);
}

int selection__find(struct selection *sel, unsigned int flags)
{
	int failed = 0, status = open_index(&sel->idx);
	size_t i;

	for (i = 0; !status && i < sel->spec_cnt; i++) {
		status = add_spec(sel, &sel->specs[i], flags);
		if (status && flags & SELECT_BEST_EFFORT) {
			failed = status;
			status = 0;
		}
	}
	if (failed && !sel->cnt && !sel->inlined_cnt)
		status = failed;
	return finish(sel, status);
}

int selection__init(struct selection *sel, char **specs, size_t cnt, unsigned int flags)
{
	int status = 0;
	size_t i;

	memset(sel, 0, sizeof(*sel));
	/* complain of wrong texts at once, also to users who may not read BTF */
	for (i = 0; !status && i < cnt; i++)
		status = selection__parse(sel, specs[i]);
	return status ?: selection__find(sel, flags);
}

void selection__fini(struct selection *sel)
{
	while (sel->spec_cnt)
		fentry_spec__clear(&sel->specs[--sel->spec_cnt]);
	free(sel->specs);
	free(sel->targets);
	free(sel->inlined);
	modules__free(&sel->modules);
	verdicts__free(sel->verdicts);
	while (sel->call_cnt)
		free(sel->calls[--sel->call_cnt]);
	free(sel->calls);
	free(sel->sites);
	free(sel->site_of);
	fentry_index__free(sel->idx);
}
