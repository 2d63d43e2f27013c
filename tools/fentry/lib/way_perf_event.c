// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A kprobe at each point, by a perf event and a link of its own. */
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util.h"
#include "way.h"

#define KPROBE_TYPE   "/sys/bus/event_source/devices/kprobe/type"
#define KPROBE_RETURN (1U << 0) /* of a perf event's config */

int fentry_probe_event__type(void)
{
	return fentry_number_in(KPROBE_TYPE);
}

int fentry_probe_event__create(int type, bool exit, int prog_fd, __u64 addr, __u64 cookie)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = cookie);
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.kprobe_addr = addr,
		.config = exit ? KPROBE_RETURN : 0,
	};
	int event, link;

	event = syscall(__NR_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (event < 0)
		return -errno;
	link = bpf_link_create(prog_fd, event, BPF_PERF_EVENT, &opts);
	close(event);
	return link;
}

static bool takes(const struct fentry_multi *m, const struct fentry_point *p)
{
	return p->call && p->call->addr && !bpf_program__expected_attach_type(m->prog);
}

static int attach(struct fentry_multi *m, size_t *nrs, size_t cnt)
{
	int fd, err = 0, type = fentry_probe_event__type(), prog_fd = bpf_program__fd(m->prog);
	size_t i;

	if (!type)
		return fentry_error__set(
			m->error, -ENODEV,
			"can't attach by probes: this kernel has none (CONFIG_KPROBE_EVENTS)");
	for (i = 0; !err && i < cnt && !(m->opts.all_or_none && m->left_out); i++) {
		const struct fentry_point *p = &m->points[nrs[i]];

		fd = fentry_multi__goes_on(m) ?
			     fentry_probe_event__create(type, m->opts.exit, prog_fd, p->call->addr,
							nrs[i]) :
			     -EINTR;
		if (fd >= 0)
			fentry_multi__add_link(m, &fentry_way_perf_event, nrs[i], -1, fd);
		else
			err = fentry_multi__refuse_probe(m, nrs[i], fd);
	}
	return err;
}

const struct fentry_way fentry_way_perf_event = {
	.name = "perf_event",
	.takes = takes,
	.attach = attach,
	.missed = fentry_probe_link__missed,
};
