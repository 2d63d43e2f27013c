/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Text that grows: what the library's printer and the command share. */
#ifndef FENTRY_GROWING_H
#define FENTRY_GROWING_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct text {
	char *data; /* has no NUL at its end */
	size_t len, room;
	bool failed; /* some of it found no memory */
};

/* Make room for so many more bytes. Return: false without memory. */
static inline __attribute__((cold)) bool text__grow(struct text *t, size_t size)
{
	size_t room = 2 * (t->len + size) + 4096;
	char *data = realloc(t->data, room);

	if (!data) {
		t->failed = true;
		return false;
	}
	t->data = data;
	t->room = room;
	return true;
}

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

#endif /* FENTRY_GROWING_H */
