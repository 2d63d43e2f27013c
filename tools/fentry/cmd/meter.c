// SPDX-License-Identifier: GPL-2.0-only
/* Measures how long calls of a set of functions take: see latency.bpf.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attach.h"
#include "histogram.h"
#include "meter.h"
#include "latency.skel.h"

struct meter {
	const struct selection *sel;
	struct meter_opts opts;
	struct latency_bpf *skel;
	struct ring_buffer *ended;
	struct fentry_multi *exit, *entry;
	struct selection exits;		/* functions that @exit is attached to */
	bool *measured;			/* of each of @sel: both are */
	struct histogram *parts;	/* of each CPU, to read one function's */
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
		snprintf(error->msg, sizeof(error->msg),
			 "can't open the BPF object: %s", libbpf_text(err));
		return err;
	}
	skel->rodata->limit = m->opts.limit;
	skel->rodata->min_duration = m->opts.min_duration;
	skel->rodata->tasks = m->opts.tasks->filter;
	bpf_map__set_max_entries(skel->maps.histograms, m->sel->cnt);
	bindings[0] = (struct fentry_binding){ skel->progs.on_entry,
					       m->sel->targets[i] };
	bindings[1] = (struct fentry_binding){ skel->progs.on_exit,
					       m->sel->targets[i] };
	err = fentry_skeleton__load(skel->skeleton, m->sel->idx, bindings, 2,
				    error);
	if (err)
		latency_bpf__destroy(skel);
	else
		m->skel = skel;
	return err;
}

/*
 * The ends come first, as there are functions to whose end no program can be
 * attached; then come the starts of the others. Nothing is noted before all
 * programs are there.
 */
static int attach_both(struct meter *m, struct waiter *w)
{
	size_t i, n = 0;
	int status;

	status = attach_to(m->sel, m->skel->progs.on_exit, "attached to the end of",
			   w, &m->exit);
	if (status)
		return status;
	m->exits = (struct selection){
		.idx = m->sel->idx,
		.targets = calloc(m->sel->cnt, sizeof(*m->exits.targets)),
	};
	if (!m->exits.targets) {
		complain("out of memory");
		return EXIT_FAILED;
	}
	for (i = 0; i < m->sel->cnt; i++)
		if (!fentry_multi__why(m->exit, i))
			m->exits.targets[m->exits.cnt++] = m->sel->targets[i];
	status = attach_to(&m->exits, m->skel->progs.on_entry,
			   "attached to the start of", w, &m->entry);
	for (i = 0; !status && i < m->sel->cnt; i++)
		if (!fentry_multi__why(m->exit, i))
			m->measured[i] = !fentry_multi__why(m->entry, n++);
	return status;
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
	m->ended = ring_buffer__new(bpf_map__fd(m->skel->maps.ended), ignore,
				    NULL, NULL);
	if (m->ended)
		return 0;
	complain("can't open the ring buffer: %s", libbpf_text(-errno));
	return EXIT_FAILED;
}

static void set_measuring(struct meter *m, bool measuring)
{
	__atomic_store_n(&m->skel->bss->measuring, measuring, __ATOMIC_RELEASE);
}

int meter__start(const struct selection *sel, const struct meter_opts *opts,
		 struct waiter *w, struct meter **ret)
{
	struct meter *m = calloc(1, sizeof(*m));
	int status = 0;

	if (m) {
		m->sel = sel;
		m->opts = *opts;
		m->cpu_cnt = libbpf_num_possible_cpus();
		m->measured = calloc(sel->cnt, sizeof(*m->measured));
		m->parts = calloc(m->cpu_cnt, sizeof(*m->parts));
	}
	if (!m || !m->measured || !m->parts) {
		complain("out of memory");
		status = EXIT_FAILED;
	}
	if (!status)
		status = load_for_any(sel, load_for, m);
	if (!status)
		status = open_ring(m);
	if (!status)
		status = attach_both(m, w);
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
	detach(m->entry);
	detach(m->exit);
	ring_buffer__free(m->ended);
	latency_bpf__destroy(m->skel);
	free(m->exits.targets);
	free(m->measured);
	free(m->parts);
	free(m);
}

size_t meter__cnt(const struct meter *m)
{
	return fentry_multi__attached(m->entry);
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
	if (!m->measured[i] ||
	    bpf_map_lookup_elem(bpf_map__fd(m->skel->maps.histograms), &key,
				m->parts))
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
	struct latency_bucket b;
	__u32 key;

	for (key = 0; key < LATENCY_BUCKETS; key++) {
		if (bpf_map_lookup_elem(fd, &key, &b))
			continue;
		for (i = 0; i < LATENCY_BUCKET_CALLS; i++)
			n += b.calls[i].frame != 0;
	}
	return n;
}

void meter__losses(const struct meter *m, struct meter_losses *ret)
{
	struct latency_cpu *cpus = calloc(m->cpu_cnt, sizeof(*cpus));
	__u32 key = 0;
	int i;

	*ret = (struct meter_losses){
		/* the programs at the start count what they missed at the end */
		.missed = fentry_multi__missed(m->exit),
		.pending = count_pending(m),
	};
	if (!cpus || bpf_map_lookup_elem(bpf_map__fd(m->skel->maps.cpus), &key,
					 cpus))
		complain("can't read how many calls were missed");
	else
		for (i = 0; i < m->cpu_cnt; i++) {
			ret->missed += cpus[i].missed;
			ret->unpaired += cpus[i].unpaired;
			ret->no_room += cpus[i].no_room;
		}
	free(cpus);
}
