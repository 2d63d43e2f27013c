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
	report_text(seen, expected, name);
	free(seen);
}

static char *text(const struct histogram *h, int width, size_t max, size_t *lines)
{
	struct text to = {};

	*lines = histogram__put(&to, h, "f", width, max);
	text__char(&to, '\0');
	return to.data;
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

	check(name, text(h, width, max, &seen), expected);
	expect(seen == lines, textf("%s: %zu lines", name, lines));
}

static const struct histogram some = {
	.count = 7,
	.total = 6010,
	.min = 300,
	.max = 2100,
	.slots[8] = 1,
	.slots[9] = 4,
	.slots[11] = 2,
};

#define HEAD                                                                 \
	"f: 7 calls, average 858 ns, min 300 ns, max 2.1 us, total 6.0 us\n" \
	"  p50 below 1 us, p90 below 4 us, p99 below 4 us (by the rows)\n"

static void test_text(void)
{
	const struct histogram none = {};

	check_text("no calls", &none, 0, 100, 1, "f: 0 calls\n");
	check_text("rows between others", &some, 0, 100, 6,
		   HEAD "[256 ns, 512 ns)          1 |" BAR13 SPACE26 SPACE13 "|\n"
			"[512 ns, 1 us)            4 |" BAR26 BAR26 "|\n"
			"[1 us, 2 us)              0 |" SPACE26 SPACE26 "|\n"
			"[2 us, 4 us)              2 |" BAR26 SPACE26 "|\n");
	check_text("a narrow terminal", &some, 40, 100, 6,
		   HEAD "[256 ns, 512 ns)          1 |@@        |\n"
			"[512 ns, 1 us)            4 |" BAR10 "|\n"
			"[1 us, 2 us)              0 |" SPACE10 "|\n"
			"[2 us, 4 us)              2 |@@@@@     |\n");
	check_text("few lines", &some, 10, 3, 3, HEAD "[256 ns, 512 ns)          1 |@@      |\n");
	check_text("no lines", &some, 0, 0, 0, "");
}

/* The first slot includes 0. The last ones are for times longer than any machine runs. */
static void test_bounds(void)
{
	static const struct {
		int slot;
		const char *row, *end;
	} rows[] = {
		{ 0, "[0, 2 ns)       ", "2 ns" },    { 1, "[2 ns, 4 ns)    ", "4 ns" },
		{ 19, "[512 us, 1 ms)  ", "1 ms" },   { 27, "[128 ms, 256 ms)", "256 ms" },
		{ 39, "[512 s, 1024 s) ", "1024 s" }, { 63, "[8589934592 s, )", "17179869184 s" },
	};
	size_t lines;

	for_each_in(r, rows) {
		struct histogram h = { .count = 1 };
		char expected[256];

		h.slots[r->slot] = 1;
		snprintf(expected, sizeof(expected),
			 "f: 1 call, average 0 ns, min 0 ns, max 0 ns, total 0 ns\n"
			 "  p50 below %s, p90 below %s, p99 below %s (by the rows)\n"
			 "%s          1 |@@@@@@@@|\n",
			 r->end, r->end, r->end, r->row);
		check(textf("bounds of slot %d", r->slot), text(&h, 1, 100, &lines), expected);
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
	      "\"count\":7,\"total\":6010,\"min\":300,\"max\":2100,"
	      "\"p50\":1000,\"p90\":4000,\"p99\":4000,\"histogram\":["
	      "{\"from\":256,\"to\":512,\"count\":1},"
	      "{\"from\":512,\"to\":1000,\"count\":4},"
	      "{\"from\":2000,\"to\":4000,\"count\":2}]");
	histogram__merge(&h, &(struct histogram){
				     .count = 2,
				     .total = 5001,
				     .min = 1,
				     .max = 5000,
				     .slots[0] = 1,
				     .slots[12] = 1,
			     });
	check("two CPUs", json(&h),
	      "\"count\":9,\"total\":11011,\"min\":1,\"max\":5000,"
	      "\"p50\":1000,\"p90\":8000,\"p99\":8000,\"histogram\":["
	      "{\"from\":0,\"to\":2,\"count\":1},"
	      "{\"from\":256,\"to\":512,\"count\":1},"
	      "{\"from\":512,\"to\":1000,\"count\":4},"
	      "{\"from\":2000,\"to\":4000,\"count\":2},"
	      "{\"from\":4000,\"to\":8000,\"count\":1}]");
	check("no calls as JSON", json(&none),
	      "\"count\":0,\"total\":0,\"min\":null,\"max\":null,"
	      "\"p50\":null,\"p90\":null,\"p99\":null,\"histogram\":[]");
}

int main(void)
{
	test_text();
	test_bounds();
	test_merge();
	return failures != 0;
}
