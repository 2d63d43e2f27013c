// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A kprobe at each function of a module that isn't loaded yet, by an event of tracefs. The kernel
 * keeps such an event until the module comes, and arms it before the module's init function runs.
 * Perf events of their own, as in way_perf_event.c, need an address.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "util.h"
#include "way.h"

#define REMOVE_TRIES	100
#define REMOVE_PAUSE_NS 10000000

#define TRACEFS "/sys/kernel/tracing"

static const char *tracefs(void)
{
	return access(TRACEFS "/kprobe_events", F_OK) ? "/sys/kernel/debug/tracing" : TRACEFS;
}

/* Write a line to the list of events. Returns 0 or a negative errno. */
static int command(const char *line)
{
	char path[64];
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s/kprobe_events", tracefs());
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0 || write(fd, line, strlen(line)) < 0)
		err = -errno;
	if (fd >= 0)
		close(fd);
	return err;
}

/* No other process has this group of events, in whatever PID namespace it is. */
static void name_event(unsigned int nr, char *ret, size_t size)
{
	static struct timespec first;

	if (!first.tv_sec)
		clock_gettime(CLOCK_REALTIME, &first);
	snprintf(ret, size, "fentry_%d_%lx%lx/e%u", getpid(), first.tv_sec, first.tv_nsec, nr);
}

static void forget(unsigned int nr)
{
	const struct timespec pause = { .tv_nsec = REMOVE_PAUSE_NS };
	char name[64], line[80];
	int i;

	name_event(nr, name, sizeof(name));
	snprintf(line, sizeof(line), "-:%s\n", name);
	/* the kernel may still be disabling it */
	for (i = 0; i < REMOVE_TRIES && command(line) == -EBUSY; i++)
		nanosleep(&pause, NULL);
}

/* Make an event and attach the program to it. Returns a link's file descriptor or an errno. */
static int create(const struct fentry_multi *m, size_t i, unsigned int event)
{
	const struct fentry_inlined_call *call = m->points[i].call;
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = i);
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr) };
	char name[64], path[160], line[FENTRY_LABEL_MAX];
	int fd, link;

	name_event(event, name, sizeof(name));
	snprintf(line, sizeof(line), "%c:%s %s:%s\n", m->opts.exit ? 'r' : 'p', name, call->module,
		 call->symbol);
	fd = command(line);
	if (fd)
		return fd;
	snprintf(path, sizeof(path), "%s/events/%s/id", tracefs(), name);
	attr.config = fentry_number_in(path);
	fd = syscall(__NR_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	link = fd < 0 ? -errno :
			bpf_link_create(bpf_program__fd(m->prog), fd, BPF_PERF_EVENT, &opts);
	if (fd >= 0)
		close(fd);
	if (link < 0)
		forget(event);
	return link;
}

static bool takes(const struct fentry_multi *m, const struct fentry_point *p)
{
	return p->call && !p->call->addr && !bpf_program__expected_attach_type(m->prog);
}

static int attach(struct fentry_multi *m, size_t *nrs, size_t cnt)
{
	static unsigned int events;
	char why[256];
	size_t i;
	int fd, err = 0;

	for (i = 0; !err && i < cnt && !(m->opts.all_or_none && m->left_out); i++) {
		unsigned int event = __atomic_add_fetch(&events, 1, __ATOMIC_RELAXED);

		fd = fentry_multi__goes_on(m) ? create(m, nrs[i], event) : -EINTR;
		if (fd >= 0) {
			fentry_multi__add_link(m, &fentry_way_trace_event, nrs[i], -1, fd);
			m->links[m->link_cnt - 1].event = event;
			continue;
		}
		snprintf(why, sizeof(why), "%s%s",
			 fd == -EINTR ?
				 "" :
				 "its module isn't loaded, and tracefs has no event for it: ",
			 fd == -EINTR ? "interrupted" : strerror(-fd));
		err = fentry_multi__refuse(m, nrs[i], why);
	}
	return err;
}

const struct fentry_way fentry_way_trace_event = {
	.name = "trace_event",
	.takes = takes,
	.attach = attach,
	.missed = fentry_probe_link__missed,
	.forget = forget,
};
