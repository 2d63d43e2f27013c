// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "array.h"
#include "output/histogram.h"
#include "output/json.h"

#define BAR_MAX	   52
#define BAR_MIN	   8
#define RANGE_MAX  16		    /* "[128 ms, 256 ms)" */
#define ROW_MARGIN (RANGE_MAX + 14) /* columns of a row without its bar */

static const unsigned int percents[] = { 50, 90, 99 };

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

/* Where a slot begins; slot 0 has 0, too. The last one has no end. */
static unsigned long long bound_of(int slot)
{
	unsigned long long unit = 1;

	for (; slot >= LATENCY_UNIT_SLOTS && unit < 1000000000; slot -= LATENCY_UNIT_SLOTS)
		unit *= 1000;
	return unit << slot;
}

/* As "512 us", or "0". */
static void put_bound(struct text *to, int slot)
{
	static const char *const units[LATENCY_UNITS] = { "ns", "us", "ms", "s" };
	int unit = slot / LATENCY_UNIT_SLOTS;

	if (unit >= LATENCY_UNITS)
		unit = LATENCY_UNITS - 1;
	if (slot)
		text__printf(to, "%llu %s", 1ULL << (slot - unit * LATENCY_UNIT_SLOTS),
			     units[unit]);
	else
		text__char(to, '0');
}

static void put_row(struct text *to, const struct histogram *h, int slot, unsigned long long most,
		    int bar_max)
{
	size_t begin = to->len;
	char bar[BAR_MAX + 1];
	int len = (double)h->slots[slot] * bar_max / most;

	text__char(to, '[');
	put_bound(to, slot);
	text__string(to, ", ");
	if (slot + 1 < LATENCY_SLOTS)
		put_bound(to, slot + 1);
	text__char(to, ')');
	memset(bar, '@', len);
	bar[len] = '\0';
	while (to->len - begin < RANGE_MAX && !to->failed)
		text__char(to, ' ');
	text__printf(to, " %10llu |%-*s|\n", h->slots[slot], bar_max, bar);
}

/* The first slot that so many percent of all calls are in, or in one before it. */
static int percentile(const struct histogram *h, unsigned int percent)
{
	unsigned long long calls = 0;
	int slot;

	for (slot = 0; slot < LATENCY_SLOTS - 1; slot++) {
		calls += h->slots[slot];
		if (calls / (double)h->count * 100 >= percent)
			break;
	}
	return slot;
}

/* The histogram knows a percentile's row only. */
static void put_percentiles(struct text *to, const struct histogram *h)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(percents); i++) {
		text__printf(to, "%s p%u below ", i ? "," : " ", percents[i]);
		put_bound(to, percentile(h, percents[i]) + 1);
	}
	text__string(to, " (by the rows)\n");
}

static void put_head(struct text *to, const struct histogram *h, const char *label)
{
	const struct {
		const char *name;
		unsigned long long ns;
	} times[] = { { "average", h->count ? h->total / h->count : 0 },
		      { "min", h->min },
		      { "max", h->max },
		      { "total", h->total } };
	size_t i;

	text__printf(to, "%s: %llu call%s", label, h->count, h->count == 1 ? "" : "s");
	for (i = 0; h->count && i < ARRAY_SIZE(times); i++) {
		text__printf(to, ", %s ", times[i].name);
		text__time(to, times[i].ns);
	}
	text__char(to, '\n');
}

static int bar_width(int width)
{
	int bar = width - ROW_MARGIN;

	return !width || bar > BAR_MAX ? BAR_MAX : bar < BAR_MIN ? BAR_MIN : bar;
}

size_t histogram__put(struct text *to, const struct histogram *h, const char *label, int width,
		      size_t max)
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
	put_head(to, h, label);
	if (h->count && lines < max) {
		put_percentiles(to, h);
		lines++;
	}
	for (i = first; i <= last && lines < max; i++, lines++)
		put_row(to, h, i, most, bar_width(width));
	return lines;
}

void json_histogram(struct text *to, const struct histogram *h)
{
	char name[8];
	size_t p;
	int i;

	json_number(to, "count", h->count);
	json_number(to, "total", h->total);
	json_key(to, "min");
	text__printf(to, h->count ? "%llu" : "null", h->min);
	json_key(to, "max");
	text__printf(to, h->count ? "%llu" : "null", h->max);
	for (p = 0; p < ARRAY_SIZE(percents); p++) {
		snprintf(name, sizeof(name), "p%u", percents[p]);
		json_key(to, name);
		text__printf(to, h->count ? "%llu" : "null",
			     bound_of(percentile(h, percents[p]) + 1));
	}
	json_open(to, "histogram", '[');
	for (i = 0; i < LATENCY_SLOTS; i++) {
		if (!h->slots[i])
			continue;
		json_open(to, NULL, '{');
		json_number(to, "from", i ? bound_of(i) : 0);
		json_number(to, "to", bound_of(i + 1));
		json_number(to, "count", h->slots[i]);
		json_close(to, '}');
	}
	json_close(to, ']');
}
