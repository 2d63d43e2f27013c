// SPDX-License-Identifier: GPL-2.0-only
/*
 * What BPF programs print by bpf_printk(). All of them write into one buffer of the
 * kernel's, to which other tracing writes, too. A line of it:
 *
 *	           <...>-1234    [001] d..31  5678.901234: bpf_trace_printk: text
 *
 * A name may have any characters, so the thread's id is looked for from its end.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "commands/printed.h"
#include "kernel/access.h"
#include "output/output.h"

#define EVENT ": bpf_trace_printk: "
/* Lines come without end if a program prints what our reading calls. */
#define STALE_MS  1000
#define FINISH_MS 100

static bool is_later(const struct timespec *since, long ms)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - since->tv_sec) * 1000 + (now.tv_nsec - since->tv_nsec) / 1000000 >= ms;
}

/* The CPU's number in brackets, which follows a thread's name and id. */
static const char *find_cpu(const char *line)
{
	const char *at = line;

	while ((at = strstr(at, " ["))) {
		size_t digits = strspn(at + 2, "0123456789");

		if (digits >= 3 && at[2 + digits] == ']')
			return at;
		at += 2;
	}
	return NULL;
}

bool printed__is_wanted(const char *line, int own, bool before)
{
	const char *cpu = find_cpu(line), *id = cpu, *event = strstr(line, EVENT);

	if (!cpu) /* of a text of several lines */
		return before;
	if (!event || event < cpu)
		return false;
	while (id > line && *id != '-')
		id--;
	return atoi(id + 1) != own;
}

int printed__open(struct printed *p)
{
	struct timespec start;

	p->wanted = false;
	p->len = 0;
	p->fd = open_tracefs("trace_pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC,
			     "read what the program prints");
	if (p->fd < 0)
		return EXIT_FAILED;
	clock_gettime(CLOCK_MONOTONIC, &start);
	while (read(p->fd, p->text, sizeof(p->text)) > 0 && !is_later(&start, STALE_MS))
		;
	return 0;
}

void printed__close(struct printed *p)
{
	if (p->fd >= 0)
		close(p->fd);
}

bool printed__copy(struct printed *p)
{
	char *line = p->text, *end;
	ssize_t len;

	len = read(p->fd, p->text + p->len, sizeof(p->text) - 1 - p->len);
	if (len <= 0)
		return false;
	p->len += len;
	p->text[p->len] = '\0';
	while ((end = strchr(line, '\n'))) {
		*end = '\0';
		p->wanted = printed__is_wanted(line, gettid(), p->wanted);
		if (p->wanted)
			puts(line);
		line = end + 1;
	}
	p->len -= line - p->text;
	memmove(p->text, line, p->len);
	if (p->len == sizeof(p->text) - 1) /* no line is that long */
		p->len = 0;
	return true;
}

void printed__finish(struct printed *p)
{
	struct timespec start;

	clock_gettime(CLOCK_MONOTONIC, &start);
	while (printed__copy(p) && !is_later(&start, FINISH_MS))
		;
}
