// SPDX-License-Identifier: GPL-2.0-only
/*
 * A reader that has stopped, or a terminal on which ^S was typed, would block write(2), and then
 * neither a signal nor the end of the traced command would be noticed. So what is printed is
 * collected in memory, and written without waiting.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/messages.h"
#include "output/stream.h"

#define STREAM_SIZE (64 * 1024)
#define FULL	    (1024 * 1024) /* bytes that wait for the reader */
#define STALLED_MS  100

static struct output {
	FILE *stream; /* what is printed to; NULL: nothing is collected */
	int fd;	      /* what is written to */
	bool opened;  /* fd is ours */
	bool whole;   /* any size may be written at once */
	struct text text;
	size_t begin; /* what is behind it isn't written yet */
	int err;      /* negative errno of a failed write */
} out;

static int final_fd = STDOUT_FILENO;

FILE *output(void)
{
	return out.stream ?: stdout;
}

void output__print(struct text *text)
{
	if (text->failed)
		no_memory();
	else
		fwrite_unlocked(text->data, 1, text->len, output());
	text__clear(text);
}

int output__fd(void)
{
	return final_fd;
}

int output__redirect(const char *path)
{
	int fd;

	if (!path)
		return 0;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return failure("can't open %s: %s", path, strerror(errno));
	final_fd = fd;
	return 0;
}

int output__empty(const char *path)
{
	/* a pipe may have lost its reader, and signals don't end a wait for another */
	const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC;
	int fd = open(path, flags, 0666);

	if (fd < 0 || dup3(fd, final_fd, O_CLOEXEC) < 0)
		return failure("can't open %s: %s", path, strerror(errno));
	close(fd);
	return 0;
}

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

	out.fd = final_fd;
	out.opened = out.whole = false;
	if (fstat(final_fd, &st))
		return;
	out.whole = S_ISREG(st.st_mode);
	if (!(S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)))
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", final_fd);
	out.fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	out.opened = out.whole = out.fd >= 0;
	if (!out.opened)
		out.fd = final_fd;
}

int output__begin(void)
{
	static const cookie_io_functions_t functions = { .write = collect };
	FILE *stream = fopencookie(&out, "w", functions);

	if (!stream || setvbuf(stream, NULL, _IOFBF, STREAM_SIZE))
		return no_memory();
	fflush(stdout);
	open_fd();
	out.stream = stream;
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

	fflush(out.stream);
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

	if (!out.stream)
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
	fclose(out.stream);
	if (out.opened)
		close(out.fd);
	text__fini(&out.text);
	out = (struct output){};
	return status;
}
