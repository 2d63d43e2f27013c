// SPDX-License-Identifier: GPL-2.0-only
#include <sys/utsname.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

bool kconfig__has(const char *option)
{
	FILE *f = fopen(env__need("KCONFIG"), "re");
	size_t len = strlen(option);
	bool found = false;
	char line[256];

	while (f && !found && fgets(line, sizeof(line), f))
		found = !strncmp(line, option, len) && !strcmp(line + len, "=y\n");
	if (f)
		fclose(f);
	return found;
}

int kconfig__base(void)
{
	struct utsname uts;

	return uname(&uts) ? 0 : atoi(uts.release);
}
