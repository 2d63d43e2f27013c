// SPDX-License-Identifier: GPL-2.0-only
/* Kernel lockdown for confidentiality, which takes from programs what they read with. */
#include <stdio.h>
#include <string.h>

#include "command.h"

bool is_locked_down(void)
{
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");
	char text[128] = "";

	if (!f)
		return false;
	if (!fgets(text, sizeof(text), f))
		text[0] = '\0';
	fclose(f);
	return strstr(text, "[confidentiality]");
}

/* The verifier's words for a helper that isn't there. */
static bool lacks_helper(const char *message)
{
	return strstr(message, "cannot use helper") || strstr(message, "unknown func");
}

void complain_load(const struct fentry_error *error)
{
	bool locked_down = lacks_helper(error->msg) && is_locked_down();

	complain(
		"%s%s",
		locked_down ?
			"kernel lockdown (confidentiality) forbids programs to read kernel memory: " :
			"",
		error->msg);
}
