// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the output of histograms, as text and as JSON. */
#include <stdlib.h>

#include "output/histogram.h"
#include "test.h"

#define BAR10	"@@@@@@@@@@"
#define BAR13	BAR10 "@@@"
#define BAR26	BAR13 BAR13
#define SPACE10 "          "
#define SPACE13 SPACE10 "   "
#define SPACE26 SPACE13 SPACE13

static void check(const char *name, char *seen, const char *expected)
{
	bool ok = seen && !strcmp(seen, expected);

	report(ok, name, "");
	if (!ok)
		printf("# expected:\n%s\n# seen:\n%s\n", expected, seen ?: "");
	free(seen);
}

static char *text(const struct histogram *h, int width, size_t max, size_t *lines)
{
	char *buf = NULL;
	size_t size;
	FILE *f = open_memstream(&buf, &size);

	if (!f)
		return NULL;
	*lines = histogram__print(h, "f", width, max, f);
	fclose(f);
	return buf;
}

static char *json(const struct histogram *h)
{
	struct text to = {};

	json_histogram(&to, h);
	text__char(&to, '\0');
	return to.data;
}

static void check_text(const char *name, const struct histogram *h, int width, size_t max,
		       size_t lines, const char *expected)
{
	size_t seen = 0;
	char what[128];

	check(name, text(h, width, max, &seen), expected);
	snprintf(what, sizeof(what), "%s: %zu lines", name, lines);
	report(seen == lines, what, "");
}

static const struct histogram some = {
	.count = 7,
	.total = 6010,
	.min = 600,
	.max = 2100,
	.slots[9] = 4,
	.slots[11] = 2,
	.slots[8] = 1,
};

static void test_text(void)
{
	const struct histogram none = {};

	check_text("no calls", &none, 0, 100, 1, "f: 0 calls\n");
	check_text("rows between others", &some, 0, 100, 5,
		   "f: 7 calls, average 858 ns, min 600, max 2100, total 6010\n"
		   "[256, 512)             1 |" BAR13 SPACE26 SPACE13 "|\n"
		   "[512, 1K)              4 |" BAR26 BAR26 "|\n"
		   "[1K, 2K)               0 |" SPACE26 SPACE26 "|\n"
		   "[2K, 4K)               2 |" BAR26 SPACE26 "|\n");
	check_text("a narrow terminal", &some, 37, 100, 5,
		   "f: 7 calls, average 858 ns, min 600, max 2100, total 6010\n"
		   "[256, 512)             1 |@@        |\n"
		   "[512, 1K)              4 |" BAR10 "|\n"
		   "[1K, 2K)               0 |" SPACE10 "|\n"
		   "[2K, 4K)               2 |@@@@@     |\n");
	check_text("few lines", &some, 10, 2, 2,
		   "f: 7 calls, average 858 ns, min 600, max 2100, total 6010\n"
		   "[256, 512)             1 |@@      |\n");
	check_text("no lines", &some, 0, 0, 0, "");
}

/* The first slot includes 0. The last ones are for times longer than any machine runs. */
static void test_bounds(void)
{
	static const struct {
		int slot;
		const char *row;
	} rows[] = {
		{ 0, "[0, 2)        " },  { 1, "[2, 4)        " },  { 19, "[512K, 1M)    " },
		{ 29, "[512M, 1G)    " }, { 30, "[1G, 2G)      " }, { 62, "[4E, 8E)      " },
	};
	size_t i, lines;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct histogram h = { .count = 1 };
		char expected[256], name[32];

		snprintf(name, sizeof(name), "bounds of slot %d", rows[i].slot);
		h.slots[rows[i].slot] = 1;
		snprintf(expected, sizeof(expected),
			 "f: 1 call, average 0 ns, min 0, max 0, total 0\n"
			 "%s         1 |@@@@@@@@|\n",
			 rows[i].row);
		check(name, text(&h, 1, 100, &lines), expected);
	}
}

static void test_merge(void)
{
	const struct histogram none = {};
	struct histogram h = {};

	histogram__merge(&h, &none);
	histogram__merge(&h, &some);
	histogram__merge(&h, &none);
	check("one CPU", json(&h),
	      "\"count\":7,\"total\":6010,\"min\":600,\"max\":2100,\"histogram\":["
	      "{\"from\":256,\"to\":512,\"count\":1},"
	      "{\"from\":512,\"to\":1024,\"count\":4},"
	      "{\"from\":2048,\"to\":4096,\"count\":2}]");
	histogram__merge(&h, &(struct histogram){
				     .count = 2,
				     .total = 5001,
				     .min = 1,
				     .max = 5000,
				     .slots[0] = 1,
				     .slots[12] = 1,
			     });
	check("two CPUs", json(&h),
	      "\"count\":9,\"total\":11011,\"min\":1,\"max\":5000,\"histogram\":["
	      "{\"from\":0,\"to\":2,\"count\":1},"
	      "{\"from\":256,\"to\":512,\"count\":1},"
	      "{\"from\":512,\"to\":1024,\"count\":4},"
	      "{\"from\":2048,\"to\":4096,\"count\":2},"
	      "{\"from\":4096,\"to\":8192,\"count\":1}]");
	check("no calls as JSON", json(&none),
	      "\"count\":0,\"total\":0,\"min\":null,\"max\":null,\"histogram\":[]");
}

int main(void)
{
	test_text();
	test_bounds();
	test_merge();
	return failures != 0;
}
