/* SPDX-License-Identifier: GPL-2.0-only */
/* Standard output whose reader can't hold up a trace. */
#ifndef FENTRY_OUTPUT_H
#define FENTRY_OUTPUT_H

#include <stdbool.h>

/**
 * output__begin() - From now on, collect in memory what is written to stdout.
 *
 * Return: an exit status; complains.
 */
int output__begin(void);

/**
 * output__poll_fd() - What to watch for POLLOUT.
 *
 * Return: a file descriptor; -1 if there is nothing to be written.
 */
int output__poll_fd(void);

/** output__is_full() - Should nothing be added for now? */
bool output__is_full(void);

/**
 * output__write() - Write as much as the reader takes without waiting.
 *
 * Return: false if the output can't be written any more: output__end() says why.
 */
bool output__write(void);

/**
 * output__end() - Write the rest, and give stdout back.
 *
 * A reader that takes nothing for a tenth of a second doesn't get the rest.
 *
 * Return: an exit status; complains.
 */
int output__end(void);

#endif /* FENTRY_OUTPUT_H */
