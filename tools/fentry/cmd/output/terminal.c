// SPDX-License-Identifier: GPL-2.0-only
/* What a terminal can do, and lines that are taken back there. */
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "output/stream.h"
#include "output/terminal.h"

#define ROWS_DEFAULT 24 /* if a terminal doesn't say */

bool use_colour(int fd)
{
	const char *no_color = getenv("NO_COLOR");

	return isatty(fd) && !(no_color && *no_color);
}

int output_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	int width = columns ? atoi(columns) : 0;

	if (width > 0)
		return width;
	if (!isatty(output__fd()) || ioctl(output__fd(), TIOCGWINSZ, &size))
		return 0;
	return size.ws_col;
}

size_t output_rows(void)
{
	struct winsize size;

	if (ioctl(output__fd(), TIOCGWINSZ, &size) || size.ws_row <= 3)
		return ROWS_DEFAULT - 1;
	return size.ws_row - 1;
}

void erase_lines(size_t *cnt)
{
	static int width; /* when they were written */
	int now = output_width();

	/* a terminal of another width has wrapped lines, and nobody knows how many */
	if (*cnt && now != width)
		fputs("\033[H\033[2J", output());
	else if (*cnt)
		fprintf(output(), "\033[%zuA\033[J", *cnt);
	*cnt = 0;
	width = now;
}
