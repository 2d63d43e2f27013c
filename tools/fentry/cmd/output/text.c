// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>

#include "output/text.h"

/* Longer names than any symbol are cut before they are compared. */
#define NAME_MAX_LEN 512

void text__vprintf(struct text *t, const char *fmt, va_list args)
{
	va_list again;
	char *at;
	int len;

	va_copy(again, args);
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	at = len >= 0 ? text__room(t, len + 1) : NULL;
	if (!at)
		return;
	vsnprintf(at, len + 1, fmt, args);
	t->len += len;
}

void text__printf(struct text *t, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	text__vprintf(t, fmt, args);
	va_end(args);
}

void text__escaped(struct text *t, const char *data, size_t size, char quote)
{
	size_t i;

	for (i = 0; i < size && data[i]; i++) {
		unsigned char c = data[i];

		if (c == '\\' || (quote && c == quote))
			text__char(t, '\\');
		if (c == '\n')
			text__string(t, "\\n");
		else if (c < ' ' || c > '~')
			text__printf(t, "\\x%02x", c);
		else
			text__char(t, c);
	}
}

void text__time(struct text *t, unsigned long long ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double value = ns;
	int unit = 0;

	for (; value >= 1000 && unit < 3; unit++)
		value /= 1000;
	text__printf(t, "%.*f %s", unit ? 1 : 0, value, units[unit]);
}

void text__fini(struct text *t)
{
	free(t->data);
	*t = (struct text){};
}

static unsigned int decimal_len(unsigned long long n)
{
	unsigned int len = 1;

	for (; n >= 10000; n /= 10000)
		len += 4;
	return len + (n >= 10) + (n >= 100) + (n >= 1000);
}

/* Write a number of two or more decimal digits. */
char *digits_long(char *to, unsigned long long n)
{
	char *end = to + decimal_len(n), *at = end;

	/* one division makes two digits */
	for (; n >= 10; n /= 100) {
		*--at = '0' + n % 100 % 10;
		*--at = '0' + n % 100 / 10;
	}
	if (at > to)
		*--at = '0' + n;
	return end;
}

char *digits_hex(char *to, unsigned long long n)
{
	int shift = n ? (63 - __builtin_clzll(n)) & ~3 : 0;

	for (; shift >= 0; shift -= 4)
		*to++ = "0123456789abcdef"[n >> shift & 15];
	return to;
}

unsigned int text_distance(const char *a, size_t a_len, const char *b, unsigned int limit)
{
	size_t i, j, b_len = strnlen(b, NAME_MAX_LEN);
	unsigned int row[NAME_MAX_LEN + 1], diag, up, best;

	a_len = a_len < NAME_MAX_LEN ? a_len : NAME_MAX_LEN;
	if (a_len > b_len + limit || b_len > a_len + limit)
		return limit + 1;
	for (j = 0; j <= b_len; j++)
		row[j] = j;
	for (i = 1; i <= a_len; i++) {
		diag = row[0];
		row[0] = best = i;
		for (j = 1; j <= b_len; j++) {
			up = row[j];
			row[j] = diag + (a[i - 1] != b[j - 1]);
			if (row[j] > up + 1)
				row[j] = up + 1;
			if (row[j] > row[j - 1] + 1)
				row[j] = row[j - 1] + 1;
			if (row[j] < best)
				best = row[j];
			diag = up;
		}
		if (best > limit)
			return limit + 1;
	}
	return row[b_len] <= limit ? row[b_len] : limit + 1;
}
