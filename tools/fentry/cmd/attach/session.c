// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program on the functions of a selection, or on its inlined calls; or two on each function. A
 * tracing session consists of these: see trace.bpf.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/session.h"
#include "bpf/trace.skel.h"
#include "kernel/access.h"
#include "kernel/verdict.h"
#include "output/terminal.h"

/* The kernel takes 0.1 s to remove a link: above this number, say at once what is done. */
#define DETACH_SILENTLY_MAX 10

/* How far something slow is: one line on stderr, rewritten if that is possible. */
struct progress {
	const char *what;
	long long last; /* ms: when it was shown last; 0: not yet, wait for a second */
	bool shown;
};

/* How far attaching one by one is, and who may stop it. */
struct pace {
	struct progress progress;
	struct waiter *w;
	size_t cnt;
};

/* Show it once a second. */
static void progress__show(struct progress *p, size_t done, size_t cnt)
{
	long long now = clock_ms();
	bool terminal;

	if (!p->last)
		p->last = now;
	if (now - p->last < 1000)
		return;
	p->last = now;
	p->shown = true;
	terminal = use_colour(STDERR_FILENO);
	fprintf(stderr, "%sfentry: %s %zu of %zu%s", terminal ? "\r" : "", p->what, done, cnt,
		terminal ? "" : "\n");
}

/* Take the line off a terminal. */
static void progress__end(struct progress *p)
{
	if (p->shown && use_colour(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

/* Complain that no function takes a program. @first: error of the first, if no reason is known */
static void complain_unloaded(const struct selection *sel, const struct fentry_error *first)
{
	struct left_out left_out = {};
	struct verdicts *v = NULL;
	size_t i, known = 0;

	if (first->err != -EPERM)
		verdicts__load(sel->idx, true, &v);
	for (i = 0; i < sel->cnt; i++)
		known += left_out__add_untraceable(&left_out, v, sel->targets[i]);
	left_out__complain(&left_out);
	verdicts__free(v);
	if (known == sel->cnt)
		return;
	complain_load(first);
	if (first->err != -EPERM && sel->cnt > 1)
		complain("no other of the %zu functions takes the program either", sel->cnt);
}

int load_for_any(const struct selection *sel, bool best_effort,
		 int (*load)(void *ctx, const struct fentry_target *target,
			     struct fentry_error *error),
		 void *ctx)
{
	struct selection symbols = *sel;
	struct fentry_error first = {}, error;
	size_t i;
	int err = 0;

	symbols.cnt = selection__first_site(sel);
	for (i = 0; i < symbols.cnt && err != -EPERM; i++) {
		err = load(ctx, symbols.targets[i], i ? &error : &first);
		if (!err)
			return 0;
	}
	if (symbols.cnt)
		complain_unloaded(&symbols, &first);
	if (symbols.cnt == sel->cnt || err == -EPERM || (symbols.cnt && !best_effort))
		return EXIT_FAILED;
	if (!load(ctx, NULL, &error))
		return 0;
	complain_load(&error);
	return EXIT_FAILED;
}

int open_skeleton_failed(struct fentry_error *error)
{
	*error = (struct fentry_error){ .err = -errno };
	snprintf(error->msg, sizeof(error->msg), "can't open the BPF object: %s",
		 libbpf_text(error->err));
	return error->err;
}

static bool go_on(void *ctx, size_t done)
{
	struct pace *p = ctx;

	progress__show(&p->progress, done, p->cnt);
	return !waiter__interrupted(p->w);
}

static void add_left_out_function(struct left_out *l, const struct fentry_target *target,
				  const char *message, struct verdicts *v)
{
	char label[LABEL_MAX];

	if (left_out__add_untraceable(l, v, target))
		return;
	fentry_target__label(target, label);
	left_out__add(l, label, message);
}

/* The kernel's error alone doesn't tell that a function is notrace. */
static void add_left_out_call(struct left_out *l, const struct fentry_inlined_call *call,
			      const char *message, struct verdicts *v)
{
	const char *why = NULL;
	char label[2 * LABEL_MAX], own[3 * LABEL_MAX];

	fentry_target__label(call->func, label);
	strcat(label, " in ");
	fentry_inlined_call__where(call, label + strlen(label), LABEL_MAX - 4);
	if (v && !fentry_inlined_call__unfit(call))
		why = verdicts__no_probe(v, call->addr);
	if (why) {
		snprintf(own, sizeof(own), "can't attach to the inlined call of %s: it %s", label,
			 why);
		message = own;
	}
	left_out__add(l, label, message);
}

void complain_left_out(const struct selection *sel, size_t first, const struct fentry_multi *multi)
{
	struct left_out functions = {}, calls = { .inlined = true };
	struct verdicts *v = NULL;
	const char *why;
	size_t i;

	for (i = first; i < first + fentry_multi__cnt(multi); i++) {
		why = fentry_multi__why(multi, i - first);
		if (why && !v)
			verdicts__load(sel->idx, true, &v);
		if (why && selection__call(sel, i))
			add_left_out_call(&calls, selection__call(sel, i), why, v);
		else if (why)
			add_left_out_function(&functions, sel->targets[i], why, v);
	}
	left_out__complain(&functions);
	left_out__complain(&calls);
	verdicts__free(v);
}

/*
 * Attach a loaded program to functions, or complain. If it takes over a second, the progress says
 * @what. Complains of each function that has no program, even if none has one.
 */
static int attach_to(const struct selection *sel, const struct bpf_program *prog, const char *what,
		     struct waiter *w, struct fentry_multi **ret)
{
	struct pace pace = { .progress.what = what, .w = w, .cnt = sel->cnt };
	LIBBPF_OPTS(fentry_multi_opts, opts, .go_on = go_on, .ctx = &pace);
	struct fentry_error error;
	int err;

	*ret = NULL;
	if (open_files__reserve(sel->cnt, 0))
		return EXIT_FAILED;
	err = fentry_multi__attach(prog, sel->targets, sel->cnt, &opts, ret, &error);
	progress__end(&pace.progress);
	if (err)
		return complain_error(&error);
	if (!w->interrupted)
		complain_left_out(sel, 0, *ret);
	else if (!fentry_multi__attached(*ret))
		complain("interrupted before anything was attached");
	return 0;
}

void use_probe_links(const struct selection *sel, struct bpf_program *probe,
		     struct bpf_program *at_return)
{
	size_t i, first = selection__first_site(sel);
	bool entries = true, link;

	for (i = first; i < sel->cnt; i++)
		entries &= !selection__call(sel, i);
	link = entries ? fentry_has_entry_links() : fentry_has_probe_links();
	bpf_program__set_autoload(probe, first < sel->cnt);
	bpf_program__set_expected_attach_type(probe, link ? BPF_TRACE_KPROBE_MULTI : 0);
	if (!at_return)
		return;
	bpf_program__set_autoload(at_return, first < sel->cnt);
	bpf_program__set_expected_attach_type(at_return, link ? BPF_TRACE_KPROBE_MULTI : 0);
}

/* Attach a loaded program to the sites of a selection from @first on, or complain. */
static int attach_to_sites(const struct selection *sel, size_t first,
			   const struct bpf_program *prog, struct fentry_multi_opts *opts,
			   struct waiter *w, struct fentry_multi **ret)
{
	size_t i, cnt = sel->cnt - first;
	const struct fentry_inlined_call **calls = calloc(cnt + 1, sizeof(*calls));
	struct pace pace = { .progress.what = "attached probes to", .w = w, .cnt = cnt };
	struct fentry_error error;
	int err;

	if (!calls)
		return no_memory();
	for (i = 0; i < cnt; i++)
		calls[i] = sel->site_of[first + i]->call;
	opts->go_on = go_on;
	opts->ctx = &pace;
	err = fentry_multi__attach_inlined(prog, calls, cnt, opts, ret, &error);
	free(calls);
	progress__end(&pace.progress);
	return err ? complain_error(&error) : 0;
}

/*
 * Attach loaded programs to a selection's probes, or complain: one where the code of each begins,
 * and, unless it is NULL, one where functions return. The latter comes first, as both__attach()
 * does it. Complains of the probes that have no program.
 */
static int attach_probes(const struct selection *sel, const struct both_programs *progs,
			 bool best_effort, struct waiter *w, struct both *ret)
{
	LIBBPF_OPTS(fentry_multi_opts, opts, .all_or_none = !best_effort, .exit = true);
	size_t first = selection__first_site(sel);
	int status = 0;

	if (first == sel->cnt)
		return 0;
	if (open_files__reserve(0, (progs->at_return ? 2 : 1) * (sel->cnt - first)))
		return EXIT_FAILED;
	if (progs->at_return)
		status = attach_to_sites(sel, first, progs->at_return, &opts, w, &ret->returns);
	opts.exit = false;
	opts.like = ret->returns;
	status = status ?: attach_to_sites(sel, first, progs->probe, &opts, w, &ret->probes);
	if (status || w->interrupted)
		return status;
	complain_left_out(sel, first, ret->probes);
	if (best_effort || fentry_multi__attached(ret->probes) == sel->cnt - first)
		return 0;
	return failure(
		"nothing is traced, as calls would be missing: --best-effort leaves them out");
}

static void detach(struct fentry_multi *multi)
{
	size_t i, cnt = multi ? fentry_multi__links(multi) : 0;
	struct progress progress = { .what = "detached" };

	/* If there are many, say so at once: it takes long. */
	progress.last = cnt > DETACH_SILENTLY_MAX;
	for (i = 0; i < cnt; i++) {
		progress__show(&progress, i, cnt);
		fentry_multi__detach_one(multi);
	}
	progress__end(&progress);
	fentry_multi__free(multi);
}

/*
 * Attach at the ends first: some functions can't have a program there. Then attach at the starts of
 * the others.
 */
static int attach_trampolines(const struct selection *sel, const struct both_programs *progs,
			      struct waiter *w, struct both *ret)
{
	struct selection symbols = *sel;
	size_t i, n = 0;
	int status;

	symbols.cnt = selection__first_site(sel);
	/* a program that no function takes isn't loaded */
	if (!symbols.cnt || bpf_program__fd(progs->exit) < 0)
		return 0;
	status = attach_to(&symbols, progs->exit, "attached to the end of", w, &ret->exit);
	if (status)
		return status;
	for (i = 0; i < symbols.cnt; i++)
		if (!fentry_multi__why(ret->exit, i))
			ret->exits.targets[ret->exits.cnt++] = sel->targets[i];
	if (!ret->exits.cnt)
		return 0;
	status = attach_to(&ret->exits, progs->entry, "attached to the start of", w, &ret->entry);
	for (i = 0; !status && i < symbols.cnt; i++)
		if (!fentry_multi__why(ret->exit, i))
			ret->attached[i] = !fentry_multi__why(ret->entry, n++);
	return status;
}

int both__attach(const struct selection *sel, const struct both_programs *progs, struct waiter *w,
		 struct both *ret)
{
	size_t i, first = selection__first_site(sel);
	int status;

	*ret = (struct both){
		.exits.idx = sel->idx,
		.exits.targets = calloc(sel->cnt, sizeof(*ret->exits.targets)),
		.attached = calloc(sel->cnt, sizeof(*ret->attached)),
	};
	if (!ret->exits.targets || !ret->attached)
		return no_memory();
	status = attach_trampolines(sel, progs, w, ret) ?: attach_probes(sel, progs, true, w, ret);
	for (i = first; !status && ret->probes && i < sel->cnt; i++)
		ret->attached[i] = !fentry_multi__why(ret->probes, i - first);
	return status ?: both__count(ret, sel) ? 0 : EXIT_FAILED;
}

size_t both__count(const struct both *both, const struct selection *sel)
{
	size_t i, n = 0;

	for (i = 0; i < sel->cnt; i++)
		n += both->attached[i];
	return n;
}

/* Calls that were missed since the programs were attached. */
static unsigned long long all_missed(const struct both *both)
{
	const struct fentry_multi *multi = both->exit ?: both->entry;

	return multi ? fentry_multi__missed(multi) : 0;
}

void both__measure(struct both *both, bool *measuring, bool on)
{
	if (on) {
		both->missed -= all_missed(both);
		both->missed_probes -= both->probes ? fentry_multi__missed(both->probes) : 0;
	}
	__atomic_store_n(measuring, on, __ATOMIC_RELEASE);
	if (!on) {
		both->missed += all_missed(both);
		both->missed_probes += both->probes ? fentry_multi__missed(both->probes) : 0;
	}
}

void both__detach(struct both *both)
{
	detach(both->entry);
	detach(both->exit);
	detach(both->probes);
	detach(both->returns);
	free(both->exits.targets);
	free(both->attached);
}

static unsigned long long count_pending(int fd)
{
	unsigned long long n = 0;
	struct pair_bucket b;
	__u32 key;
	int i;

	for (key = 0; key < PAIR_BUCKETS; key++) {
		if (bpf_map_lookup_elem(fd, &key, &b))
			continue;
		for (i = 0; i < PAIR_BUCKET_CALLS; i++)
			n += b.calls[i].frame != 0;
	}
	return n;
}

static void complain_lost(unsigned long long calls, const char *what)
{
	if (calls)
		complain("not counted: %llu call%s %s", calls, calls == 1 ? "" : "s", what);
}

void both__complain_losses(const struct both *both, int cpus_fd, int buckets_fd)
{
	int i, cpu_cnt = libbpf_num_possible_cpus();
	struct pair_cpu *cpus = calloc(cpu_cnt, sizeof(*cpus));
	/* what the programs at the start missed counts as unpaired at the end */
	struct pair_cpu lost = { .missed = both->missed };
	__u32 key = 0;

	if (!cpus || bpf_map_lookup_elem(cpus_fd, &key, cpus)) {
		complain("can't read how many calls were missed");
		cpu_cnt = 0;
	}
	for (i = 0; i < cpu_cnt; i++) {
		lost.missed += cpus[i].missed;
		lost.unpaired += cpus[i].unpaired;
		lost.no_room += cpus[i].no_room;
		lost.unreturned += cpus[i].unreturned;
	}
	free(cpus);
	/* a call that both probes missed is in no map; one whose return was seen is unpaired */
	if (both->returns && lost.unpaired < both->missed_probes)
		lost.unpaired = both->missed_probes;
	complain_lost(lost.missed, "that returned while a program was running on the CPU");
	complain_lost(lost.unpaired, "whose start wasn't seen");
	complain_lost(lost.no_room, "that began when too many others hadn't returned");
	complain_lost(count_pending(buckets_fd) + lost.unreturned,
		      "that began and wasn't seen to return");
}

struct session {
	const struct selection *sel;
	struct selection symbols; /* those of sel that have no probe */
	bool has_symbols;	  /* the program is loaded for them */
	struct session_opts opts;
	struct trace_bpf *skel;	  /* NULL until a target took it */
	struct bpf_program *prog; /* the one of its programs in use */
	struct both both;	  /* with an exit if calls are measured */
	struct ring_buffer *ring; /* NULL if calls are only counted */
	size_t portion;		  /* events that were taken at once */
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

static struct trace_limits get_limits(const struct session *s)
{
	struct trace_limits limits = { .parts = s->opts.part_cnt };
	size_t i;
	int v;

	for (i = 0; i < s->sel->cnt; i++) {
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

static size_t key_size(const struct session_opts *opts)
{
	return opts->by_stack ? sizeof(struct trace_key) :
				offsetof(struct trace_key, parts[opts->part_cnt]);
}

static struct trace_bpf *open_skeleton(struct session *s)
{
	struct trace_bpf *skel = trace_bpf__open();

	if (!skel)
		return NULL;
	skel->rodata->count_only = s->opts.count;
	skel->rodata->with_stack = s->opts.stack;
	skel->rodata->limits = get_limits(s);
	skel->rodata->tasks = s->opts.tasks->filter;
	bpf_program__set_autoload(skel->progs.on_fork, s->opts.tasks->filter.follow);
	bpf_map__set_autocreate(skel->maps.followed, s->opts.tasks->filter.follow);
	if (s->opts.part_cnt)
		bpf_map__set_max_entries(skel->maps.keyed, TRACE_KEYS);
	bpf_map__set_key_size(skel->maps.keyed, key_size(&s->opts));
	bpf_map__set_max_entries(skel->maps.counts, s->sel->cnt);
	bpf_map__set_max_entries(skel->maps.plans, s->sel->cnt);
	bpf_map__set_max_entries(skel->maps.sites, s->sel->cnt - s->symbols.cnt ?: 1);
	use_probe_links(s->sel, skel->progs.on_site, s->opts.exit ? skel->progs.on_return : NULL);
	if (!s->opts.exit)
		bpf_program__set_autoload(skel->progs.on_return, false);
	skel->rodata->at_exit = s->opts.exit;
	skel->rodata->first_site = s->symbols.cnt;
	skel->rodata->min_duration = s->opts.min_duration;
	s->prog = s->opts.exit ? skel->progs.on_exit : skel->progs.on_entry;
	if (s->opts.min_duration)
		return skel;
	bpf_program__set_autoload(s->opts.exit ? skel->progs.on_entry : skel->progs.on_exit, false);
	if (!s->opts.exit || s->sel->cnt == s->symbols.cnt)
		bpf_map__set_max_entries(skel->maps.buckets, 1);
	return skel;
}

/*
 * Load the skeleton with its program on a function, for the whole session. Without a function,
 * there are probes only.
 */
static int load_skeleton(void *ctx, const struct fentry_target *target, struct fentry_error *error)
{
	struct session *s = ctx;
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
	if (s->opts.min_duration && target)
		bindings[cnt++] = (struct fentry_binding){ skel->progs.on_entry, target };
	else if (s->opts.min_duration)
		bpf_program__set_autoload(skel->progs.on_entry, false);
	err = fentry_skeleton__load(skel->skeleton, s->sel->idx, bindings, cnt, error);
	if (err)
		trace_bpf__destroy(skel);
	else
		s->skel = skel;
	s->has_symbols = !err && target;
	return err;
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
	return failure("can't write to a BPF map: %s", strerror(errno));
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

static int attach(struct session *s, struct waiter *w)
{
	const struct both_programs progs = {
		.entry = s->skel->progs.on_entry,
		.exit = s->prog,
		.probe = s->skel->progs.on_site,
		.at_return = s->opts.exit ? s->skel->progs.on_return : NULL,
	};
	size_t sites = s->sel->cnt - s->symbols.cnt;
	int status = 0;

	if (sites && open_files__reserve(s->has_symbols ? s->symbols.cnt : 0, sites))
		return EXIT_FAILED;
	if (s->opts.min_duration)
		return both__attach(s->sel, &progs, w, &s->both);
	if (s->has_symbols)
		status = attach_to(&s->symbols, s->prog, "attached", w, &s->both.entry);
	status = status ?: attach_probes(s->sel, &progs, s->opts.best_effort, w, &s->both);
	if (status || session__attached(s, false) || session__attached(s, true))
		return status;
	return sites ? failure("nothing is left to trace") : EXIT_FAILED;
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
	s->symbols.cnt = selection__first_site(sel);
	status = load_for_any(sel, opts->best_effort, load_skeleton, s);
	status = status ?: fill_maps(s);
	if (!status)
		status =
			tasks__follow(opts->tasks, s->skel->progs.on_fork, &s->skel->links.on_fork);
	status = status ?: attach(s, w);
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
	both__detach(&s->both);
	ring_buffer__free(s->ring);
	trace_bpf__destroy(s->skel);
	free(s);
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

static bool is_attached(const struct session *s, size_t i)
{
	if (i >= s->symbols.cnt)
		return s->both.probes && !fentry_multi__why(s->both.probes, i - s->symbols.cnt);
	if (s->both.attached)
		return s->both.attached[i];
	return s->both.entry && !fentry_multi__why(s->both.entry, i);
}

size_t session__attached(const struct session *s, bool inlined)
{
	size_t i, n = 0;

	for (i = 0; i < s->sel->cnt; i++)
		n += is_attached(s, i) && !selection__call(s->sel, i) == !inlined;
	return n;
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

void session__measure(struct session *s, bool on)
{
	both__measure(&s->both, &s->skel->bss->measuring, on);
}

void session__complain_losses(const struct session *s)
{
	unsigned long long lost[TRACE_LOST_CNT] = {}, missed = 0;
	__u32 i;

	for (i = 0; i < TRACE_LOST_CNT; i++)
		bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.lost), &i, &lost[i]);
	if (s->both.exit || s->both.returns)
		both__complain_losses(&s->both, bpf_map__fd(s->skel->maps.cpus),
				      bpf_map__fd(s->skel->maps.buckets));
	else
		missed += s->both.missed + s->both.missed_probes;
	missed += lost[TRACE_LOST_LEVEL];
	if (missed)
		complain(
			"%llu calls came while the same program%s was running, and are not counted",
			missed, s->both.probes ? ", or another probe," : "");
	lost[TRACE_LOST_EVENT] += s->too_late;
	if (lost[TRACE_LOST_EVENT])
		complain("%llu calls came faster than they could be printed, and are not shown",
			 lost[TRACE_LOST_EVENT]);
	if (lost[TRACE_LOST_KEY])
		complain(
			"%llu calls are in no row: the table of --by is full, with %d keys of other calls",
			lost[TRACE_LOST_KEY], TRACE_KEYS);
}
