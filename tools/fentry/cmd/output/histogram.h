/* SPDX-License-Identifier: GPL-2.0-only */
/* How long calls of a function took, for people and for programs. */
#ifndef FENTRY_HISTOGRAM_H
#define FENTRY_HISTOGRAM_H

#include <stdio.h>

#include "bpf/shared.h"
#include "output/text.h"

/** histogram__merge() - Add the calls of another histogram to @h, which is zeroed at first. */
void histogram__merge(struct histogram *h, const struct histogram *part);

/**
 * histogram__print() - Print a heading and a line for each power of two: @max lines at most.
 * @width: columns that there are; 0: no limit
 *
 * Return: the number of lines.
 */
size_t histogram__print(const struct histogram *h, const char *label, int width, size_t max,
			FILE *f);

/** json_histogram() - The members of a JSON object. */
void json_histogram(struct text *to, const struct histogram *h);

#endif /* FENTRY_HISTOGRAM_H */
