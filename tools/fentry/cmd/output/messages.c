// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>

#include "output/messages.h"

static void say(const char *fmt, va_list args, const char *end)
{
	fputs("fentry: ", stderr);
	vfprintf(stderr, fmt, args);
	fputs(end, stderr);
}

void complain(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args, "\n");
	va_end(args);
}

static char help[64] = " (try 'fentry help')\n";

void set_help(const char *command)
{
	snprintf(help, sizeof(help), " (try 'fentry help %s')\n", command);
}

int usage_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args, help);
	va_end(args);
	return EXIT_USAGE;
}

void count_text(size_t functions, size_t inlined, char buf[COUNT_TEXT_MAX])
{
	size_t len = 0;

	if (functions || !inlined)
		len = snprintf(buf, COUNT_TEXT_MAX, "%zu function%s", functions,
			       functions == 1 ? "" : "s");
	if (inlined)
		snprintf(buf + len, COUNT_TEXT_MAX - len, "%s%zu inlined call%s",
			 len ? " and " : "", inlined, inlined == 1 ? "" : "s");
}

int no_memory(void)
{
	return failure("out of memory");
}

int complain_error(const struct fentry_error *error)
{
	return failure("%s", error->msg);
}

const char *libbpf_text(int err)
{
	static char text[128];

	libbpf_strerror(err, text, sizeof(text));
	return text;
}
