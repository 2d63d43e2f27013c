/* SPDX-License-Identifier: GPL-2.0-only */
/* Strings and numbers of JSON, printed to stdout. */
#ifndef FENTRY_JSON_H
#define FENTRY_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "libfentry.h"

/**
 * json_bytes() - Print characters to stdout as a JSON string.
 * @text: the characters, up to NUL
 * @size: there are no more than these
 */
void json_bytes(const void *text, size_t size);

/**
 * json_text() - Print a text to stdout as a JSON string.
 * @text: the text; NULL is printed as null
 */
void json_text(const char *text);

/**
 * json_number() - Print a number; as a string if a double doesn't hold it.
 * @n: the number
 * @is_signed: whether it has a sign
 */
void json_number(unsigned long long n, bool is_signed);

/** json_address() - Print a number in hexadecimal, as a string. */
void json_address(unsigned long long addr);

/** json_id() - Print an id, or null if it is 0, which means that it is not known. */
void json_id(unsigned int id);

/**
 * json_function() - Print the members that say which function it is.
 * @target: the function
 */
void json_function(const struct fentry_target *target);

#endif /* FENTRY_JSON_H */
