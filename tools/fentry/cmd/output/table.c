// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "output/json.h"
#include "output/messages.h"
#include "output/stream.h"
#include "output/table.h"
#include "output/terminal.h"

#define GAP	2 /* blanks between columns */
#define CUT	"..."
#define CUT_MIN 10 /* less isn't worth being shown */
#define INDENT	4
#define BOLD	"\033[1m"
#define PLAIN	"\033[0m"

/* Where columns begin. A narrow terminal hides no column: it may be the one that the user wants. */
struct layout {
	int width;    /* of lines */
	bool *begins; /* the column begins a line of its own */
	size_t lines; /* of each row, if nothing is wrapped */
};

struct table {
	struct column *columns; /* that are shown, and which of the cells each has */
	size_t *from;
	size_t column_cnt;
	int *widths;	      /* of each column */
	struct text texts;    /* of all cells, each with its NUL */
	size_t *cells;	      /* row after row: where the text begins, from 1; 0: there is none */
	size_t cnt;	      /* of cells */
	struct layout layout; /* while it is printed */
};

struct table *table__new(const struct column *columns, size_t cnt)
{
	struct table *t = calloc(1, sizeof(*t));
	size_t i;

	if (!t)
		return NULL;
	t->columns = calloc(cnt, sizeof(*t->columns));
	t->from = calloc(cnt, sizeof(*t->from));
	t->widths = calloc(cnt, sizeof(*t->widths));
	if (!t->columns || !t->from || !t->widths) {
		table__free(t);
		return NULL;
	}
	for (i = 0; i < cnt; i++) {
		if (columns[i].hidden)
			continue;
		t->columns[t->column_cnt] = columns[i];
		t->from[t->column_cnt] = i;
		t->widths[t->column_cnt++] = strlen(columns[i].title);
	}
	return t;
}

void table__free(struct table *t)
{
	if (!t)
		return;
	text__fini(&t->texts);
	free(t->cells);
	free(t->columns);
	free(t->from);
	free(t->widths);
	free(t);
}

int table__add(struct table *t, const char *const *cells)
{
	size_t i, len;

	for (i = 0; i < t->column_cnt; i++) {
		const char *text = cells[t->from[i]];

		len = text ? strlen(text) : 1;
		if (t->widths[i] < (int)len)
			t->widths[i] = len;
		if (!ARRAY_GROW(t->cells, t->cnt))
			return -ENOMEM;
		t->cells[t->cnt++] = text ? t->texts.len + 1 : 0;
		if (text)
			text__bytes(&t->texts, text, len + 1);
	}
	return t->texts.failed ? -ENOMEM : 0;
}

/* Get the text of a cell of a row; NULL if there is none. */
static const char *text_of(const struct table *t, size_t cell)
{
	return cell ? t->texts.data + cell - 1 : NULL;
}

/* Get cell @i of a row, or the title if there is no row. */
static const char *cell_text(const struct table *t, const size_t *row, size_t i)
{
	return row ? text_of(t, row[i]) ?: "-" : t->columns[i].title;
}

static bool lay_out(const struct table *t, struct layout *ret)
{
	int room, left;
	size_t i;

	ret->width = output_width() ?: 1 << 30;
	ret->begins = calloc(t->column_cnt, sizeof(*ret->begins));
	ret->lines = 1;
	left = ret->width;
	for (i = 0; ret->begins && i < t->column_cnt; i++) {
		room = t->columns[i].cut && t->widths[i] > CUT_MIN ? CUT_MIN : t->widths[i];
		ret->begins[i] = i && room > left;
		if (ret->begins[i]) {
			ret->lines++;
			left = ret->width - INDENT;
		}
		left -= t->widths[i] + GAP;
	}
	return ret->begins;
}

/* How much of a text goes on a line: up to a blank, if there is one. */
static int line_len(const char *text, int room)
{
	int len = room;

	if ((int)strlen(text) <= room)
		return strlen(text);
	while (len && text[len] != ' ')
		len--;
	return len ?: room;
}

/* Print a text that is longer than the line, and go on below. */
static void print_wrapped(const char *text, int room, int width)
{
	int len = line_len(text, room > 0 ? room : 1);

	fprintf(output(), "%.*s", len, text);
	while (text[len]) {
		text += len + strspn(text + len, " ");
		room = width > 4 * INDENT ? width - 2 * INDENT : 2 * INDENT;
		len = line_len(text, room);
		fprintf(output(), "\n%*s%.*s", 2 * INDENT, "", len, text);
	}
}

static void print_blanks(int cnt)
{
	static const char blanks[] = "                                                  ";
	int len = sizeof(blanks) - 1;

	for (; cnt > 0; cnt -= len)
		fwrite(blanks, 1, cnt < len ? cnt : len, output());
}

/*
 * @pad: the next column is on the same line. Tables have tens of thousands of rows, for which
 * printf("%*s") is slow.
 */
static void print_cell(const struct table *t, const size_t *row, size_t i, int left, bool pad)
{
	const struct column *c = &t->columns[i];
	const char *text = cell_text(t, row, i);
	int len = strlen(text), room = len > left ? 0 : t->widths[i] - len;

	if (c->number)
		print_blanks(room);
	if (len > left && c->cut)
		fprintf(output(), "%.*s" CUT, left > (int)strlen(CUT) ? left - (int)strlen(CUT) : 0,
			text);
	else if (len > left)
		print_wrapped(text, left, t->layout.width);
	else
		fwrite(text, 1, len, output());
	if (pad)
		print_blanks(c->number ? GAP : room + GAP);
}

static void print_row(const struct table *t, const size_t *row)
{
	int left = t->layout.width;
	size_t i;

	for (i = 0; i < t->column_cnt; i++) {
		if (t->layout.begins[i]) {
			fprintf(output(), "\n%*s", INDENT, "");
			left = t->layout.width - INDENT;
		}
		print_cell(t, row, i, left, i + 1 < t->column_cnt && !t->layout.begins[i + 1]);
		left -= t->widths[i] + GAP;
	}
}

size_t table__print(struct table *t, size_t max)
{
	bool colour = use_colour(output__fd());
	size_t i, lines;

	if (!lay_out(t, &t->layout)) {
		no_memory();
		return 0;
	}
	if (colour)
		fputs(BOLD, output());
	print_row(t, NULL);
	fputs(colour ? PLAIN "\n" : "\n", output());
	lines = t->layout.lines;
	for (i = 0; i < t->cnt && lines + t->layout.lines <= max; i += t->column_cnt) {
		print_row(t, t->cells + i);
		fputc('\n', output());
		lines += t->layout.lines;
	}
	free(t->layout.begins);
	return lines;
}

void table__print_json(const struct table *t)
{
	struct text to = {};
	size_t i, column;
	const char *text;

	fputc('[', output());
	for (i = 0; i < t->cnt; i += t->column_cnt) {
		text__string(&to, i ? ",\n{" : "\n{");
		for (column = 0; column < t->column_cnt; column++) {
			text = text_of(t, t->cells[i + column]);
			json_key(&to, t->columns[column].key);
			if (t->columns[column].number && text)
				text__string(&to, text);
			else
				json_put_text(&to, text);
		}
		json_close(&to, '}');
		output__print(&to);
	}
	fputs(t->cnt ? "\n]\n" : "]\n", output());
	text__fini(&to);
}
