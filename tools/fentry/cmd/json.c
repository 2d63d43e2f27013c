// SPDX-License-Identifier: GPL-2.0-only
/* Strings and numbers of JSON, printed to stdout. */
#include <stdio.h>
#include <string.h>

#include "digits.h"
#include "json.h"

/* Integers that every double holds. */
#define DOUBLE_MAX (1ULL << 53)

static bool is_plain(unsigned char c)
{
	return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

void json_bytes(const void *text, size_t size)
{
	const unsigned char *at = text, *end = at + strnlen(text, size), *from;

	putchar('"');
	while (at < end) {
		for (from = at; at < end && is_plain(*at); at++)
			;
		fwrite(from, 1, at - from, stdout);
		if (at == end)
			break;
		printf(*at == '"' || *at == '\\' ? "\\%c" : "\\u%04x", *at);
		at++;
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

static void put_digits(unsigned long long n, unsigned int base)
{
	char buf[DIGITS_MAX];

	fputs(digits(n, base, buf), stdout);
}

void json_number(unsigned long long n, bool is_signed)
{
	bool negative = is_signed && (long long)n < 0;
	unsigned long long magnitude = negative ? -n : n;
	bool quoted = magnitude > DOUBLE_MAX;

	if (quoted)
		putchar('"');
	if (negative)
		putchar('-');
	put_digits(magnitude, 10);
	if (quoted)
		putchar('"');
}

void json_address(unsigned long long addr)
{
	fputs("\"0x", stdout);
	put_digits(addr, 16);
	putchar('"');
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
