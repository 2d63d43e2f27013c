// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Options, which begin with their size: see LIBBPF_OPTS(). */
#include <errno.h>
#include <string.h>

#include "internal.h"

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
