// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

int fentry_error__set(struct fentry_error *error, int err, const char *fmt, ...)
{
	va_list args;

	if (!error)
		return err;
	error->err = err;
	error->prog = NULL;
	va_start(args, fmt);
	vsnprintf(error->msg, sizeof(error->msg), fmt, args);
	va_end(args);
	return err;
}

int fentry_error__no_memory(struct fentry_error *error)
{
	return fentry_error__set(error, -ENOMEM, "out of memory");
}

/* Options, which begin with their size: see LIBBPF_OPTS(). */
int fentry_opts__copy(void *to, size_t size, const void *from, struct fentry_error *error)
{
	const char *bytes = from;
	size_t sz = 0, i;

	memset(to, 0, size);
	if (!from)
		return 0;
	memcpy(&sz, from, sizeof(sz));
	if (sz < sizeof(sz))
		return fentry_error__set(
			error, -EINVAL, "the options say no size: declare them with LIBBPF_OPTS()");
	for (i = size; i < sz; i++)
		if (bytes[i])
			return fentry_error__set(
				error, -EINVAL,
				"an option is set that this version of libfentry doesn't know, at byte %zu",
				i);
	memcpy(to, from, sz < size ? sz : size);
	return 0;
}

__u64 fentry_number_in(const char *path)
{
	FILE *f = fopen(path, "re");
	char text[32] = "";

	if (f) {
		if (!fgets(text, sizeof(text), f))
			text[0] = '\0';
		fclose(f);
	}
	return strtoull(text, NULL, 0);
}
