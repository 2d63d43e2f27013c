// SPDX-License-Identifier: GPL-2.0-only
/* Some of the inlined calls of functions, as they are written on a command line. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "attach/site_spec.h"

/* The ':' before a number that ends a text, or NULL. */
static const char *line_at(const char *text)
{
	const char *colon = strrchr(text, ':');

	if (!colon || colon == text || !colon[1])
		return NULL;
	return colon[1 + strspn(colon + 1, "0123456789")] ? NULL : colon;
}

/* What says which calls are meant; NULL if that is all. A unit has a '.' in its name. */
static const char *place(const char *text)
{
	const char *at = strchr(text, '@'), *ret = at ? at + 1 : text;

	return line_at(ret) || (at && *ret && !strpbrk(ret, "./:")) ? ret : NULL;
}

size_t site_specs__split(char **specs, size_t cnt)
{
	size_t i, n = 0;

	for (i = 0; i < cnt; i++) {
		char *spec = specs[i];

		if (place(spec))
			continue;
		memmove(specs + n + 1, specs + n, (i - n) * sizeof(*specs));
		specs[n++] = spec;
	}
	return n;
}

int site_spec__parse(const char *text, struct site_spec *ret)
{
	const char *at = place(text), *line = line_at(at);
	size_t len = at == text ? 0 : at - text - strlen("@");
	char *func = len ? strndup(text, len) : strdup("*");
	struct site_spec spec = { .caller = line ? NULL : at };
	struct fentry_error error;
	int status = 0;

	if (line) {
		spec.line = strtoul(line + 1, NULL, 10);
		spec.file = strndup(at, line - at);
	}
	if (!func || (line && !spec.file)) {
		complain("out of memory");
		status = EXIT_FAILED;
	} else if (fentry_spec__parse(func, &spec.func, &error)) {
		status = usage_error("%s", error.msg);
	}
	free(func);
	if (status)
		free(spec.file);
	else
		*ret = spec;
	return status;
}

void site_spec__clear(struct site_spec *spec)
{
	fentry_spec__clear(&spec->func);
	free(spec->file);
}

static bool has_tail(const char *path, const char *tail)
{
	size_t len = strlen(path), tail_len = strlen(tail);

	if (tail_len > len || strcmp(path + len - tail_len, tail))
		return false;
	return tail_len == len || path[len - tail_len - 1] == '/';
}

bool site_spec__match(const struct site_spec *spec, const struct fentry_inlined_call *call)
{
	if (spec->caller)
		return call->caller && !strcmp(call->caller, spec->caller);
	return call->file && call->line == spec->line && has_tail(call->file, spec->file);
}
