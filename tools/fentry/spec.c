// SPDX-License-Identifier: GPL-2.0
/* Target specifications: parsing and matching. */
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

int fentry_error__set(struct fentry_error *error, int err, const char *fmt, ...)
{
	va_list args;

	if (!error)
		return err;
	error->err = err;
	va_start(args, fmt);
	vsnprintf(error->msg, sizeof(error->msg), fmt, args);
	va_end(args);
	return err;
}

static int parse_id(const char *text, struct fentry_spec *ret,
		    struct fentry_error *error)
{
	unsigned long id;
	char *end;

	errno = 0;
	id = strtoul(text + 1, &end, 10);
	if (text[1] < '0' || text[1] > '9' || *end || errno || !id ||
	    id > UINT_MAX)
		return fentry_error__set(error, -EINVAL,
			"bad target '%s': '#' must be followed by a BTF id (a decimal number from 1)",
			text);
	ret->id = id;
	return 0;
}

/* Copy text[0..len), or NULL for none: *@ret stays NULL then. */
static int copy_part(const char *text, size_t len, char **ret)
{
	*ret = strndup(text, len);
	return *ret ? 0 : -ENOMEM;
}

int fentry_spec__parse(const char *text, struct fentry_spec *ret,
		       struct fentry_error *error)
{
	const char *name = text, *at, *colon;
	struct fentry_spec spec = {};
	int err = 0;

	if (text[0] == '#') {
		err = parse_id(text, &spec, error);
		if (!err)
			*ret = spec;
		return err;
	}

	at = strchr(text, '@');
	colon = memchr(text, ':', at ? (size_t)(at - text) : strlen(text));
	if (colon)
		name = colon + 1;
	if (colon == text || name == at || !*name || (at && !at[1]))
		return fentry_error__set(error, -EINVAL,
			"bad target '%s': expected [module:]name[@path] or #id",
			text);

	if (colon)
		err = copy_part(text, colon - text, &spec.module);
	if (!err && at)
		err = copy_part(at + 1, strlen(at + 1), &spec.unit);
	if (!err)
		err = copy_part(name, at ? (size_t)(at - name) : strlen(name),
				&spec.name);
	if (err) {
		fentry_spec__clear(&spec);
		return fentry_error__set(error, err, "out of memory");
	}
	spec.glob = strpbrk(spec.name, "*?[") != NULL;
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

bool fentry_spec__match(const struct fentry_spec *spec,
			const struct fentry_target *target)
{
	if (spec->id)
		return !target->module && target->type_id == spec->id;
	if (spec->module &&
	    strcmp(spec->module, target->module ?: "vmlinux"))
		return false;
	if (spec->glob ? fnmatch(spec->name, target->name, 0) :
			 strcmp(spec->name, target->name))
		return false;
	return !spec->unit ||
	       (target->unit && path_has_tail(target->unit, spec->unit));
}
