/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text that is put together in memory. Traces consist of short pieces, for which stdio takes
 * several times as long.
 */
#ifndef FENTRY_TEXT_H
#define FENTRY_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#define DIGITS_MAX 20 /* of 2^64 - 1 in decimal */

struct text {
	char *data; /* has no NUL at its end */
	size_t len, room;
	bool failed; /* some of it found no memory */
};

/* Make room for so many more bytes. Return: false without memory. */
bool text__grow(struct text *t, size_t size);

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

static inline void text__clear(struct text *t)
{
	t->len = 0;
	t->failed = false;
}

/*
 * Where the next bytes go.
 * @size: their number at most
 *
 * Return: NULL without memory. The caller writes them, and calls text__end().
 */
static inline char *text__room(struct text *t, size_t size)
{
	if (t->room - t->len < size && !text__grow(t, size))
		return NULL;
	return t->data + t->len;
}

/* The text ends at @end, behind what was written. */
static inline void text__end(struct text *t, const char *end)
{
	t->len = end - t->data;
}

static inline void text__bytes(struct text *t, const void *data, size_t size)
{
	char *at = text__room(t, size);

	if (!at)
		return;
	memcpy(at, data, size);
	t->len += size;
}

static inline void text__string(struct text *t, const char *string)
{
	text__bytes(t, string, strlen(string));
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
