// SPDX-License-Identifier: GPL-2.0-only
/* What is wrong with an expression, and what there is instead. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr.h"

#define NAME_MAX_LEN 64

bool expr_error__set(struct expr_error *error, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(error->msg, sizeof(error->msg), fmt, args);
	va_end(args);
	return false;
}

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t min = a < b ? a : b;

	return min < c ? min : c;
}

/* Characters to insert, delete or replace to make one of the other (Levenshtein). */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t row[NAME_MAX_LEN + 1], i, j;

	if (a_len > NAME_MAX_LEN || b_len > NAME_MAX_LEN)
		return SIZE_MAX;
	for (j = 0; j <= b_len; j++)
		row[j] = j;
	for (i = 1; i <= a_len; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (j = 1; j <= b_len; j++) {
			size_t above = row[j];

			row[j] = min3(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[b_len];
}

void expr_names__add(struct expr_names *names, const char *name)
{
	size_t d = distance(names->wanted, names->len, name, strlen(name));
	size_t used = strlen(names->list);

	if (!names->nearest || d < names->distance) {
		names->nearest = name;
		names->distance = d;
	}
	if (names->full)
		return;
	names->full = used + strlen(name) + sizeof(", , ...") > sizeof(names->list);
	sprintf(names->list + used, "%s%s", used ? ", " : "", names->full ? "..." : name);
}

void expr_names__hint(const struct expr_names *names, const char *what, struct expr_error *error)
{
	size_t used = strlen(error->msg), size = sizeof(error->msg) - used;

	if (!names->nearest)
		snprintf(error->msg + used, size, "; it has no %s at all", what);
	else if (names->distance <= (names->len + 1) / 2)
		snprintf(error->msg + used, size, "; did you mean '%s'? It has: %s", names->nearest,
			 names->list);
	else
		snprintf(error->msg + used, size, "; it has: %s", names->list);
}

void expr__explain(const char *option, const char *text, const struct expr_error *error, char *buf,
		   size_t size)
{
	snprintf(buf, size, "%s '%s', column %d: %s", option, text, error->column, error->msg);
}
