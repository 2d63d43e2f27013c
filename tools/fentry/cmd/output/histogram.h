/* SPDX-License-Identifier: GPL-2.0-only */
/* How long calls of a function took, for people and for programs. */
#ifndef FENTRY_HISTOGRAM_H
#define FENTRY_HISTOGRAM_H

#include <stdio.h>

#include "bpf/shared.h"
#include "output/text.h"

/**
 * histogram__merge() - Add the calls of another histogram.
 * @h: receives them; zeroed at first
 * @part: the other one, as of one CPU
 */
void histogram__merge(struct histogram *h, const struct histogram *part);

/**
 * histogram__print() - Print a heading and a line for each power of two.
 * @label: name of the function
 * @width: columns that there are; 0: no limit
 * @max: print no more lines
 *
 * Return: the number of lines.
 */
size_t histogram__print(const struct histogram *h, const char *label, int width, size_t max,
			FILE *f);

/** json_histogram() - The members of a JSON object. */
void json_histogram(struct text *to, const struct histogram *h);

#endif /* FENTRY_HISTOGRAM_H */
