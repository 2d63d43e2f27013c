/* SPDX-License-Identifier: GPL-2.0-only */
/* A table of how many calls there were. */
#ifndef FENTRY_COUNTS_H
#define FENTRY_COUNTS_H

#include "commands/tracer.h"

/* What a part of --by means: TRACE_BY_VALUE if it's none of the words. */
enum trace_by counts__by(const char *text);

/*
 * Print the table, the highest first.
 * @max: lines at most
 * @lines: how many it has
 */
int counts__print(const struct tracer *c, size_t max, size_t *lines);

#endif /* FENTRY_COUNTS_H */
