/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text that is put together in memory. Traces consist of short pieces, for which stdio takes
 * several times as long.
 */
#ifndef FENTRY_TEXT_H
#define FENTRY_TEXT_H

#include <stdarg.h>

#include "growing.h"

#define DIGITS_MAX 20 /* of 2^64 - 1 in decimal */

/* Append as printf(), which is slow. */
void text__printf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text__vprintf(struct text *t, const char *fmt, va_list args);

void text__fini(struct text *t);

/* Append a time, as "1.5 ms". */
void text__time(struct text *t, unsigned long long ns);

char *digits_long(char *to, unsigned long long n);

/* Write a number. @to: has DIGITS_MAX bytes. Return: its end. */
static inline char *digits_decimal(char *to, unsigned long long n)
{
	if (n >= 10)
		return digits_long(to, n);
	*to = '0' + n;
	return to + 1;
}

/* As digits_decimal(), in hexadecimal, without 0x. */
char *digits_hex(char *to, unsigned long long n);

/* The text ends at @end, behind what was written. */
static inline void text__end(struct text *t, const char *end)
{
	t->len = end - t->data;
}

/*
 * Append characters that others chose, so that no terminal obeys them: @size of them, or up to NUL.
 * @quote: also escaped, as a backslash is; 0: none
 */
void text__escaped(struct text *t, const char *data, size_t size, char quote);

static inline void text__char(struct text *t, char c)
{
	text__bytes(t, &c, 1);
}

static inline void text__decimal(struct text *t, unsigned long long n)
{
	char *at = text__room(t, DIGITS_MAX);

	if (at)
		text__end(t, digits_decimal(at, n));
}

/*
 * Characters to insert, delete or replace to make @b of @a, which has @a_len.
 *
 * Return: Levenshtein's distance; limit + 1 if it is more than @limit.
 */
unsigned int text_distance(const char *a, size_t a_len, const char *b, unsigned int limit);

#endif /* FENTRY_TEXT_H */
