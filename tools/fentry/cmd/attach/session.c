// SPDX-License-Identifier: GPL-2.0-only
/* A tracing session: see trace.bpf.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/attach.h"
#include "attach/session.h"
#include "bpf/trace.skel.h"
#include "kernel/access.h"

struct session {
	const struct selection *sel;
	struct selection symbols; /* those of sel that aren't inlined calls */
	bool has_symbols;	  /* the program is loaded for them */
	struct session_opts opts;
	struct trace_bpf *skel;	  /* NULL until a target took it */
	struct bpf_program *prog; /* the one of its programs in use */
	struct fentry_multi *multi;
	struct both both;	      /* instead, if calls are measured */
	struct fentry_multi *inlined; /* for inlined calls */
	struct ring_buffer *ring;     /* NULL if calls are only counted */
	size_t portion;		      /* events that were taken at once */
	bool finishing;
	struct timespec deadline; /* events that come later are only counted */
	unsigned long long too_late;
};

/* Events between two looks at what may end the trace. */
#define PORTION 256
/* The events that are left at the end: an eighth of a second is for them. */
#define FINISH_NS 125000000
#define NS_PER_S  1000000000

static void raise(unsigned int *limit, unsigned int to)
{
	if (*limit < to)
		*limit = to;
}

static struct trace_limits get_limits(const struct session *s)
{
	struct trace_limits limits = {};
	size_t i;
	int v;

	for (i = 0; i < s->sel->cnt; i++) {
		const struct trace_plan *plan = &s->opts.plans[i].plan;

		raise(&limits.values, plan->value_cnt);
		raise(&limits.filters, plan->filter_cnt);
		raise(&limits.tests, plan->test_cnt);
		for (v = 0; v < plan->value_cnt; v++)
			raise(&limits.steps, plan->values[v].step_cnt);
	}
	return limits;
}

static struct trace_bpf *open_skeleton(struct session *s)
{
	struct trace_bpf *skel = trace_bpf__open();

	if (!skel)
		return NULL;
	skel->rodata->count_only = s->opts.count;
	skel->rodata->with_stack = s->opts.stack;
	skel->rodata->limits = get_limits(s);
	skel->rodata->count_by = s->opts.by;
	skel->rodata->tasks = s->opts.tasks->filter;
	if (s->opts.by)
		bpf_map__set_max_entries(skel->maps.keyed, TRACE_KEYS);
	bpf_map__set_max_entries(skel->maps.counts, s->sel->cnt);
	bpf_map__set_max_entries(skel->maps.plans, s->sel->cnt);
	bpf_map__set_max_entries(skel->maps.sites, s->sel->cnt - s->symbols.cnt ?: 1);
	bpf_program__set_autoload(skel->progs.on_site, s->sel->cnt > s->symbols.cnt);
	if (s->sel->cnt > s->symbols.cnt && fentry_has_probe_links())
		bpf_program__set_expected_attach_type(skel->progs.on_site, BPF_TRACE_KPROBE_MULTI);
	skel->rodata->first_site = s->symbols.cnt;
	skel->rodata->min_duration = s->opts.min_duration;
	s->prog = s->opts.exit ? skel->progs.on_exit : skel->progs.on_entry;
	if (s->opts.min_duration)
		return skel;
	bpf_program__set_autoload(s->opts.exit ? skel->progs.on_entry : skel->progs.on_exit, false);
	bpf_map__set_max_entries(skel->maps.buckets, 1);
	return skel;
}

/*
 * Load the skeleton with its program on a function, for the whole session. Without a function,
 * there are inlined calls only.
 */
static int load_skeleton(struct session *s, const struct fentry_target *target,
			 struct fentry_error *error)
{
	struct trace_bpf *skel = open_skeleton(s);
	struct fentry_binding bindings[2];
	size_t cnt = 0;
	int err;

	if (!skel)
		return open_skeleton_failed(error);
	if (target)
		bindings[cnt++] = (struct fentry_binding){ s->prog, target };
	else
		bpf_program__set_autoload(s->prog, false);
	if (s->opts.min_duration)
		bindings[cnt++] = (struct fentry_binding){ skel->progs.on_entry, target };
	err = fentry_skeleton__load(skel->skeleton, s->sel->idx, bindings, cnt, error);
	if (err)
		trace_bpf__destroy(skel);
	else
		s->skel = skel;
	return err;
}

/* A program is for all functions, but the kernel only takes it for a function that fits. */
static int load_for_any(struct session *s)
{
	struct fentry_error first = {}, error;
	size_t i;
	int err = 0;

	for (i = 0; i < s->symbols.cnt && err != -EPERM; i++) {
		err = load_skeleton(s, s->symbols.targets[i], i ? &error : &first);
		if (!err)
			return 0;
	}
	if (i)
		complain_unloaded(&s->symbols, &first);
	return EXIT_FAILED;
}

/* Without a function that takes it, there may be inlined calls. */
static int load(struct session *s)
{
	bool has_sites = s->sel->cnt > s->symbols.cnt;
	struct fentry_error error;
	int status = load_for_any(s);

	s->has_symbols = !status;
	if (!status || !has_sites || (s->symbols.cnt && !s->opts.best_effort))
		return status;
	if (!load_skeleton(s, NULL, &error))
		return 0;
	complain_load(&error);
	return EXIT_FAILED;
}

/* The program must know what to read before it runs. */
static int fill_maps(struct session *s)
{
	int plans = bpf_map__fd(s->skel->maps.plans);
	int cgroups = bpf_map__fd(s->skel->maps.cgroups);
	int sites = bpf_map__fd(s->skel->maps.sites);
	bool ok = true;
	__u32 i, nr;

	for (i = 0; ok && i < s->sel->cnt; i++)
		ok = !bpf_map_update_elem(plans, &i, &s->opts.plans[i].plan, BPF_ANY);
	for (i = s->symbols.cnt; ok && i < s->sel->cnt; i++) {
		nr = i - s->symbols.cnt;
		ok = !bpf_map_update_elem(sites, &nr, &s->sel->site_of[i]->places, BPF_ANY);
	}
	i = 0;
	if (ok && s->opts.tasks->filter.by_cgroup)
		ok = !bpf_map_update_elem(cgroups, &i, &s->opts.tasks->cgroup_fd, BPF_ANY);
	if (ok)
		return 0;
	complain("can't write to a BPF map: %s", strerror(errno));
	return EXIT_FAILED;
}

static bool is_past(const struct timespec *t)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > t->tv_sec || (now.tv_sec == t->tv_sec && now.tv_nsec >= t->tv_nsec);
}

/* Hands on a portion of events; a negative value ends ring_buffer__consume(). */
static int take_event(void *ctx, void *data, size_t size)
{
	struct session *s = ctx;

	if (s->finishing && is_past(&s->deadline)) {
		s->too_late++;
		return 0;
	}
	s->opts.on_event(s->opts.ctx, data, size);
	return !s->finishing && ++s->portion >= PORTION ? -EAGAIN : 0;
}

static int attach_sites(struct session *s, struct waiter *w)
{
	int status;

	status = attach_to_inlined(s->sel, s->symbols.cnt, s->skel->progs.on_site,
				   s->opts.best_effort, w, &s->inlined);
	if (status || session__attached(s) || session__inlined(s))
		return status;
	complain("nothing is left to trace");
	return EXIT_FAILED;
}

static int attach(struct session *s, struct waiter *w)
{
	size_t inlined = s->sel->cnt - s->symbols.cnt;
	int status = 0;

	if (inlined && open_files__reserve(s->has_symbols ? s->symbols.cnt : 0, inlined))
		return EXIT_FAILED;
	if (s->opts.min_duration) {
		status = both__attach(s->sel, s->skel->progs.on_entry, s->prog, w, &s->both);
		__atomic_store_n(&s->skel->bss->measuring, true, __ATOMIC_RELEASE);
		return status;
	}
	if (s->has_symbols)
		status = attach_to(&s->symbols, s->prog, "attached", w, &s->multi);
	if (!status && inlined)
		status = attach_sites(s, w);
	return status;
}

int session__start(const struct selection *sel, const struct session_opts *opts, struct waiter *w,
		   struct session **ret)
{
	struct session *s = calloc(1, sizeof(*s));
	int status;

	if (!s)
		return no_memory();
	s->sel = sel;
	s->opts = *opts;
	s->symbols = *sel;
	while (s->symbols.cnt && selection__site(sel, s->symbols.cnt - 1))
		s->symbols.cnt--;
	status = load(s);
	if (!status)
		status = fill_maps(s);
	if (!status)
		status = attach(s, w);
	if (!status && !opts->count)
		status = open_ring(s->skel->maps.events, take_event, s, &s->ring);
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
	detach(s->inlined);
	detach(s->multi);
	both__detach(&s->both);
	ring_buffer__free(s->ring);
	trace_bpf__destroy(s->skel);
	free(s);
}

size_t session__attached(const struct session *s)
{
	const struct fentry_multi *multi = s->both.entry ?: s->multi;

	return multi ? fentry_multi__attached(multi) : 0;
}

size_t session__inlined(const struct session *s)
{
	return s->inlined ? fentry_multi__attached(s->inlined) : 0;
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
	clock_gettime(CLOCK_MONOTONIC, &s->deadline);
	s->deadline.tv_nsec += FINISH_NS;
	s->deadline.tv_sec += s->deadline.tv_nsec / NS_PER_S;
	s->deadline.tv_nsec %= NS_PER_S;
	s->finishing = true;
	session__consume(s);
}

static bool is_attached(const struct session *s, size_t i)
{
	if (i >= s->symbols.cnt)
		return s->inlined && !fentry_multi__why(s->inlined, i - s->symbols.cnt);
	if (s->both.entry)
		return s->both.attached[i];
	return s->multi && !fentry_multi__why(s->multi, i);
}

bool session__count(const struct session *s, size_t i, unsigned long long *ret)
{
	__u32 key = i;

	*ret = 0;
	return is_attached(s, i) &&
	       !bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.counts), &key, ret);
}

bool session__next_key(const struct session *s, const struct trace_key *key, struct trace_key *ret,
		       unsigned long long *calls)
{
	int fd = bpf_map__fd(s->skel->maps.keyed);

	return !bpf_map_get_next_key(fd, key, ret) && !bpf_map_lookup_elem(fd, ret, calls);
}

void session__stop(struct session *s)
{
	__atomic_store_n(&s->skel->bss->stopped, 1, __ATOMIC_RELEASE);
}

void session__losses(const struct session *s, unsigned long long *missed,
		     unsigned long long *dropped)
{
	struct pair_cpu lost = {};
	__u32 key = 0;

	if (s->both.entry)
		both__losses(&s->both, bpf_map__fd(s->skel->maps.cpus), &lost);
	else if (s->multi)
		lost.missed = fentry_multi__missed(s->multi);
	if (s->inlined)
		lost.missed += fentry_multi__missed(s->inlined);
	*missed = lost.missed + lost.no_room;
	*dropped = 0;
	bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.dropped), &key, dropped);
	*dropped += s->too_late;
}
