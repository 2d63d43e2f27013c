// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Says what became of an argument that the program uses and the function isn't
 * given.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* The parts of a parameter that was split; "" if there are none. */
static void list_parts(const struct fentry_target *target, const char *name, char *buf, size_t size)
{
	const struct btf_type *t = btf__type_by_id(target->btf, target->type_id);
	const struct btf_param *params;
	size_t used = 0, len = strlen(name);
	int i;

	t = btf__type_by_id(target->btf, t->type);
	params = btf_params(t);
	buf[0] = '\0';
	for (i = 0; i < btf_vlen(t) && used < size; i++) {
		const char *part = btf__name_by_offset(target->btf, params[i].name_off);

		if (!strncmp(part, name, len) && !strncmp(part + len, PARTS, strlen(PARTS)))
			used += snprintf(buf + used, size - used, "%s'%s'", used ? ", " : "", part);
	}
}

int fentry_arguments__missing(const struct fentry_arguments *a, int nr, int err,
			      const struct fentry_target *target, struct fentry_error *error)
{
	const char *name = fentry_arguments__name(a, nr), *what;
	char label[FENTRY_LABEL_MAX], parts[256] = "", *prototype = NULL;

	fentry_target__prototype(target, &prototype, NULL);
	fentry_target__label(target, label);
	if (nr == a->cnt_declared)
		what = err == -ENODATA ? "there is no return value" :
					 "the return value is of another type";
	else if (err == -ENODATA)
		what = "there is no such argument";
	else
		what = "the argument is of another type";
	if (nr < a->cnt_declared && err == -ENODATA)
		list_parts(target, name, parts, sizeof(parts));
	fentry_error__set(error, err,
			  "program '%s' uses '%s' of %s, but %s%s%s: %s%s%s'%s' in this kernel",
			  a->prog_name, name, label, what,
			  parts[0] ? ", only parts of it (use their names): " : "", parts,
			  target->source ? "'" : "it is ", target->source ?: "",
			  target->source ? "' in the source is " : "", prototype ?: target->name);
	free(prototype);
	return err;
}

int fentry_arguments__at_entry(const struct fentry_arguments *a, const struct fentry_target *target,
			       struct fentry_error *error)
{
	char label[FENTRY_LABEL_MAX];

	fentry_target__label(target, label);
	return fentry_error__set(
		error, -EINVAL,
		"program '%s' uses the return value ('%s') of %s, but doesn't run at its exit",
		a->prog_name, fentry_arguments__name(a, a->cnt_declared), label);
}
