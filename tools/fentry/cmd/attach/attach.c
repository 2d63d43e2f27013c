// SPDX-License-Identifier: GPL-2.0-only
/* A program on the functions of a selection, or on its inlined calls; or two on each function. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attach/attach.h"
#include "attach/inlined.h"
#include "attach/left_out.h"
#include "kernel/access.h"
#include "kernel/verdict.h"

/* Removing a link takes the kernel 0.1 s: the user has to wait for more of them. */
#define DETACH_SILENTLY_MAX 10

/* How far something slow is: one line on stderr, rewritten if that is possible. */
struct progress {
	const char *what;
	struct timespec last; /* when it was shown last; 0: not yet, wait for a second */
	bool terminal, shown;
};

#define PROGRESS(_what)                                         \
	{                                                       \
		.what = (_what), .terminal = use_colour(stderr) \
	}

/* Where attaching has to go one by one. */
struct pace {
	struct progress progress;
	struct waiter *w;
	size_t cnt;
};

/* Say it, once a second. */
static void progress__show(struct progress *p, size_t done, size_t cnt)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!p->last.tv_sec)
		p->last = now;
	if (now.tv_sec - p->last.tv_sec - (now.tv_nsec < p->last.tv_nsec) < 1)
		return;
	p->last = now;
	p->shown = true;
	fprintf(stderr, "%sfentry: %s %zu of %zu%s", p->terminal ? "\r" : "", p->what, done, cnt,
		p->terminal ? "" : "\n");
}

/* Take away what was said on a terminal. */
static void progress__end(struct progress *p)
{
	if (p->shown && p->terminal)
		fputs("\r\033[K", stderr);
}

void complain_unloaded(const struct selection *sel, const struct fentry_error *first)
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

int open_skeleton_failed(struct fentry_error *error)
{
	*error = (struct fentry_error){ .err = -errno };
	snprintf(error->msg, sizeof(error->msg), "can't open the BPF object: %s",
		 libbpf_text(error->err));
	return error->err;
}

int open_ring(const struct bpf_map *map, ring_buffer_sample_fn on_event, void *ctx,
	      struct ring_buffer **ret)
{
	*ret = ring_buffer__new(bpf_map__fd(map), on_event, ctx, NULL);
	if (*ret)
		return 0;
	complain("can't open the ring buffer: %s", libbpf_text(-errno));
	return EXIT_FAILED;
}

static bool go_on(void *ctx, size_t done)
{
	struct pace *p = ctx;

	progress__show(&p->progress, done, p->cnt);
	return !waiter__interrupted(p->w);
}

void complain_left_out(const struct selection *sel, const struct fentry_multi *multi)
{
	struct left_out left_out = {};
	struct verdicts *v = NULL;
	char label[LABEL_MAX];
	const char *why;
	size_t i;

	for (i = 0; i < sel->cnt; i++) {
		why = fentry_multi__why(multi, i);
		if (!why)
			continue;
		if (!v)
			verdicts__load(sel->idx, true, &v);
		if (left_out__add_untraceable(&left_out, v, sel->targets[i]))
			continue;
		fentry_target__label(sel->targets[i], label);
		left_out__add(&left_out, label, why);
	}
	left_out__complain(&left_out);
	verdicts__free(v);
}

int attach_to(const struct selection *sel, const struct bpf_program *prog, const char *what,
	      struct waiter *w, struct fentry_multi **ret)
{
	struct pace pace = { .progress = PROGRESS(what), .w = w, .cnt = sel->cnt };
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
		complain_left_out(sel, *ret);
	else if (!fentry_multi__attached(*ret))
		complain("interrupted before anything was attached");
	return fentry_multi__attached(*ret) ? 0 : EXIT_FAILED;
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

static void complain_left_out_calls(const struct selection *sel, size_t first,
				    const struct fentry_multi *multi)
{
	struct left_out left_out = { .inlined = true };
	struct verdicts *v = NULL;
	const char *why;
	size_t i;

	for (i = first; i < sel->cnt; i++) {
		why = fentry_multi__why(multi, i - first);
		if (!why)
			continue;
		if (!v)
			verdicts__load(sel->idx, true, &v);
		add_left_out_call(&left_out, sel->site_of[i]->call, why, v);
	}
	left_out__complain(&left_out);
	verdicts__free(v);
}

int attach_to_inlined(const struct selection *sel, size_t first, const struct bpf_program *prog,
		      bool best_effort, struct waiter *w, struct fentry_multi **ret)
{
	size_t i, cnt = sel->cnt - first;
	const struct fentry_inlined_call **calls = calloc(cnt + 1, sizeof(*calls));
	struct pace pace = { .progress = PROGRESS("attached to inlined calls"),
			     .w = w,
			     .cnt = cnt };
	LIBBPF_OPTS(fentry_multi_opts, opts, .go_on = go_on, .ctx = &pace,
		    .all_or_none = !best_effort);
	struct fentry_error error;
	int err;

	*ret = NULL;
	if (!calls)
		return no_memory();
	for (i = 0; i < cnt; i++)
		calls[i] = sel->site_of[first + i]->call;
	err = fentry_multi__attach_inlined(prog, calls, cnt, &opts, ret, &error);
	free(calls);
	progress__end(&pace.progress);
	if (err)
		return complain_error(&error);
	if (w->interrupted)
		return 0;
	complain_left_out_calls(sel, first, *ret);
	if (best_effort || fentry_multi__attached(*ret) == cnt)
		return 0;
	complain("nothing is traced, as calls would be missing: --best-effort leaves them out");
	return EXIT_FAILED;
}

void detach(struct fentry_multi *multi)
{
	size_t i, cnt = multi ? fentry_multi__links(multi) : 0;
	struct progress progress = PROGRESS("detached");

	/*
	 * If there are many, say so at once: the user should not wonder what
	 * takes so long.
	 */
	progress.last.tv_sec = cnt > DETACH_SILENTLY_MAX;
	for (i = 0; i < cnt; i++) {
		progress__show(&progress, i, cnt);
		fentry_multi__detach_one(multi);
	}
	progress__end(&progress);
	fentry_multi__free(multi);
}

/*
 * The ends come first, as there are functions to whose end no program can be attached; then
 * come the starts of the others.
 */
int both__attach(const struct selection *sel, const struct bpf_program *entry,
		 const struct bpf_program *exit, struct waiter *w, struct both *ret)
{
	size_t i, n = 0;
	int status;

	*ret = (struct both){
		.exits.idx = sel->idx,
		.exits.targets = calloc(sel->cnt, sizeof(*ret->exits.targets)),
		.attached = calloc(sel->cnt, sizeof(*ret->attached)),
	};
	if (!ret->exits.targets || !ret->attached)
		return no_memory();
	status = attach_to(sel, exit, "attached to the end of", w, &ret->exit);
	if (status)
		return status;
	for (i = 0; i < sel->cnt; i++)
		if (!fentry_multi__why(ret->exit, i))
			ret->exits.targets[ret->exits.cnt++] = sel->targets[i];
	status = attach_to(&ret->exits, entry, "attached to the start of", w, &ret->entry);
	for (i = 0; !status && i < sel->cnt; i++)
		if (!fentry_multi__why(ret->exit, i))
			ret->attached[i] = !fentry_multi__why(ret->entry, n++);
	return status;
}

void both__detach(struct both *both)
{
	detach(both->entry);
	detach(both->exit);
	free(both->exits.targets);
	free(both->attached);
}

void both__losses(const struct both *both, int cpus_fd, struct pair_cpu *ret)
{
	int i, cpu_cnt = libbpf_num_possible_cpus();
	struct pair_cpu *cpus = calloc(cpu_cnt, sizeof(*cpus));
	__u32 key = 0;

	/* the programs at the start count what they missed at the end */
	*ret = (struct pair_cpu){ .missed = fentry_multi__missed(both->exit) };
	if (!cpus || bpf_map_lookup_elem(cpus_fd, &key, cpus)) {
		complain("can't read how many calls were missed");
		cpu_cnt = 0;
	}
	for (i = 0; i < cpu_cnt; i++) {
		ret->missed += cpus[i].missed;
		ret->unpaired += cpus[i].unpaired;
		ret->no_room += cpus[i].no_room;
	}
	free(cpus);
}
