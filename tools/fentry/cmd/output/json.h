/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The writer of JSON: json_put_X() appends a value to a text; json_X() appends a member of an
 * object, or an element of an array, with the comma before it.
 */
#ifndef FENTRY_JSON_H
#define FENTRY_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "libfentry.h"
#include "output/text.h"

#define JSON_NUMBER_MAX (DIGITS_MAX + 3) /* the longest number or address */

/* Characters as a JSON string: @size of them, or up to NUL. */
void json_put_bytes(struct text *to, const void *text, size_t size);

/* A text as a JSON string. @text: the text; NULL is null */
void json_put_text(struct text *to, const char *text);

/*
 * A number; as a string if a double doesn't hold it.
 * @at: has JSON_NUMBER_MAX bytes
 *
 * Return: its end.
 */
char *json_write_number(char *at, unsigned long long n, bool is_signed);

/* As json_write_number(), in hexadecimal, as a string. */
char *json_write_address(char *at, unsigned long long addr);

void json_put_number(struct text *to, unsigned long long n, bool is_signed);
void json_put_address(struct text *to, unsigned long long addr);

/* The name of a member, whose value comes next. @key: needs no escapes */
void json_key(struct text *to, const char *key);

/*
 * Begin an object or array, which json_close() ends.
 * @key: the member's name; NULL: it isn't a member
 * @bracket: '{' or '['
 */
void json_open(struct text *to, const char *key, char bracket);

static inline void json_close(struct text *to, char bracket)
{
	text__char(to, bracket);
}

/* A text, as a member or, without @key, an element. @text: NULL is null */
void json_text(struct text *to, const char *key, const char *text);

void json_number(struct text *to, const char *key, unsigned long long n);

/* An id, or null if it is 0 (not known). */
void json_id(struct text *to, const char *key, unsigned int id);

void json_bool(struct text *to, const char *key, bool value);

/* 16 hexadecimal digits, or null if it is 0 (not known). */
void json_address(struct text *to, const char *key, unsigned long long addr);

/* The members that identify a function. */
void json_function(struct text *to, const struct fentry_target *target);

/* The members that say where an inlined call is. */
void json_inlined_call(struct text *to, const struct fentry_inlined_call *call);

#endif /* FENTRY_JSON_H */
