// SPDX-License-Identifier: GPL-2.0-only
/* A tracing session: the programs of trace.bpf.c on the targets of a selection. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "attach/session.h"
#include "bpf/trace.skel.h"

struct session {
	struct selection *sel;
	struct session_opts opts;
	struct trace_bpf *skel; /* NULL until a target took it */
	struct pair pair;
	struct ring_buffer *ring; /* NULL if calls are only counted */
	/* the mapped map: with many functions, system calls that read it are traced, too */
	const unsigned long long *counts;
	size_t portion; /* events that were taken at once */
	bool finishing;
	long long deadline; /* ms; events that come later are only counted */
	unsigned long long too_late;
};

/* After so many events the waiter looks at what may end the trace. */
#define PORTION 256
/* The time at the end for the events that are left. */
#define FINISH_MS 125

static void raise_limit(unsigned int *limit, unsigned int to)
{
	if (*limit < to)
		*limit = to;
}

static size_t plan_cnt(const struct session *s)
{
	return s->opts.tree ? 2 * s->sel->cnt : s->sel->cnt;
}

/* Is there a program where calls begin, and one where they return? */
static bool is_paired(const struct session *s)
{
	return s->opts.min_duration || s->opts.tree;
}

static struct trace_limits get_limits(const struct session *s)
{
	struct trace_limits limits = { .parts = s->opts.part_cnt };
	size_t i;
	int v;

	for (i = 0; i < plan_cnt(s); i++) {
		const struct trace_plan *plan = &s->opts.plans[i].plan;

		raise_limit(&limits.values, plan->value_cnt);
		raise_limit(&limits.filters, plan->filter_cnt);
		raise_limit(&limits.tests, plan->test_cnt);
		for (v = 0; v < plan->value_cnt; v++) {
			raise_limit(&limits.steps, plan->values[v].step_cnt);
			limits.task |= plan->values[v].slot >= TRACE_MAX_ARGS &&
				       plan->values[v].slot != TRACE_RETURN;
		}
	}
	return limits;
}

static struct trace_bpf *open_skeleton(const struct session *s)
{
	size_t first = selection__first_site(s->sel);
	struct trace_bpf *skel = trace_bpf__open();

	if (!skel)
		return NULL;
	skel->rodata->count_only = s->opts.count;
	skel->rodata->with_stack = s->opts.stack;
	skel->rodata->limits = get_limits(s);
	skel->rodata->tasks = s->opts.tasks->filter;
	skel->rodata->at_exit = s->opts.exit;
	skel->rodata->first_site = first;
	skel->rodata->min_duration = s->opts.min_duration;
	skel->rodata->tree = s->opts.tree ? s->sel->cnt : 0;
	bpf_program__set_autoload(skel->progs.on_fork, s->opts.tasks->filter.follow);
	bpf_map__set_autocreate(skel->maps.followed, s->opts.tasks->filter.follow);
	if (s->opts.part_cnt)
		bpf_map__set_max_entries(skel->maps.keyed, TRACE_KEYS);
	if (s->opts.buffer)
		bpf_map__set_max_entries(skel->maps.events, s->opts.buffer);
	bpf_map__set_key_size(skel->maps.keyed,
			      offsetof(struct trace_key, parts[s->opts.part_cnt]));
	if (s->opts.by_stack)
		bpf_map__set_max_entries(skel->maps.stacks, TRACE_KEYS);
	bpf_map__set_max_entries(skel->maps.counts, s->sel->cnt);
	bpf_map__set_max_entries(skel->maps.plans, plan_cnt(s));
	bpf_map__set_autocreate(skel->maps.losses, s->opts.tree);
	bpf_map__set_max_entries(skel->maps.sites, s->sel->cnt - first ?: 1);
	if (!is_paired(s) && (!s->opts.exit || s->sel->cnt == first))
		bpf_map__set_max_entries(skel->maps.buckets, 1);
	return skel;
}

/*
 * Load the skeleton with its programs on a function, for the whole session. Without a function,
 * there are probes only.
 */
static int load_skeleton(void *ctx, const struct fentry_target *target, struct fentry_error *error)
{
	struct session *s = ctx;
	struct trace_bpf *skel = open_skeleton(s);
	struct fentry_binding bindings[2];
	size_t cnt;
	int err;

	if (!skel)
		return open_skeleton_failed(error);
	/* at an exit alone, the program has all that is reported, unless the time is asked for */
	s->pair.progs[PAIR_TRAMPOLINE] = (struct pair_programs){
		.start = s->opts.exit && !is_paired(s) ? skel->progs.on_exit : skel->progs.on_entry,
		.end = is_paired(s) ? skel->progs.on_exit : NULL,
	};
	s->pair.progs[PAIR_PROBE] = (struct pair_programs){
		.start = skel->progs.on_site,
		.end = s->opts.exit ? skel->progs.on_return : NULL,
		.session = s->opts.exit ? skel->progs.on_session : NULL,
	};
	cnt = pair__prepare(&s->pair, target, bindings);
	err = fentry_skeleton__load(skel->skeleton, s->sel->idx, bindings, cnt, error);
	if (err)
		trace_bpf__destroy(skel);
	else
		s->skel = skel;
	return err;
}

static size_t counts_size(const struct session *s)
{
	return s->sel->cnt * sizeof(*s->counts);
}

/* The program must know what to read before it runs. */
static int fill_maps(struct session *s)
{
	int plans = bpf_map__fd(s->skel->maps.plans);
	int sites = bpf_map__fd(s->skel->maps.sites);
	void *counts = MAP_FAILED;
	bool ok = true;
	__u32 i, nr, first = selection__first_site(s->sel);

	for (i = 0; ok && i < plan_cnt(s); i++)
		ok = !bpf_map_update_elem(plans, &i, &s->opts.plans[i].plan, BPF_ANY);
	for (i = first; ok && i < s->sel->cnt; i++) {
		nr = i - first;
		ok = !bpf_map_update_elem(sites, &nr, &s->sel->site_of[i]->places, BPF_ANY);
	}
	if (ok)
		counts = mmap(NULL, counts_size(s), PROT_READ, MAP_SHARED,
			      bpf_map__fd(s->skel->maps.counts), 0);
	if (counts == MAP_FAILED)
		return failure("can't use a BPF map: %s", strerror(errno));
	s->counts = counts;
	return 0;
}

/* Hand on an event. After a portion of them, a negative value ends ring_buffer__consume(). */
static int take_event(void *ctx, void *data, size_t size)
{
	struct session *s = ctx;

	if (s->finishing && clock_ms() >= s->deadline) {
		s->too_late++;
		return 0;
	}
	s->opts.on_event(s->opts.ctx, data, size);
	return !s->finishing && ++s->portion >= PORTION ? -EAGAIN : 0;
}

static int open_ring(struct session *s)
{
	s->ring = ring_buffer__new(bpf_map__fd(s->skel->maps.events), take_event, s, NULL);
	if (s->ring)
		return 0;
	return failure("can't open the ring buffer: %s", libbpf_text(-errno));
}

int session__start(struct selection *sel, const struct session_opts *opts, struct waiter *w,
		   struct session **ret)
{
	struct session *s = calloc(1, sizeof(*s));
	int status;

	if (!s)
		return no_memory();
	s->sel = s->pair.sel = sel;
	s->opts = *opts;
	status = pair__load(&s->pair, opts->best_effort, load_skeleton, s);
	status = status ?: fill_maps(s);
	if (!status)
		status = tasks__begin(opts->tasks, s->skel->maps.cgroups, s->skel->progs.on_fork,
				      &s->skel->links.on_fork);
	status = status ?: pair__attach(&s->pair, !opts->best_effort, w);
	if (!status && !opts->count)
		status = open_ring(s);
	if (status)
		session__free(s);
	else
		*ret = s;
	return status;
}

void session__free(struct session *s)
{
	if (!s)
		return;
	pair__detach(&s->pair);
	ring_buffer__free(s->ring);
	if (s->counts)
		munmap((void *)s->counts, counts_size(s));
	trace_bpf__destroy(s->skel);
	free(s);
}

const struct pair *session__pair(const struct session *s)
{
	return &s->pair;
}

int session__poll_fd(const struct session *s)
{
	return s->ring ? ring_buffer__epoll_fd(s->ring) : -1;
}

void session__consume(struct session *s)
{
	s->portion = 0;
	if (s->ring)
		ring_buffer__consume(s->ring);
}

void session__finish(struct session *s)
{
	s->deadline = clock_ms() + FINISH_MS;
	s->finishing = true;
	session__consume(s);
}

bool session__count(const struct session *s, size_t i, unsigned long long *ret)
{
	bool has = pair__has(&s->pair, i);

	*ret = has ? __atomic_load_n(&s->counts[i], __ATOMIC_RELAXED) : 0;
	return has;
}

bool session__next_key(const struct session *s, const struct trace_key *key, struct trace_key *ret,
		       unsigned long long *calls)
{
	int fd = bpf_map__fd(s->skel->maps.keyed);

	return !bpf_map_get_next_key(fd, key, ret) && !bpf_map_lookup_elem(fd, ret, calls);
}

bool session__stack(const struct session *s, unsigned long long id,
		    unsigned long long ret[TRACE_STACK_MAX])
{
	return !bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.stacks), &id, ret);
}

void session__measure(struct session *s, bool on)
{
	pair__measure(&s->pair, &s->skel->bss->measuring, on);
}

void session__complain_losses(const struct session *s)
{
	unsigned long long lost[TRACE_LOST_CNT] = {};
	__u32 i;

	for (i = 0; i < TRACE_LOST_CNT; i++)
		bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.lost), &i, &lost[i]);
	pair__complain_losses(&s->pair, bpf_map__fd(s->skel->maps.cpus),
			      /* a tree has those of its calls that haven't returned */
			      s->opts.tree ? -1 : bpf_map__fd(s->skel->maps.buckets),
			      lost[TRACE_LOST_LEVEL]);
	if (lost[TRACE_LOST_EVENT] + s->too_late)
		complain("%llu calls came faster than they could be printed, and are not shown%s",
			 lost[TRACE_LOST_EVENT] + s->too_late,
			 lost[TRACE_LOST_EVENT] ? ": a larger --buffer may keep them" : "");
	if (lost[TRACE_LOST_KEY])
		complain(
			"%llu calls are in no row: the table of --by is full, with %d keys of other calls",
			lost[TRACE_LOST_KEY], TRACE_KEYS);
}
