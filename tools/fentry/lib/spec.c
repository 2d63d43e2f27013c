// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Target specifications: parsing, matching, printing. */
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/*
 * What compilers append to the name of a whole function, before a number. A part of one
 * (.part., .cold) isn't what its name without suffix means.
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
		return fentry_error__set(error, err, "out of memory");
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
