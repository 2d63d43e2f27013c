// SPDX-License-Identifier: GPL-2.0-only
/* Tables on terminals of different widths: what was asked for is never hidden. */
#include <stdint.h>
#include <stdlib.h>

#include "output/table.h"
#include "test.h"

static const struct column columns[] = {
	COLUMN("ID", "id", .number = true),
	COLUMN("FUNCTION", "function"),
	COLUMN("REASON", "reason"),
}, cuttable[] = {
	COLUMN("ID", "id", .number = true),
	COLUMN("FUNCTION", "function"),
	COLUMN("REASON", "reason", .cut = true),
};

static const char *const rows[][3] = {
	{ "7", "vfs_read", "notrace: in .noinstr.text" },
	{ "1234", NULL, "gone" },
};

static void check(const struct column *of, const char *width, size_t max, const char *expected,
		  const char *what)
{
	struct table *t = table__new(of, 3);
	FILE *before = stdout;
	char *text = NULL;
	size_t size, lines = 0, newlines = 0;
	char *at;

	setenv("COLUMNS", width, 1);
	table__add(t, rows[0]);
	table__add(t, rows[1]);
	stdout = open_memstream(&text, &size);
	lines = table__print(t, max);
	fclose(stdout);
	stdout = before;
	table__free(t);
	for (at = text; (at = strchr(at, '\n')); at++)
		newlines++;
	report_text(text, expected, what);
	if (max != SIZE_MAX)
		expect(lines == newlines && lines <= max, "table: knows its lines");
	free(text);
}

int main(void)
{
	static const char on_lines[] = "  ID  FUNCTION  REASON\n"
				       "   7  vfs_read  notrace: in .noinstr.text\n"
				       "1234  -         gone\n";

	check(columns, "100", SIZE_MAX, on_lines, "table: a row on a line, if there is room");
	check(columns, "41", SIZE_MAX, on_lines, "table: to the last column");
	check(columns, "40", SIZE_MAX,
	      "  ID  FUNCTION\n"
	      "    REASON\n"
	      "   7  vfs_read\n"
	      "    notrace: in .noinstr.text\n"
	      "1234  -\n"
	      "    gone\n",
	      "table: what doesn't fit is below");
	check(columns, "22", SIZE_MAX,
	      "  ID  FUNCTION\n"
	      "    REASON\n"
	      "   7  vfs_read\n"
	      "    notrace: in\n"
	      "        .noinstr.text\n"
	      "1234  -\n"
	      "    gone\n",
	      "table: and is wrapped");
	check(cuttable, "40", 3,
	      "  ID  FUNCTION  REASON\n"
	      "   7  vfs_read  notrace: in .noinstr....\n"
	      "1234  -         gone\n",
	      "table: what may be cut is cut");
	check(cuttable, "20", 5,
	      "  ID  FUNCTION\n"
	      "    REASON\n"
	      "   7  vfs_read\n"
	      "    notrace: in ....\n",
	      "table: but not to nothing; rows that don't fit are left out");
	return failures > 0;
}
