/* SPDX-License-Identifier: GPL-2.0-only */
/* What the command says: messages, and a standard output whose reader can't hold up a trace. */
#ifndef FENTRY_OUTPUT_H
#define FENTRY_OUTPUT_H

#include <stdio.h>

#include "libfentry.h"

/* Exit statuses. A function described with "or complain" returns one: 0, or it has complained. */
enum {
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_NO_MATCH = 3,
	EXIT_AMBIGUOUS = 4,
};

/**
 * complain() - Print one line, "fentry: ...", to stderr.
 * @fmt: printf() format, without newline
 */
void __attribute__((format(printf, 1, 2))) complain(const char *fmt, ...);

/** usage_error() - complain(), and point to the help. Return: EXIT_USAGE. */
int __attribute__((format(printf, 1, 2))) usage_error(const char *fmt, ...);

/** failure() - complain(). Return: EXIT_FAILED. */
#define failure(...) (complain(__VA_ARGS__), EXIT_FAILED)

/** no_memory() - Complain that there is no memory. Return: EXIT_FAILED. */
int no_memory(void);

/** complain_error() - Complain of what the library says. Return: EXIT_FAILED. */
int complain_error(const struct fentry_error *error);

/**
 * libbpf_text() - The text of an error of libbpf, which has more than errno's.
 * @err: what it returned
 *
 * Return: the text, valid until the next call.
 */
const char *libbpf_text(int err);

#define COUNT_TEXT_MAX 96

/** count_text() - Write "2 functions and 1 inlined call", without zeroes. */
void count_text(size_t functions, size_t inlined, char buf[COUNT_TEXT_MAX]);

/** clock_ms() - CLOCK_MONOTONIC in ms. */
long long clock_ms(void);

/* The file descriptor of the output, also while stdout is collected in memory. */
extern int output_fd;

/** use_colour() - May escape sequences be written? @f: stdout or stderr */
bool use_colour(FILE *f);

/**
 * output_width() - Columns that a line of stdout may have.
 *
 * Return: $COLUMNS, or the terminal's width, or 0 if there is no limit.
 */
int output_width(void);

/**
 * output_rows() - Lines that a terminal has room for above the cursor.
 *
 * Return: the rows of the output's terminal, or a default if it is no terminal.
 */
size_t output_rows(void);

/**
 * erase_lines() - Take back the last @cnt whole lines that were written to a terminal.
 *
 * If its width has changed since the last call, the whole screen is erased.
 */
void erase_lines(size_t *cnt);

/** output__begin() - From now on, collect in memory what is written to stdout, or complain. */
int output__begin(void);

/** output__poll_fd() - What to watch for POLLOUT; -1 if there is nothing to be written. */
int output__poll_fd(void);

/** output__is_full() - Is so much waiting that nothing should be added for now? */
bool output__is_full(void);

/**
 * output__write() - Write as much as the reader takes without waiting.
 *
 * Return: false if the output can't be written any more: output__end() says why.
 */
bool output__write(void);

/**
 * output__end() - Write the rest, and give stdout back, or complain.
 *
 * A reader that takes nothing for a tenth of a second doesn't get the rest.
 */
int output__end(void);

#endif /* FENTRY_OUTPUT_H */
