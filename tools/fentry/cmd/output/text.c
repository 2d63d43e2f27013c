// SPDX-License-Identifier: GPL-2.0-only
/* Text that is put together in memory. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/text.h"

#define ROOM_MIN 4096

bool text__grow(struct text *t, size_t size)
{
	size_t room = 2 * (t->len + size) + ROOM_MIN;
	char *data = realloc(t->data, room);

	if (!data) {
		t->failed = true;
		return false;
	}
	t->data = data;
	t->room = room;
	return true;
}

void text__printf(struct text *t, const char *fmt, ...)
{
	va_list args;
	char *at;
	int len;

	va_start(args, fmt);
	len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	at = len >= 0 ? text__room(t, len + 1) : NULL;
	if (!at)
		return;
	va_start(args, fmt);
	vsnprintf(at, len + 1, fmt, args);
	va_end(args);
	t->len += len;
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

/* In decimal, of 10 and more. */
char *digits_long(char *to, unsigned long long n)
{
	char *end = to + decimal_len(n), *at = end;

	/* a division for two digits */
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
