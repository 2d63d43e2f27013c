// SPDX-License-Identifier: GPL-2.0-only
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

/* A comma, unless what comes next is the first in its object or array. */
static void json_comma(struct text *to)
{
	/* no value ends in one of these characters: strings end in a quote */
	if (to->len && !strchr("{[:, \n", to->data[to->len - 1]))
		text__char(to, ',');
}

void json_key(struct text *to, const char *key)
{
	size_t len = strlen(key);
	char *at;

	json_comma(to);
	at = text__room(to, len + 3);
	if (!at)
		return;
	*at++ = '"';
	at = mempcpy(at, key, len);
	*at++ = '"';
	*at++ = ':';
	text__end(to, at);
}

void json_open(struct text *to, const char *key, char bracket)
{
	if (key)
		json_key(to, key);
	else
		json_comma(to);
	text__char(to, bracket);
}

void json_text(struct text *to, const char *key, const char *text)
{
	if (key)
		json_key(to, key);
	else
		json_comma(to);
	json_put_text(to, text);
}

void json_number(struct text *to, const char *key, unsigned long long n)
{
	json_key(to, key);
	text__decimal(to, n);
}

void json_id(struct text *to, const char *key, unsigned int id)
{
	if (id)
		json_number(to, key, id);
	else
		json_text(to, key, NULL);
}

void json_bool(struct text *to, const char *key, bool value)
{
	json_key(to, key);
	text__string(to, value ? "true" : "false");
}

void json_address(struct text *to, const char *key, unsigned long long addr)
{
	char text[17];

	snprintf(text, sizeof(text), "%016llx", addr);
	json_text(to, key, addr ? text : NULL);
}

void json_function(struct text *to, const struct fentry_target *target)
{
	json_id(to, "object", target->obj_id);
	json_id(to, "id", fentry_target__by_probe(target) ? 0 : target->type_id);
	json_text(to, "module", target->module ?: "vmlinux");
	json_text(to, "function", target->name);
	json_text(to, "unit", target->unit);
	json_text(to, "file", target->file);
}

void json_inlined_call(struct text *to, const struct fentry_inlined_call *call)
{
	json_text(to, "caller", call->caller);
	json_text(to, "symbol", call->symbol);
	json_text(to, "file", call->file);
	json_number(to, "line", call->line);
	json_address(to, "address", call->addr);
}
