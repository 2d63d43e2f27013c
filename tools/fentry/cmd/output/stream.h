/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the results go: stdout, or a file. A reader of it can't hold up a trace. */
#ifndef FENTRY_STREAM_H
#define FENTRY_STREAM_H

#include <stdbool.h>
#include <stdio.h>

#include "output/text.h"

/* The stream to print results to. */
FILE *output(void);

/* Print a text, and clear it. */
void output__print(struct text *text);

/* The file descriptor that they end in. */
int output__fd(void);

/*
 * Write to a file, or complain. A command that is run keeps stdout.
 * @path: NULL: write to stdout
 *
 * Until output__empty(), the file stays as it is: one that exists is opened, but not emptied.
 */
int output__redirect(const char *path);

/* Empty the file, or create it, or complain. */
int output__empty(const char *path);

/* From now on, collect in memory what is printed, or complain. */
int output__begin(void);

/* What to watch for POLLOUT; -1 if there is nothing to be written. */
int output__poll_fd(void);

/* Is so much waiting that nothing should be added for now? */
bool output__is_full(void);

/*
 * Write as much as the reader takes without waiting.
 *
 * Return: false if the output can't be written any more: output__end() says why.
 */
bool output__write(void);

/*
 * Write the rest, and collect no more, or complain.
 *
 * A reader that takes nothing for a tenth of a second doesn't get the rest.
 */
int output__end(void);

#endif /* FENTRY_STREAM_H */
