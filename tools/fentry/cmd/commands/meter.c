// SPDX-License-Identifier: GPL-2.0-only
/* Measures how long calls of a set of functions take: see latency.bpf.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attach/attach.h"
#include "attach/both.h"
#include "output/histogram.h"
#include "commands/meter.h"
#include "bpf/latency.skel.h"

struct meter {
	const struct selection *sel;
	struct meter_opts opts;
	struct latency_bpf *skel;
	struct ring_buffer *ended;
	struct both both;
	struct histogram *parts; /* of each CPU, to read one function's */
	int cpu_cnt;
};

static int load_for(void *ctx, size_t i, struct fentry_error *error)
{
	struct meter *m = ctx;
	struct latency_bpf *skel = latency_bpf__open();
	struct fentry_binding bindings[2];
	int err;

	if (!skel) {
		err = -errno;
		snprintf(error->msg, sizeof(error->msg), "can't open the BPF object: %s",
			 libbpf_text(err));
		return err;
	}
	skel->rodata->limit = m->opts.limit;
	skel->rodata->min_duration = m->opts.min_duration;
	skel->rodata->tasks = m->opts.tasks->filter;
	bpf_map__set_max_entries(skel->maps.histograms, m->sel->cnt);
	bindings[0] = (struct fentry_binding){ skel->progs.on_entry, m->sel->targets[i] };
	bindings[1] = (struct fentry_binding){ skel->progs.on_exit, m->sel->targets[i] };
	err = fentry_skeleton__load(skel->skeleton, m->sel->idx, bindings, 2, error);
	if (err)
		latency_bpf__destroy(skel);
	else
		m->skel = skel;
	return err;
}

static int ignore(void *ctx, void *data, size_t size)
{
	(void)ctx;
	(void)data;
	(void)size;
	return 0;
}

static int open_ring(struct meter *m)
{
	m->ended = ring_buffer__new(bpf_map__fd(m->skel->maps.ended), ignore, NULL, NULL);
	if (m->ended)
		return 0;
	complain("can't open the ring buffer: %s", libbpf_text(-errno));
	return EXIT_FAILED;
}

static void set_measuring(struct meter *m, bool measuring)
{
	__atomic_store_n(&m->skel->bss->measuring, measuring, __ATOMIC_RELEASE);
}

int meter__start(const struct selection *sel, const struct meter_opts *opts, struct waiter *w,
		 struct meter **ret)
{
	struct meter *m = calloc(1, sizeof(*m));
	int status = 0;

	if (m) {
		m->sel = sel;
		m->opts = *opts;
		m->cpu_cnt = libbpf_num_possible_cpus();
		m->parts = calloc(m->cpu_cnt, sizeof(*m->parts));
	}
	if (!m || !m->parts) {
		complain("out of memory");
		status = EXIT_FAILED;
	}
	if (!status)
		status = load_for_any(sel, load_for, m);
	if (!status)
		status = open_ring(m);
	if (!status)
		status = both__attach(sel, m->skel->progs.on_entry, m->skel->progs.on_exit, w,
				      &m->both);
	if (status) {
		meter__free(m);
		return status;
	}
	set_measuring(m, true);
	*ret = m;
	return 0;
}

void meter__free(struct meter *m)
{
	if (!m)
		return;
	both__detach(&m->both);
	ring_buffer__free(m->ended);
	latency_bpf__destroy(m->skel);
	free(m->parts);
	free(m);
}

size_t meter__cnt(const struct meter *m)
{
	return fentry_multi__attached(m->both.entry);
}

int meter__end_fd(const struct meter *m)
{
	return ring_buffer__epoll_fd(m->ended);
}

bool meter__read(const struct meter *m, size_t i, struct histogram *ret)
{
	__u32 key = i;
	int cpu;

	memset(ret, 0, sizeof(*ret));
	if (!m->both.attached[i] ||
	    bpf_map_lookup_elem(bpf_map__fd(m->skel->maps.histograms), &key, m->parts))
		return false;
	for (cpu = 0; cpu < m->cpu_cnt; cpu++)
		histogram__merge(ret, &m->parts[cpu]);
	return true;
}

void meter__stop(struct meter *m)
{
	set_measuring(m, false);
}

static unsigned long long count_pending(const struct meter *m)
{
	int fd = bpf_map__fd(m->skel->maps.buckets), i;
	unsigned long long n = 0;
	struct pair_bucket b;
	__u32 key;

	for (key = 0; key < PAIR_BUCKETS; key++) {
		if (bpf_map_lookup_elem(fd, &key, &b))
			continue;
		for (i = 0; i < PAIR_BUCKET_CALLS; i++)
			n += b.calls[i].frame != 0;
	}
	return n;
}

void meter__losses(const struct meter *m, struct meter_losses *ret)
{
	struct pair_cpu lost;

	both__losses(&m->both, bpf_map__fd(m->skel->maps.cpus), &lost);
	*ret = (struct meter_losses){
		.missed = lost.missed,
		.unpaired = lost.unpaired,
		.no_room = lost.no_room,
		.pending = count_pending(m),
	};
}
