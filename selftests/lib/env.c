// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "env.h"

const char *env__need(const char *name)
{
	const char *value = getenv(name);

	if (value)
		return value;
	fprintf(stderr, "# $%s isn't set: 'make test T=%s' sets it\n", name,
		program_invocation_short_name);
	_exit(EXIT_FAILURE); /* not by exit(): the harness has forked */
}
