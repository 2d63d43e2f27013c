// SPDX-License-Identifier: GPL-2.0-only
/* From the specifications on a command line to functions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "left_out.h"
#include "nearest.h"
#include "verdict.h"

#define NEAREST_MAX 5

/* A specification as a shell takes it: '#' would begin a comment. */
static void print_spec(const struct fentry_target *target)
{
	const char *quote;
	char spec[LABEL_MAX];

	fentry_target__spec(target, spec, sizeof(spec));
	quote = strchr(spec, '#') ? "'" : "";
	fprintf(stderr, "  %s%s%s\n", quote, spec, quote);
}

static void print_nearest(const struct fentry_index *idx,
			  const struct fentry_spec *spec)
{
	const struct fentry_target *near[NEAREST_MAX];
	int i, cnt;

	cnt = nearest(idx, spec, NEAREST_MAX, near);
	if (cnt > 0)
		fputs("nearest:\n", stderr);
	for (i = 0; i < cnt; i++)
		print_spec(near[i]);
}

/* Add what a specification means in the kernel, but not in BTF. */
static void add_undescribed(const struct fentry_index *idx,
			    const struct fentry_spec *spec, bool init,
			    struct verdicts **v, struct left_out *ret)
{
	struct fentry_spec any_unit = *spec;

	any_unit.unit = NULL;
	if (!spec->id && (*v || !verdicts__load(idx, true, v)))
		left_out__add_undescribed(ret, *v, &any_unit, init);
}

/* Complain of what the kernel has of it, or say that it has nothing. */
static bool complain_undescribed(const struct fentry_index *idx,
				 const struct fentry_spec *spec)
{
	struct left_out left_out = {};
	struct verdicts *v = NULL;
	bool some;

	add_undescribed(idx, spec, true, &v, &left_out);
	some = left_out.cnt;
	left_out__complain(&left_out);
	if (!some && v && !spec->unit && !spec->glob)
		complain("the kernel has no %s either: if the source has it, the compiler inlined all its calls",
			 spec->name);
	verdicts__free(v);
	return some;
}

/* Who doesn't may hardly load programs, and is told that once. */
static bool sees_addresses(const struct fentry_index *idx, struct verdicts **v)
{
	return (*v || !verdicts__load(idx, true, v)) && !verdicts__ksyms(*v)->hidden;
}

void selection__complain_undescribed(const struct selection *sel, char **specs,
				     size_t cnt)
{
	struct left_out left_out = {};
	struct verdicts *v = NULL;
	struct fentry_spec spec;
	size_t i;

	for (i = 0; i < cnt; i++) {
		if (fentry_spec__parse(specs[i], &spec, NULL))
			continue;
		if (spec.glob && !spec.unit && sees_addresses(sel->idx, &v))
			add_undescribed(sel->idx, &spec, false, &v, &left_out);
		fentry_spec__clear(&spec);
	}
	left_out__complain(&left_out);
	verdicts__free(v);
}

/* Complain about a specification that can't be used, with a way out. */
static int report(const struct fentry_index *idx,
		  const struct fentry_spec *spec,
		  const struct fentry_target **found, size_t cnt,
		  const struct fentry_error *error)
{
	size_t i;

	complain("%s", error->msg);
	switch (error->err) {
	case -ENOENT:
		if (!complain_undescribed(idx, spec) || spec->unit)
			print_nearest(idx, spec);
		return EXIT_NO_MATCH;
	case -ENOTUNIQ:
		for (i = 0; cnt > 1 && i < cnt; i++)
			if (found[i]->same_name <= 1)
				print_spec(found[i]);
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

/* What follows has the function's own name. */
static void tell_own_name(const struct fentry_spec *spec, const struct fentry_target *target)
{
	const char *alias;
	size_t i;

	for (i = 0; spec->name && (alias = fentry_target__alias(target, i)); i++)
		if (!strcmp(spec->name, alias))
			complain("%s is another name of %s", alias, target->name);
}

static int append(struct selection *sel, const struct fentry_target **found,
		  size_t cnt)
{
	const struct fentry_target **targets;

	targets = reallocarray(sel->targets, sel->cnt + cnt, sizeof(*targets));
	if (!targets) {
		complain("out of memory");
		return EXIT_FAILED;
	}
	memcpy(targets + sel->cnt, found, cnt * sizeof(*found));
	sel->targets = targets;
	sel->cnt += cnt;
	return 0;
}

static int add_spec(struct selection *sel, const struct fentry_spec *spec,
		    bool several)
{
	const struct fentry_target **found = NULL;
	struct fentry_error error;
	size_t cnt = 0;
	int err, status;

	err = several ? fentry_index__find(sel->idx, spec, &found, &cnt, &error) :
			fentry_index__resolve(sel->idx, spec, &found, &cnt,
					      &error);
	status = err ? report(sel->idx, spec, found, cnt, &error) :
		       append(sel, found, cnt);
	if (!status && cnt == 1 && !spec->glob)
		tell_own_name(spec, found[0]);
	free(found);
	return status;
}

/* Pointers compare as positions in the index do. */
static int cmp_position(const void *a, const void *b)
{
	const struct fentry_target *x = *(const struct fentry_target **)a;
	const struct fentry_target *y = *(const struct fentry_target **)b;

	return x < y ? -1 : x > y;
}

static void sort_unique(struct selection *sel)
{
	size_t i, n = 0;

	qsort(sel->targets, sel->cnt, sizeof(*sel->targets), cmp_position);
	for (i = 0; i < sel->cnt; i++)
		if (!n || sel->targets[n - 1] != sel->targets[i])
			sel->targets[n++] = sel->targets[i];
	sel->cnt = n;
}

int open_index(struct fentry_index **ret)
{
	struct fentry_error error;

	if (!fentry_index__open(NULL, ret, &error))
		return 0;
	complain("%s", error.msg);
	return EXIT_FAILED;
}

int selection__add(struct selection *sel, const char *text)
{
	struct fentry_error error;
	struct fentry_spec spec;
	int status;

	if (fentry_spec__parse(text, &spec, &error))
		return usage_error("%s", error.msg);
	status = add_spec(sel, &spec, false);
	if (!status)
		sort_unique(sel);
	fentry_spec__clear(&spec);
	return status;
}

int selection__init(struct selection *sel, char **specs, size_t cnt,
		    bool several)
{
	struct fentry_spec *parsed;
	struct fentry_error error;
	size_t i;
	int err, status = 0;

	memset(sel, 0, sizeof(*sel));
	parsed = calloc(cnt, sizeof(*parsed));
	if (!parsed) {
		complain("out of memory");
		return EXIT_FAILED;
	}
	for (i = 0; !status && i < cnt; i++) {
		err = fentry_spec__parse(specs[i], &parsed[i], &error);
		if (err == -EINVAL) {
			status = usage_error("%s", error.msg);
		} else if (err) {
			complain("%s", error.msg);
			status = EXIT_FAILED;
		}
	}
	if (!status)
		status = open_index(&sel->idx);
	for (i = 0; !status && i < cnt; i++)
		status = add_spec(sel, &parsed[i], several);
	if (!status)
		sort_unique(sel);
	for (i = 0; i < cnt; i++)
		fentry_spec__clear(&parsed[i]);
	free(parsed);
	return status;
}

void selection__fini(struct selection *sel)
{
	free(sel->targets);
	fentry_index__free(sel->idx);
}
