/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A test program reports() its results, as TAP, and returns whether there were failures. The plan
 * comes last, so that a program that ends early has none.
 */
#ifndef FENTRY_TEST_H
#define FENTRY_TEST_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Let @c point to each element of a table. */
#define for_each_in(c, table) \
	for (typeof(&(table)[0]) c = (table); c < (table) + ARRAY_SIZE(table); c++)

static int results, failures;

/* @detail: the actual result, to be shown if the test fails; may be empty */
static inline void report(bool ok, const char *what, const char *detail)
{
	printf("%sok %d - %s%s%s\n", ok ? "" : "not ", ++results, what, ok || !*detail ? "" : ": ",
	       ok ? "" : detail);
	failures += !ok;
}

static inline void expect(bool ok, const char *what)
{
	report(ok, what, "");
}

/* Both may be NULL. */
static inline void report_text(const char *seen, const char *want, const char *what)
{
	report(seen && want ? !strcmp(seen, want) : seen == want, what, seen ?: "NULL");
}

/* A text, which is kept until the next one. */
__attribute__((format(printf, 1, 2))) static inline const char *textf(const char *format, ...)
{
	static char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return text;
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
