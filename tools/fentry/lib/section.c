// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * From a program's section name, as "fentry/name@path", to the function that it
 * means. If several functions have the name, the program's own parameters decide,
 * if its BTF has them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/*
 * Of several functions keep those that have what the program reads. If several
 * are left, keep those whose parameters are all declared by the program: it is
 * written as the source has the function. Return their number, or -1 if the
 * program doesn't declare its parameters.
 */
static int keep_fitting(const struct bpf_program *prog, const struct fentry_target **found,
			size_t cnt)
{
	const struct fentry_arguments *a = fentry_arguments__of(prog);
	int fitting = 0, best = 1;
	size_t i;

	if (!a || !a->declared)
		return -1;
	for (i = 0; i < cnt; i++) {
		const struct fentry_target *t = found[i];
		int fit = fentry_arguments__fit(a, t->btf, t->type_id);

		if (fit < best)
			continue;
		if (fit > best)
			fitting = 0;
		best = fit;
		found[i] = found[fitting]; /* the others go behind */
		found[fitting++] = t;
	}
	return fitting;
}

/* The one of several functions that a section without glob means. */
static int choose(const struct bpf_program *prog, const struct fentry_target **found, size_t cnt,
		  struct fentry_error *error)
{
	int fitting = keep_fitting(prog, found, cnt);
	char name[256];

	if (fitting == 1)
		return fentry_target__check(found[0], error);
	snprintf(name, sizeof(name), "%s", strchr(bpf_program__section_name(prog), '/') + 1);
	if (fitting < 0)
		fentry_targets__several(name, cnt, error);
	else
		fentry_error__set(
			error, -ENOTUNIQ,
			"'%s' matches %zu functions, of which %d have the parameters of program '%s'; choose one",
			name, cnt, fitting, bpf_program__name(prog));
	fentry_targets__choose(found, fitting > 0 ? (size_t)fitting : cnt, error);
	return -ENOTUNIQ;
}

int fentry_section__resolve(const struct bpf_program *prog, const struct fentry_index *idx,
			    const struct fentry_target **ret, struct fentry_error *error)
{
	const char *section = bpf_program__section_name(prog);
	const struct fentry_target **found = NULL;
	const char *text = strchr(section, '/');
	struct fentry_spec spec = {};
	size_t cnt = 0;
	int err;

	if (!text)
		return fentry_error__set(
			error, -EINVAL,
			"program '%s' has no target: SEC(\"%s\") names none and none was set",
			bpf_program__name(prog), section);
	err = fentry_spec__parse(text + 1, &spec, error);
	if (!err)
		err = fentry_index__resolve(idx, &spec, &found, &cnt, error);
	if (err == -ENOTUNIQ && cnt > 1)
		err = choose(prog, found, cnt, error);
	else if (!err && cnt > 1)
		err = fentry_error__set(
			error, -ENOTUNIQ,
			"SEC(\"%s\") matches %zu functions, but a program has one target", section,
			cnt);
	if (!err)
		*ret = found[0];
	free(found);
	fentry_spec__clear(&spec);
	return err;
}
