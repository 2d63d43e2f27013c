// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the command says: messages, and a standard output whose reader can't hold up a trace.
 *
 * A reader that has stopped, or a terminal on which ^S was typed, would block write(2), and then
 * neither a signal nor the end of the traced command would be noticed. So what is printed is
 * collected in memory, and written without waiting.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "output/output.h"
#include "output/text.h"

#define STREAM_SIZE  (64 * 1024)
#define FULL	     (1024 * 1024) /* bytes that wait for the reader */
#define STALLED_MS   100
#define ROWS_DEFAULT 24 /* if a terminal doesn't say */

int output_fd = STDOUT_FILENO;

static void say(const char *fmt, va_list args, const char *end)
{
	fputs("fentry: ", stderr);
	vfprintf(stderr, fmt, args);
	fputs(end, stderr);
}

void complain(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args, "\n");
	va_end(args);
}

int usage_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args, " (try 'fentry help')\n");
	va_end(args);
	return EXIT_USAGE;
}

void count_text(size_t functions, size_t inlined, char buf[COUNT_TEXT_MAX])
{
	size_t len = 0;

	if (functions || !inlined)
		len = snprintf(buf, COUNT_TEXT_MAX, "%zu function%s", functions,
			       functions == 1 ? "" : "s");
	if (inlined)
		snprintf(buf + len, COUNT_TEXT_MAX - len, "%s%zu inlined call%s",
			 len ? " and " : "", inlined, inlined == 1 ? "" : "s");
}

int no_memory(void)
{
	return failure("out of memory");
}

int complain_error(const struct fentry_error *error)
{
	return failure("%s", error->msg);
}

const char *libbpf_text(int err)
{
	static char text[128];

	libbpf_strerror(err, text, sizeof(text));
	return text;
}

long long clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

bool use_colour(FILE *f)
{
	const char *no_color = getenv("NO_COLOR");

	return isatty(f == stdout ? output_fd : fileno(f)) && !(no_color && *no_color);
}

int output_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	int width = columns ? atoi(columns) : 0;

	if (width > 0)
		return width;
	if (!isatty(output_fd) || ioctl(output_fd, TIOCGWINSZ, &size))
		return 0;
	return size.ws_col;
}

size_t output_rows(void)
{
	struct winsize size;

	if (ioctl(output_fd, TIOCGWINSZ, &size) || size.ws_row <= 3)
		return ROWS_DEFAULT - 1;
	return size.ws_row - 1;
}

void erase_lines(size_t *cnt)
{
	static int width; /* when they were written */
	int now = output_width();

	/* a terminal of another width has wrapped lines, and nobody knows how many */
	if (*cnt && now != width)
		fputs("\033[H\033[2J", stdout);
	else if (*cnt)
		printf("\033[%zuA\033[J", *cnt);
	*cnt = 0;
	width = now;
}

static struct output {
	FILE *real;   /* stdout as it was; NULL: not begun */
	FILE *stream; /* stdout as it is */
	int fd;	      /* what is written to */
	bool opened;  /* fd is ours */
	bool whole;   /* any size may be written at once */
	struct text text;
	size_t begin; /* what is behind it isn't written yet */
	int err;      /* negative errno of a failed write */
} out;

static ssize_t collect(void *cookie, const char *text, size_t size)
{
	(void)cookie;
	if (out.err) /* nobody will see it */
		return size;
	if (out.begin) {
		out.text.len -= out.begin;
		memmove(out.text.data, out.text.data + out.begin, out.text.len);
		out.begin = 0;
	}
	text__bytes(&out.text, text, size);
	if (out.text.failed)
		out.err = -ENOMEM;
	return size;
}

/*
 * O_NONBLOCK belongs to the open file, which others may share: set it on a file of our own. Opening
 * the path again gives the same pipe or terminal. If that fails, small pieces are written after
 * poll(): a terminal may block this. A file on a disk has no reader.
 */
static void open_fd(void)
{
	char path[32];
	struct stat st;

	out.fd = output_fd;
	out.opened = out.whole = false;
	if (fstat(output_fd, &st))
		return;
	out.whole = S_ISREG(st.st_mode);
	if (!(S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)))
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", output_fd);
	out.fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	out.opened = out.whole = out.fd >= 0;
	if (!out.opened)
		out.fd = output_fd;
}

int output__begin(void)
{
	static const cookie_io_functions_t functions = { .write = collect };
	FILE *stream = fopencookie(&out, "w", functions);

	if (!stream || setvbuf(stream, NULL, _IOFBF, STREAM_SIZE))
		return no_memory();
	fflush(stdout);
	open_fd();
	out.real = stdout;
	out.stream = stream;
	stdout = stream;
	return 0;
}

int output__poll_fd(void)
{
	return out.begin < out.text.len ? out.fd : -1;
}

bool output__is_full(void)
{
	return out.text.len - out.begin >= FULL;
}

static bool is_ready(int timeout_ms)
{
	struct pollfd fd = { .fd = out.fd, .events = POLLOUT };

	return poll(&fd, 1, timeout_ms) > 0;
}

bool output__write(void)
{
	size_t size;
	ssize_t len;

	fflush(stdout);
	while (!out.err && out.begin < out.text.len && is_ready(0)) {
		size = out.text.len - out.begin;
		/* a pipe that is ready takes this much */
		if (!out.whole && size > PIPE_BUF)
			size = PIPE_BUF;
		len = write(out.fd, out.text.data + out.begin, size);
		if (len >= 0)
			out.begin += len;
		else if (errno == EAGAIN)
			break;
		else if (errno != EINTR)
			out.err = -errno;
	}
	return !out.err;
}

int output__end(void)
{
	int status = 0;

	if (!out.real)
		return 0;
	while (output__write() && out.begin < out.text.len && is_ready(STALLED_MS))
		;
	if (out.err) {
		complain("can't write the output: %s", strerror(-out.err));
		status = EXIT_FAILED;
	} else if (out.begin < out.text.len) {
		complain("the output isn't being read: the last %zu bytes are left out",
			 out.text.len - out.begin);
	}
	stdout = out.real;
	fclose(out.stream);
	if (out.opened)
		close(out.fd);
	text__fini(&out.text);
	out = (struct output){};
	return status;
}
