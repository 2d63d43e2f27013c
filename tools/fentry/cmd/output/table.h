/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of text, as a table for people or as JSON for programs. */
#ifndef FENTRY_TABLE_H
#define FENTRY_TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct column {
	const char *title;
	const char *key; /* in JSON */
	bool number;	 /* right-aligned; a number in JSON */
	bool cut;	 /* a narrow terminal need not show all of it */
	bool hidden;	 /* this table is without it */
};

#define COLUMN(_title, _key, ...)                               \
	{                                                       \
		.title = (_title), .key = (_key), ##__VA_ARGS__ \
	}

struct table;

/*
 * A table without rows.
 * @columns: its columns, whose texts must outlive it
 *
 * Return: the table, to be released with table__free(), or NULL.
 */
struct table *table__new(const struct column *columns, size_t cnt);

/* Release a table. @t: may be NULL */
void table__free(struct table *t);

/*
 * Add a row.
 * @cells: a text for each column, also for hidden ones, which is copied; NULL: there is none
 *
 * Return: 0 or -ENOMEM.
 */
int table__add(struct table *t, const char *const *cells);

/*
 * Print a heading and the rows to output().
 * @max: rows that don't fit into so many lines are left out
 *
 * A column that doesn't fit into output_width() goes on below, and long texts are
 * wrapped, unless the column may be cut.
 *
 * Return: number of lines, if no column is wrapped.
 */
size_t table__print(struct table *t, size_t max);

/* Print the rows to output(), as an array of objects. */
void table__print_json(const struct table *t);

#endif /* FENTRY_TABLE_H */
