/* SPDX-License-Identifier: GPL-2.0-only */
/* How long calls of a function took, for people and for programs. */
#ifndef FENTRY_HISTOGRAM_H
#define FENTRY_HISTOGRAM_H

#include "bpf/shared.h"
#include "output/text.h"

/* Add the calls of another histogram to @h, which is zeroed at first. */
void histogram__merge(struct histogram *h, const struct histogram *part);

/*
 * Append a heading, percentiles and the rows: @max lines at most.
 * @width: columns that there are; 0: no limit
 *
 * Return: the number of lines.
 */
size_t histogram__put(struct text *to, const struct histogram *h, const char *label, int width,
		      size_t max);

/* The members of a JSON object. */
void json_histogram(struct text *to, const struct histogram *h);

#endif /* FENTRY_HISTOGRAM_H */
