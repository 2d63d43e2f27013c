// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* What went wrong, in words. */
#include <stdarg.h>
#include <stdio.h>

#include "internal.h"

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
