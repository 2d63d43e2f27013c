// SPDX-License-Identifier: GPL-2.0-only
/* Opens files of tracefs, wherever it is mounted. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "command.h"

int open_tracefs(const char *name, int flags, const char *purpose)
{
	static const char *const dirs[] = {
		"/sys/kernel/tracing",
		"/sys/kernel/debug/tracing",
	};
	char path[256];
	int fd = -1, i;

	for (i = 0; fd < 0 && i < 2 && (!i || errno == ENOENT); i++) {
		snprintf(path, sizeof(path), "%s/%s", dirs[i], name);
		fd = open(path, flags | O_CLOEXEC);
	}
	if (fd >= 0 || !purpose)
		return fd;
	if (errno != ENOENT)
		complain("can't %s: can't open %s: %s", purpose, path, strerror(errno));
	else if (is_locked_down())
		complain("can't %s: kernel lockdown (confidentiality) leaves nothing in tracefs",
			 purpose);
	else
		complain("can't %s: no %s/%s: mount tracefs (mount -t tracefs none %s)", purpose,
			 dirs[0], name, dirs[0]);
	return -1;
}
