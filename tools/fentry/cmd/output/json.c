// SPDX-License-Identifier: GPL-2.0-only
/* Strings and numbers of JSON. */
#include <stdio.h>
#include <string.h>

#include "output/json.h"

/* Integers that every double holds. */
#define DOUBLE_MAX (1ULL << 53)

static bool is_plain(unsigned char c)
{
	return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

static void put_escaped(struct text *to, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	const char escape[] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] };

	if (c == '"' || c == '\\')
		text__bytes(to, (const char[]){ '\\', c }, 2);
	else
		text__bytes(to, escape, sizeof(escape));
}

void json_put_bytes(struct text *to, const void *text, size_t size)
{
	const unsigned char *at = text, *end = at + strnlen(text, size), *from;

	text__char(to, '"');
	while (at < end) {
		for (from = at; at < end && is_plain(*at); at++)
			;
		text__bytes(to, from, at - from);
		if (at < end)
			put_escaped(to, *at++);
	}
	text__char(to, '"');
}

void json_put_text(struct text *to, const char *text)
{
	if (text)
		json_put_bytes(to, text, strlen(text));
	else
		text__string(to, "null");
}

char *json_write_number(char *at, unsigned long long n, bool is_signed)
{
	bool negative = is_signed && (long long)n < 0;
	unsigned long long magnitude = negative ? -n : n;
	bool quoted = magnitude > DOUBLE_MAX;

	if (quoted)
		*at++ = '"';
	if (negative)
		*at++ = '-';
	at = digits_decimal(at, magnitude);
	if (quoted)
		*at++ = '"';
	return at;
}

char *json_write_address(char *at, unsigned long long addr)
{
	*at++ = '"';
	*at++ = '0';
	*at++ = 'x';
	at = digits_hex(at, addr);
	*at++ = '"';
	return at;
}

void json_put_number(struct text *to, unsigned long long n, bool is_signed)
{
	char *at = text__room(to, JSON_NUMBER_MAX);

	if (at)
		text__end(to, json_write_number(at, n, is_signed));
}

void json_put_address(struct text *to, unsigned long long addr)
{
	char *at = text__room(to, JSON_NUMBER_MAX);

	if (at)
		text__end(to, json_write_address(at, addr));
}

static void put_id(struct text *to, unsigned int id)
{
	if (id)
		text__decimal(to, id);
	else
		text__string(to, "null");
}

void json_put_function(struct text *to, const struct fentry_target *target)
{
	text__string(to, "\"object\":");
	put_id(to, target->obj_id);
	text__string(to, ",\"id\":");
	text__decimal(to, target->type_id);
	text__string(to, ",\"module\":");
	json_put_text(to, target->module ?: "vmlinux");
	text__string(to, ",\"function\":");
	json_put_text(to, target->name);
	text__string(to, ",\"unit\":");
	json_put_text(to, target->unit);
}

static void print(struct text *text)
{
	fwrite(text->data, 1, text->len, stdout);
	text__fini(text);
}

void json_text(const char *text)
{
	struct text to = {};

	json_put_text(&to, text);
	print(&to);
}

void json_id(unsigned int id)
{
	struct text to = {};

	put_id(&to, id);
	print(&to);
}

void json_function(const struct fentry_target *target)
{
	struct text to = {};

	json_put_function(&to, target);
	print(&to);
}
