// SPDX-License-Identifier: GPL-2.0-only
/* Rows of text, as a table for people or as JSON for programs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "json.h"
#include "table.h"

#define GAP "  "
#define CUT "..."
#define BOLD "\033[1m"
#define PLAIN "\033[0m"

struct table {
	const struct column *columns;
	size_t column_cnt;
	int *widths;			/* of each column */
	char **cells;			/* row after row; NULL: no text */
	size_t cnt, room;		/* cells there are, and fit */
};

struct table *table__new(const struct column *columns, size_t cnt)
{
	struct table *t = calloc(1, sizeof(*t));
	size_t i;

	if (t)
		t->widths = calloc(cnt, sizeof(*t->widths));
	if (!t || !t->widths) {
		free(t);
		return NULL;
	}
	t->columns = columns;
	t->column_cnt = cnt;
	for (i = 0; i < cnt; i++)
		t->widths[i] = strlen(columns[i].title);
	return t;
}

void table__free(struct table *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->cnt; i++)
		free(t->cells[i]);
	free(t->cells);
	free(t->widths);
	free(t);
}

static int reserve(struct table *t)
{
	size_t room = 2 * t->room + 64 * t->column_cnt;
	char **cells;

	if (t->cnt + t->column_cnt <= t->room)
		return 0;
	cells = reallocarray(t->cells, room, sizeof(*cells));
	if (!cells)
		return -ENOMEM;
	t->cells = cells;
	t->room = room;
	return 0;
}

int table__add(struct table *t, const char *const *cells)
{
	size_t i;

	if (reserve(t))
		return -ENOMEM;
	for (i = 0; i < t->column_cnt; i++) {
		char *copy = cells[i] ? strdup(cells[i]) : NULL;
		int width = cells[i] ? strlen(cells[i]) : 1;

		if (cells[i] && !copy) {
			while (i--)
				free(t->cells[t->cnt + i]);
			return -ENOMEM;
		}
		t->cells[t->cnt + i] = copy;
		if (t->widths[i] < width)
			t->widths[i] = width;
	}
	t->cnt += t->column_cnt;
	return 0;
}

/* Print one cell, return how many columns of the @left ones it leaves. */
static int print_cell(const char *text, int width, bool right, int left)
{
	int len = strlen(text);
	int pad = width > len ? width - len : 0;

	if (len + pad <= left) {
		printf("%*s%s%*s", right ? pad : 0, "", text, right ? 0 : pad,
		       "");
		return left - len - pad;
	}
	if (!right && left >= (int)strlen(CUT))
		printf("%.*s" CUT, left - (int)strlen(CUT), text);
	return 0;
}

/* Get cell @i of a row, or the title if there is no row. */
static const char *cell_text(const struct table *t, char **row, size_t i)
{
	return row ? row[i] ?: "-" : t->columns[i].title;
}

static void print_row(const struct table *t, char **row, int width)
{
	int left = width ?: 1 << 30;
	size_t i;

	for (i = 0; i < t->column_cnt && left > 0; i++) {
		bool last = i + 1 == t->column_cnt;

		/* the gap belongs to the cell before it */
		left = print_cell(cell_text(t, row, i),
				  last ? 0 : t->widths[i],
				  t->columns[i].number, left);
		if (last || left <= (int)strlen(GAP))
			break;
		fputs(GAP, stdout);
		left -= strlen(GAP);
	}
}

void table__print(const struct table *t)
{
	bool colour = use_colour(stdout);
	int width = output_width();
	size_t i;

	if (colour)
		fputs(BOLD, stdout);
	print_row(t, NULL, width);
	puts(colour ? PLAIN : "");
	for (i = 0; i < t->cnt; i += t->column_cnt) {
		print_row(t, t->cells + i, width);
		putchar('\n');
	}
}

static void print_json_row(const struct table *t, char **row)
{
	size_t i;

	putchar('{');
	for (i = 0; i < t->column_cnt; i++) {
		printf("%s\"%s\":", i ? "," : "", t->columns[i].key);
		if (t->columns[i].number && row[i])
			fputs(row[i], stdout);
		else
			json_text(row[i]);
	}
	putchar('}');
}

void table__print_json(const struct table *t)
{
	size_t i;

	putchar('[');
	for (i = 0; i < t->cnt; i += t->column_cnt) {
		fputs(i ? ",\n" : "\n", stdout);
		print_json_row(t, t->cells + i);
	}
	fputs(t->cnt ? "\n]\n" : "]\n", stdout);
}
