/* SPDX-License-Identifier: GPL-2.0-only */
/* What the command says on stderr, and its exit statuses. */
#ifndef FENTRY_MESSAGES_H
#define FENTRY_MESSAGES_H

#include "libfentry.h"

/* Exit statuses. A function described with "or complain" returns one: 0, or it has complained. */
enum {
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_NO_MATCH = 3,
	EXIT_AMBIGUOUS = 4,
};

/*
 * Print one line, "fentry: ...", to stderr.
 * @fmt: printf() format, without newline
 */
void __attribute__((format(printf, 1, 2))) complain(const char *fmt, ...);

/* Say which command's help usage_error() points to. */
void set_help(const char *command);

/* complain(), and point to the help. Return: EXIT_USAGE. */
int __attribute__((format(printf, 1, 2))) usage_error(const char *fmt, ...);

/* complain(). Return: EXIT_FAILED. */
#define failure(...) (complain(__VA_ARGS__), EXIT_FAILED)

/* Complain that there is no memory. Return: EXIT_FAILED. */
int no_memory(void);

/* Complain of what the library says. Return: EXIT_FAILED. */
int complain_error(const struct fentry_error *error);

/*
 * The text of an error of libbpf, which has more than errno's.
 * @err: what it returned
 *
 * Return: the text, valid until the next call.
 */
const char *libbpf_text(int err);

#define COUNT_TEXT_MAX 96

/* Write "2 functions and 1 inlined call", without zeroes. */
void count_text(size_t functions, size_t inlined, char buf[COUNT_TEXT_MAX]);

#endif /* FENTRY_MESSAGES_H */
