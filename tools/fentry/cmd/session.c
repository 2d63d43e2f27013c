// SPDX-License-Identifier: GPL-2.0-only
/*
 * A tracing session. One skeleton is loaded for the first target that takes a
 * program; for the others its program is loaded again, sharing the maps: once for
 * all of a BTF object if the kernel has links of many functions, else for each.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"
#include "session.h"
#include "trace.skel.h"
#include "typed.h"

struct attachment {
	int prog_fd;			/* -1: none of its own */
	int link_fd;
	struct trace_plan plan;
};

struct session {
	const struct selection *sel;
	struct session_opts opts;
	struct attachment *attachments;	/* of each target */
	struct trace_bpf *skel;		/* NULL until a target took it */
	struct bpf_program *prog;	/* the one of its programs in use */
	struct fentry_multi *multi;	/* what is attached together; or NULL */
	struct ring_buffer *ring;	/* NULL if calls are only counted */
};

/* The kernel takes 0.1 s to detach one function: more of them are a wait. */
#define DETACH_SILENTLY_MAX 10

static struct trace_bpf *open_skeleton(struct session *s)
{
	struct trace_bpf *skel = trace_bpf__open();

	if (!skel)
		return NULL;
	skel->rodata->count_only = s->opts.count;
	skel->rodata->with_stack = s->opts.stack;
	skel->rodata->own_pid = getpid();
	bpf_map__set_max_entries(skel->maps.counts, s->sel->cnt);
	bpf_map__set_max_entries(skel->maps.plans, s->sel->cnt);
	s->prog = s->opts.exit ? skel->progs.on_exit : skel->progs.on_entry;
	bpf_program__set_autoload(s->opts.exit ? skel->progs.on_entry :
						 skel->progs.on_exit, false);
	return skel;
}

/* Load the skeleton with its program on target @i, for the whole session. */
static int load_skeleton(struct session *s, size_t i, int *prog_fd,
			 struct fentry_error *error)
{
	struct fentry_binding binding = { .target = s->sel->targets[i] };
	struct trace_bpf *skel = open_skeleton(s);
	int err;

	if (!skel)
		return -errno;
	binding.prog = s->prog;
	err = fentry_skeleton__load(skel->skeleton, s->sel->idx, &binding, 1,
				    error);
	if (!err) {
		*prog_fd = dup(bpf_program__fd(s->prog));
		err = *prog_fd < 0 ? -errno : 0;
	}
	if (err)
		trace_bpf__destroy(skel);
	else
		s->skel = skel;
	return err;
}

/* The program must know what to copy before it runs. */
static int set_plan(struct session *s, size_t i, struct fentry_error *error)
{
	const struct fentry_target *target = s->sel->targets[i];
	struct attachment *a = &s->attachments[i];
	__u32 key = i;

	typed__plan(fentry_index__btf(s->sel->idx, target), target->type_id,
		    s->opts.exit, s->opts.brief, &a->plan);
	if (!bpf_map_update_elem(bpf_map__fd(s->skel->maps.plans), &key,
				 &a->plan, BPF_ANY))
		return 0;
	error->err = -errno;
	snprintf(error->msg, sizeof(error->msg), "can't write to a BPF map: %s",
		 strerror(errno));
	return error->err;
}

static int attach_target(struct session *s, size_t i,
			 struct fentry_error *error)
{
	const struct fentry_target *target = s->sel->targets[i];
	struct attachment *a = &s->attachments[i];
	int err, prog_fd, link_fd;

	err = s->skel ? fentry_prog__clone(s->prog, target, &prog_fd, error) :
			load_skeleton(s, i, &prog_fd, error);
	if (err)
		return err;
	err = set_plan(s, i, error);
	if (!err)
		err = fentry_prog__attach(s->sel->idx, prog_fd,
				bpf_program__expected_attach_type(s->prog), i,
				&link_fd, error);
	if (err) {
		close(prog_fd);
		return err;
	}
	a->prog_fd = prog_fd;
	a->link_fd = link_fd;
	return 0;
}

/* Load the skeleton for any target that takes it, without a link. */
static bool load_for_any(struct session *s)
{
	struct fentry_error error;
	int prog_fd, err = -ENOENT;
	size_t i;

	for (i = 0; err && err != -EPERM && i < s->sel->cnt; i++)
		err = load_skeleton(s, i, &prog_fd, &error);
	if (!err)
		close(prog_fd);
	return !err;
}

static int attach_together(struct session *s, struct waiter *w)
{
	struct pace pace = {
		.progress = PROGRESS("attached"), .w = w, .cnt = s->sel->cnt,
	};
	const struct fentry_multi_opts opts = {
		.go_on = pace__go_on, .ctx = &pace,
	};
	struct fentry_error error;
	int err = 0;
	size_t i;

	for (i = 0; !err && i < s->sel->cnt; i++)
		err = set_plan(s, i, &error);
	if (!err)
		err = fentry_multi__attach(s->sel->idx, s->prog,
					   s->sel->targets, s->sel->cnt, &opts,
					   &s->multi, &error);
	progress__end(&pace.progress);
	if (err) {
		complain("%s", error.msg);
		return EXIT_FAILED;
	}
	if (!w->interrupted)
		complain_left_out(s->sel, s->multi);
	return fentry_multi__attached(s->multi) ? 0 : EXIT_FAILED;
}

static int attach_each(struct session *s, struct waiter *w)
{
	struct progress progress = PROGRESS("attached");
	size_t i, attached = 0;

	for (i = 0; i < s->sel->cnt && !waiter__interrupted(w); i++) {
		struct fentry_error error = { .msg = "out of memory" };
		int err;

		progress__show(&progress, i, s->sel->cnt);
		err = attach_target(s, i, &error);
		if (!err) {
			attached++;
			continue;
		}
		progress__end(&progress);
		complain("%s", error.msg);
		if (err == -EPERM)	/* it won't be better with the next */
			return EXIT_FAILED;
	}
	progress__end(&progress);
	if (!attached && w->interrupted)
		complain("interrupted before anything was attached");
	return attached ? 0 : EXIT_FAILED;
}

static int attach_all(struct session *s, struct waiter *w)
{
	/* what no target takes is told of each */
	if (s->sel->cnt > 1 && fentry_has_multi() && load_for_any(s))
		return attach_together(s, w);
	return attach_each(s, w);
}

static int take_event(void *ctx, void *data, size_t size)
{
	const struct session *s = ctx;
	const struct trace_event *event = data;

	(void)size;
	s->opts.on_event(s->opts.ctx, event,
			 &s->attachments[event->target].plan);
	return 0;
}

int session__start(const struct selection *sel, const struct session_opts *opts,
		   struct waiter *w, struct session **ret)
{
	struct session *s = calloc(1, sizeof(*s));
	size_t i;
	int status;

	if (s)
		s->attachments = calloc(sel->cnt, sizeof(*s->attachments));
	if (!s || !s->attachments) {
		free(s);
		complain("out of memory");
		return EXIT_FAILED;
	}
	s->sel = sel;
	s->opts = *opts;
	for (i = 0; i < sel->cnt; i++)
		s->attachments[i].prog_fd = -1;

	status = attach_all(s, w);
	if (!status && !opts->count) {
		s->ring = ring_buffer__new(bpf_map__fd(s->skel->maps.events),
					   take_event, s, NULL);
		if (!s->ring) {
			complain("can't open the ring buffer: %s",
				 strerror(errno));
			status = EXIT_FAILED;
		}
	}
	if (status)
		session__free(s);
	else
		*ret = s;
	return status;
}

/* Those that have a program of their own. */
static void detach_all(struct session *s)
{
	size_t i, done = 0, attached = s->multi ? 0 : session__attached(s);
	struct progress progress = PROGRESS("detached");

	/* nobody shall wonder what it does at all */
	progress.last.tv_sec = attached > DETACH_SILENTLY_MAX;
	for (i = 0; i < s->sel->cnt; i++) {
		if (s->attachments[i].prog_fd < 0)
			continue;
		progress__show(&progress, done++, attached);
		close(s->attachments[i].link_fd);
		close(s->attachments[i].prog_fd);
	}
	progress__end(&progress);
}

void session__free(struct session *s)
{
	if (!s)
		return;
	detach_all(s);
	fentry_multi__free(s->multi);
	ring_buffer__free(s->ring);
	trace_bpf__destroy(s->skel);
	free(s->attachments);
	free(s);
}

static bool is_attached(const struct session *s, size_t i)
{
	return s->multi ? !fentry_multi__why(s->multi, i) :
			  s->attachments[i].prog_fd >= 0;
}

size_t session__attached(const struct session *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->sel->cnt; i++)
		n += is_attached(s, i);
	return n;
}

int session__poll_fd(const struct session *s)
{
	return s->ring ? ring_buffer__epoll_fd(s->ring) : -1;
}

void session__consume(struct session *s)
{
	if (s->ring)
		ring_buffer__consume(s->ring);
}

bool session__count(const struct session *s, size_t i, unsigned long long *ret)
{
	__u32 key = i;

	*ret = 0;
	return is_attached(s, i) &&
	       !bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.counts), &key,
				    ret);
}

void session__stop(struct session *s)
{
	__atomic_store_n(&s->skel->bss->stopped, 1, __ATOMIC_RELEASE);
}

void session__losses(const struct session *s, unsigned long long *missed,
		     unsigned long long *dropped)
{
	__u32 key = 0;
	size_t i;

	*missed = s->multi ? fentry_multi__missed(s->multi) : 0;
	*dropped = 0;
	for (i = 0; i < s->sel->cnt; i++) {
		struct bpf_prog_info info = {};
		__u32 size = sizeof(info);

		if (s->attachments[i].prog_fd >= 0 &&
		    !bpf_obj_get_info_by_fd(s->attachments[i].prog_fd, &info,
					    &size))
			*missed += info.recursion_misses;
	}
	bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.dropped), &key, dropped);
}
