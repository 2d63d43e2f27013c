/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal that the results go to. */
#ifndef FENTRY_TERMINAL_H
#define FENTRY_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* May escape sequences be written there? */
bool use_colour(int fd);

/*
 * Columns that a line of results may have.
 *
 * Return: $COLUMNS, or the terminal's width, or 0 if there is no limit.
 */
int output_width(void);

/*
 * Lines that a terminal has room for above the cursor.
 *
 * Return: the rows of the output's terminal, or a default if it is no terminal.
 */
size_t output_rows(void);

/*
 * Take back the last @cnt whole lines that were written to a terminal.
 *
 * If its width has changed since the last call, the whole screen is erased.
 */
void erase_lines(size_t *cnt);

#endif /* FENTRY_TERMINAL_H */
