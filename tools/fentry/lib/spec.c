// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Specifications of functions: parsing, what a name and a path mean, printing. */
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "index.h"
#include "util.h"

/*
 * What a name means. A symbol's base name ends before its first dot: users ask for a function of
 * the source, which has no dot in its name. Behind the dot are suffixes of the compiler. These are
 * of copies of the whole function, and a number follows. Any other suffix (.part., .cold) makes the
 * symbol a piece, which doesn't begin where the function begins.
 */
static const char *const copies[] = {
	".constprop.", ".isra.", ".llvm.", ".lto_priv.", ".specialized.", ".__uniq.",
};

/* Length of the suffix of a copy that a text begins with, number included; 0 if it's none. */
static size_t suffix_len(const char *text)
{
	size_t i, len, digits;

	for (i = 0; i < ARRAY_SIZE(copies); i++) {
		len = strlen(copies[i]);
		if (strncmp(text, copies[i], len))
			continue;
		digits = strspn(text + len, "0123456789");
		return digits ? len + digits : 0;
	}
	return 0;
}

bool fentry_symbol__is_piece(const char *name)
{
	size_t len;

	for (name += fentry_symbol__base_len(name); *name; name += len) {
		len = suffix_len(name);
		if (!len)
			return true;
	}
	return false;
}

static bool parse_id(const char *text, __u32 *ret)
{
	unsigned long id;
	char *end;

	errno = 0;
	id = strtoul(text, &end, 10);
	*ret = id;
	return text[0] >= '0' && text[0] <= '9' && !*end && !errno && id && id <= UINT_MAX;
}

static int copy_part(const char *text, size_t len, char **ret)
{
	*ret = strndup(text, len);
	return *ret ? 0 : -ENOMEM;
}

/* Why a text can't be a specification; NULL if it may be one. */
static const char *find_mistake(const char *text, const char *name, const char *at,
				const char *colon)
{
	size_t len = at ? (size_t)(at - name) : strlen(name);

	if (memchr(name, ',', len))
		return "no function has a comma in its name; give each function as an argument of its own";
	if (memchr(name, '+', len))
		return "a program is attached to a function's entry or exit, not at an offset";
	if (name > text && name[-1] == '=' && (*name == '#' || strcspn(name, "*?[") < len))
		return "behind '=' is the name of one symbol, without glob";
	if (colon == text || !len || (at && !at[1]))
		return "expected [module:]name[@path] or [module:]#id";
	return NULL;
}

int fentry_spec__parse(const char *text, struct fentry_spec *ret, struct fentry_error *error)
{
	const char *name = text, *at, *colon, *mistake;
	struct fentry_spec spec = {};
	char *dash;
	int err = 0;

	at = strchr(text, '@');
	colon = memchr(text, ':', at ? (size_t)(at - text) : strlen(text));
	if (colon)
		name = colon + 1;
	spec.exact = *name == '=';
	name += spec.exact;
	mistake = find_mistake(text, name, at, colon);
	if (!mistake && *name == '#' && !parse_id(name + 1, &spec.id))
		mistake = "'#' must be followed by a BTF id (a decimal number from 1)";
	if (mistake)
		return fentry_error__set(error, -EINVAL, "bad target '%s': %s", text, mistake);

	if (colon)
		err = copy_part(text, colon - text, &spec.module);
	/* modprobe takes '-' and '_' for the same; the kernel has '_' */
	for (dash = spec.module; dash && (dash = strchr(dash, '-'));)
		*dash = '_';
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

/* Does a pattern match the last components of @path? */
static bool path_has_tail(const char *path, const char *pattern)
{
	const char *at = path;

	for (; at; at = strchr(at, '/')) {
		at += *at == '/';
		if (!fnmatch(pattern, at, FNM_PATHNAME))
			return true;
	}
	return false;
}

bool fentry_path__is_meant(const char *path, const char *wanted)
{
	if (!path)
		return false;
	while (!strncmp(wanted, "./", 2) || !strncmp(wanted, "../", 3))
		wanted = strchr(wanted, '/') + 1;
	return path_has_tail(path, wanted) || (*wanted == '/' && path_has_tail(wanted, path));
}

/* A name with a suffix means a symbol, one without means all copies of the function. */
static bool name_is_meant(const struct fentry_spec *spec, const char *name)
{
	size_t len = fentry_symbol__base_len(name);

	if (spec->glob)
		return !fnmatch(spec->name, name, 0);
	if (!strcmp(spec->name, name))
		return true;
	return !spec->exact && !strncmp(spec->name, name, len) && !spec->name[len] &&
	       !fentry_symbol__is_piece(name);
}

bool fentry_spec__is_candidate(const struct fentry_spec *spec, const struct fentry_target *target)
{
	const char *module = target->module ?: "vmlinux";

	if (spec->id)
		return target->type_id == spec->id && !strcmp(spec->module ?: "vmlinux", module);
	return (!spec->module || !strcmp(spec->module, module)) &&
	       name_is_meant(spec, target->name);
}

bool fentry_spec__match(const struct fentry_spec *spec, const struct fentry_target *target)
{
	return fentry_spec__is_candidate(spec, target) &&
	       (!spec->unit || fentry_path__is_meant(target->unit, spec->unit) ||
		fentry_path__is_meant(target->file, spec->unit));
}

void fentry_spec__text(const struct fentry_spec *spec, char *buf, size_t size)
{
	const char *module = spec->module ?: "", *colon = spec->module ? ":" : "";

	if (spec->id)
		snprintf(buf, size, "%s%s#%u", module, colon, spec->id);
	else
		snprintf(buf, size, "%s%s%s%s%s%s", module, colon, spec->exact ? "=" : "",
			 spec->name, spec->unit ? "@" : "", spec->unit ?: "");
}
