/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Strings and numbers of JSON: json_put_X() appends them to a text, json_X() prints them to
 * stdout.
 */
#ifndef FENTRY_JSON_H
#define FENTRY_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "libfentry.h"
#include "output/text.h"

#define JSON_NUMBER_MAX (DIGITS_MAX + 3) /* the longest number or address */

/**
 * json_put_bytes() - Characters as a JSON string.
 * @to: appends to this
 * @text: the characters, up to NUL
 * @size: there are no more than these
 */
void json_put_bytes(struct text *to, const void *text, size_t size);

/** json_put_text() - A text as a JSON string. @text: the text; NULL is null */
void json_put_text(struct text *to, const char *text);

/**
 * json_write_number() - A number; as a string if a double doesn't hold it.
 * @at: has JSON_NUMBER_MAX bytes
 * @n: the number
 * @is_signed: whether it has a sign
 *
 * Return: its end.
 */
char *json_write_number(char *at, unsigned long long n, bool is_signed);

/** json_write_address() - As json_write_number(), in hexadecimal, as a string. */
char *json_write_address(char *at, unsigned long long addr);

void json_put_number(struct text *to, unsigned long long n, bool is_signed);
void json_put_address(struct text *to, unsigned long long addr);

/** json_put_function() - The members that say which function it is. */
void json_put_function(struct text *to, const struct fentry_target *target);

void json_text(const char *text);

/** json_id() - An id, or null if it is 0, which means that it is not known. */
void json_id(unsigned int id);

void json_function(const struct fentry_target *target);

#endif /* FENTRY_JSON_H */
