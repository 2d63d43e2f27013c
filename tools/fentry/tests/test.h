/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A test program reports() its results, as TAP, and returns whether there were failures. The plan
 * comes last, so that a program that ends early has none.
 */
#ifndef FENTRY_TEST_H
#define FENTRY_TEST_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static int results, failures;

/* @detail: the actual result, to be shown if the test fails; may be empty */
static inline void report(bool ok, const char *what, const char *detail)
{
	printf("%sok %d - %s%s%s\n", ok ? "" : "not ", ++results, what, ok || !*detail ? "" : ": ",
	       ok ? "" : detail);
	failures += !ok;
}

__attribute__((constructor)) static void begin_tap(void)
{
	puts("TAP version 13");
}

__attribute__((destructor)) static void print_plan(void)
{
	printf("1..%d\n", results);
}

#endif /* FENTRY_TEST_H */
