/* SPDX-License-Identifier: GPL-2.0 */
/* What the subcommands of the fentry command share. */
#ifndef FENTRY_COMMAND_H
#define FENTRY_COMMAND_H

#include "libfentry.h"

/* Exit statuses. */
enum {
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_NO_MATCH = 3,
	EXIT_AMBIGUOUS = 4,
};

/* The subcommands: arguments without the program's name, exit status back. */
int cmd_list(int argc, char **argv);
int cmd_trace(int argc, char **argv);

/**
 * complain() - Print one line, "fentry: ...", to stderr.
 * @fmt: printf() format, without newline
 */
void __attribute__((format(printf, 1, 2))) complain(const char *fmt, ...);

/**
 * usage_error() - complain(), and point to the help.
 * @fmt: printf() format, without newline
 *
 * Return: EXIT_USAGE.
 */
int __attribute__((format(printf, 1, 2))) usage_error(const char *fmt, ...);

/**
 * find_targets() - Open an index, find what a specification means, or complain.
 * @text: the specification
 * @several: several functions may match an exact name
 * @idx: the index, to be freed
 * @ret: the functions, to be freed
 * @cnt: their number
 *
 * Return: an exit status; nothing is to be freed unless it's 0.
 */
int find_targets(const char *text, bool several, struct fentry_index **idx,
		 const struct fentry_target ***ret, size_t *cnt);

#endif /* FENTRY_COMMAND_H */
