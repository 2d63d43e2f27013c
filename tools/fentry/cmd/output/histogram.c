// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "output/histogram.h"
#include "output/json.h"

#define BAR_MAX	   52
#define BAR_MIN	   8
#define ROW_MARGIN 27 /* columns of a row without its bar */

void histogram__merge(struct histogram *h, const struct histogram *part)
{
	int i;

	if (!part->count)
		return;
	if (!h->count || part->min < h->min)
		h->min = part->min;
	if (part->max > h->max)
		h->max = part->max;
	h->count += part->count;
	h->total += part->total;
	for (i = 0; i < LATENCY_SLOTS; i++)
		h->slots[i] += part->slots[i];
}

/* The lower bound of a slot, as "512" or "1K"; slot 0 has 0, too. */
static void print_bound(int slot, char *buf, size_t size)
{
	static const char units[] = " KMGTPE";

	if (!slot)
		snprintf(buf, size, "0");
	else
		snprintf(buf, size, "%d%.*s", 1 << slot % 10, slot >= 10, &units[slot / 10]);
}

static void print_row(const struct histogram *h, int slot, unsigned long long most, int bar_max,
		      FILE *f)
{
	char from[8], to[8], range[20], bar[BAR_MAX + 1];
	int len = (double)h->slots[slot] * bar_max / most;

	print_bound(slot, from, sizeof(from));
	print_bound(slot + 1, to, sizeof(to));
	snprintf(range, sizeof(range), "[%s, %s)", from, to);
	memset(bar, '@', len);
	bar[len] = '\0';
	fprintf(f, "%-13s %10llu |%-*s|\n", range, h->slots[slot], bar_max, bar);
}

static int bar_width(int width)
{
	int bar = width - ROW_MARGIN;

	return !width || bar > BAR_MAX ? BAR_MAX : bar < BAR_MIN ? BAR_MIN : bar;
}

size_t histogram__print(const struct histogram *h, const char *label, int width, size_t max,
			FILE *f)
{
	int i, first = LATENCY_SLOTS, last = -1;
	unsigned long long most = 0;
	size_t lines = 1;

	if (!max)
		return 0;
	for (i = 0; i < LATENCY_SLOTS; i++) {
		if (!h->slots[i])
			continue;
		first = first < i ? first : i;
		last = i;
		most = most > h->slots[i] ? most : h->slots[i];
	}
	fprintf(f, "%s: %llu call%s", label, h->count, h->count == 1 ? "" : "s");
	if (h->count)
		fprintf(f, ", average %llu ns, min %llu, max %llu, total %llu", h->total / h->count,
			h->min, h->max, h->total);
	fputc('\n', f);
	for (i = first; i <= last && lines < max; i++, lines++)
		print_row(h, i, most, bar_width(width), f);
	return lines;
}

void json_histogram(struct text *to, const struct histogram *h)
{
	int i;

	json_number(to, "count", h->count);
	json_number(to, "total", h->total);
	json_key(to, "min");
	text__printf(to, h->count ? "%llu" : "null", h->min);
	json_key(to, "max");
	text__printf(to, h->count ? "%llu" : "null", h->max);
	json_open(to, "histogram", '[');
	for (i = 0; i < LATENCY_SLOTS; i++) {
		if (!h->slots[i])
			continue;
		json_open(to, NULL, '{');
		json_number(to, "from", i ? 1ULL << i : 0);
		json_number(to, "to", 2ULL << i);
		json_number(to, "count", h->slots[i]);
		json_close(to, '}');
	}
	json_close(to, ']');
}
