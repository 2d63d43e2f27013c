/* SPDX-License-Identifier: GPL-2.0-only */
/* Test programs print "ok <name>" or "not ok <name>" lines, which check.sh numbers. */
#ifndef FENTRY_TEST_H
#define FENTRY_TEST_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static int failures;

/* @detail: the actual result, to be shown if the test fails; may be empty */
static inline void report(bool ok, const char *what, const char *detail)
{
	printf("%sok %s%s%s\n", ok ? "" : "not ", what, ok || !*detail ? "" : ": ",
	       ok ? "" : detail);
	failures += !ok;
}

#endif /* FENTRY_TEST_H */
