// SPDX-License-Identifier: GPL-2.0-only
/* Shows the first bytes of functions in the running kernel's text. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static int peek(const char *text)
{
	unsigned char code[TEXT_SIZE];
	unsigned long long addr;
	char *end;
	int i, err;

	errno = 0;
	addr = strtoull(text, &end, 16);
	if (end == text || *end || errno) {
		fprintf(stderr, "peek: '%s' isn't a hexadecimal address\n", text);
		return 2;
	}
	err = text__read(addr, code, sizeof(code));
	if (err) {
		fprintf(stderr, "peek: can't read %016llx from /proc/kcore: %s\n", addr,
			strerror(-err));
		return 1;
	}
	printf("%016llx ", addr);
	for (i = 0; i < TEXT_SIZE; i++)
		printf(" %02x", code[i]);
	printf("  %s\n", text__state_name(text__state(addr)));
	return 0;
}

int main(int argc, char **argv)
{
	int i, status = 0;

	if (argc < 2) {
		fputs("usage: peek ADDRESS...\n", stderr);
		return 2;
	}
	for (i = 1; i < argc && !status; i++)
		status = peek(argv[i]);
	return status;
}
