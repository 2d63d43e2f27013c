// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "env.h"
#include "kconfig.h"

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
