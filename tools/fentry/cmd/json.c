// SPDX-License-Identifier: GPL-2.0-only
/* Strings and numbers of JSON, printed to stdout. */
#include <stdio.h>
#include <string.h>

#include "json.h"

/* Integers that every double holds. */
#define DOUBLE_MAX (1ULL << 53)

void json_bytes(const void *text, size_t size)
{
	const unsigned char *at = text, *end = at + size;

	putchar('"');
	for (; at < end && *at; at++) {
		unsigned char c = *at;

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < ' ' || c > '~')
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

void json_text(const char *text)
{
	if (text)
		json_bytes(text, strlen(text));
	else
		fputs("null", stdout);
}

void json_number(unsigned long long n, bool is_signed)
{
	bool negative = is_signed && (long long)n < 0;
	const char *quote = (negative ? -n : n) > DOUBLE_MAX ? "\"" : "";

	if (is_signed)
		printf("%s%lld%s", quote, n, quote);
	else
		printf("%s%llu%s", quote, n, quote);
}

void json_id(unsigned int id)
{
	if (id)
		printf("%u", id);
	else
		fputs("null", stdout);
}

void json_function(const struct fentry_target *target)
{
	fputs("\"object\":", stdout);
	json_id(target->obj_id);
	printf(",\"id\":%u,\"module\":", target->type_id);
	json_text(target->module ?: "vmlinux");
	fputs(",\"function\":", stdout);
	json_text(target->name);
	fputs(",\"unit\":", stdout);
	json_text(target->unit);
}
