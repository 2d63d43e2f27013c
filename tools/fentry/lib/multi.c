// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A program on many functions, or on many inlined calls, by the ways that there are. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "array.h"
#include "arguments.h"
#include "index.h"
#include "load.h"
#include "util.h"
#include "way.h"

/* Each point gets the first way that takes it and succeeds. */
static const struct fentry_way *const ways[] = {
	&fentry_way_tracing_multi,  &fentry_way_trampoline, &fentry_way_kprobe_multi,
	&fentry_way_kprobe_session, &fentry_way_perf_event, &fentry_way_trace_event,
};

static int leave_out_as_other(struct fentry_multi *m)
{
	const char *why;
	size_t i;
	int err = 0;

	for (i = 0; !err && m->opts.like && i < m->cnt; i++) {
		why = fentry_multi__why(m->opts.like, i);
		if (why && !m->points[i].why)
			err = fentry_multi__leave_out(m, i, why);
	}
	return err;
}

static int check_function(struct fentry_multi *m, size_t i)
{
	struct fentry_error why;

	return fentry_target__check_fit(m->points[i].target, m->opts.exit, &why) ?
		       fentry_multi__leave_out(m, i, why.msg) :
		       0;
}

/* The kernel hides all addresses or none. */
static const char *why_no_addr(const struct fentry_index *idx)
{
	size_t i = 0;

	while (i < idx->cnt && !idx->targets[i].addr)
		i++;
	return i == idx->cnt ?
		       "its address is hidden from this user (kernel.kptr_restrict, CAP_SYSLOG)" :
		       "its address isn't known";
}

static int check_probe(struct fentry_multi *m, size_t i)
{
	const struct fentry_inlined_call *call = m->points[i].call;

	if (call->section && m->opts.exit)
		return fentry_error__set(m->error, -EINVAL, "inlined calls don't return");
	if (fentry_target__is_coming(call->func))
		return 0;
	if (!call->addr && !call->section) {
		if (!m->no_addr)
			m->no_addr = why_no_addr(call->func->idx);
		return fentry_multi__refuse(m, i, m->no_addr);
	}
	if (!call->addr)
		return fentry_error__set(
			m->error, -ENODATA,
			"can't tell where section %s of %s is: addresses are hidden from this user (kernel.kptr_restrict, CAP_SYSLOG)",
			call->section, call->module ?: "vmlinux");
	return fentry_inlined_call__unfit(call) ? fentry_multi__refuse_probe(m, i, -EINVAL) : 0;
}

static bool is_function(const struct fentry_point *p)
{
	return !p->call || !p->call->section;
}

/* By address; equal ones in the order in which they were given. */
static int cmp_addr(const void *a, const void *b, void *points)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	__u64 x_addr = ((const struct fentry_point *)points)[x].target->addr;
	__u64 y_addr = ((const struct fentry_point *)points)[y].target->addr;

	return cmp_int(x_addr, y_addr) ?: cmp_int(x, y);
}

/* Of functions at one address, keep only the first one. */
static int leave_out_repeated(struct fentry_multi *m)
{
	size_t i, n = 0, *order = calloc(m->cnt + 1, sizeof(*order));
	const struct fentry_point *p = m->points;
	int err = 0;

	if (!order)
		return fentry_error__no_memory(m->error);
	for (i = 0; i < m->cnt; i++)
		if (!p[i].why && is_function(&p[i]) && p[i].target->addr)
			order[n++] = i;
	if (n)
		qsort_r(order, n, sizeof(*order), cmp_addr, m->points);
	for (i = 1; !err && i < n; i++)
		if (p[order[i - 1]].target->addr == p[order[i]].target->addr)
			err = fentry_multi__refuse(m, order[i], "it is given twice");
	free(order);
	return err;
}

int fentry_multi__check(struct fentry_multi *m)
{
	int err = leave_out_as_other(m);
	size_t i;

	for (i = 0; !err && i < m->cnt; i++) {
		if (m->points[i].why)
			continue;
		err = m->points[i].call ? check_probe(m, i) : check_function(m, i);
	}
	return err ?: leave_out_repeated(m);
}

/* Attach the program in one way to all points that are left for it. @nrs: room for all */
static int attach_in(struct fentry_multi *m, const struct fentry_way *way, size_t *nrs)
{
	size_t i, n = 0;

	for (i = 0; i < m->cnt; i++)
		if (!m->points[i].why && !m->points[i].way && way->takes(m, &m->points[i]))
			nrs[n++] = i;
	return n ? way->attach(m, nrs, n) : 0;
}

static bool is_over(const struct fentry_multi *m)
{
	return m->opts.all_or_none && m->left_out;
}

static int attach(struct fentry_multi *m)
{
	size_t i, *nrs = calloc(m->cnt + 1, sizeof(*nrs));
	int err = nrs ? fentry_multi__check(m) : fentry_error__no_memory(m->error);

	for (i = 0; !err && i < ARRAY_SIZE(ways) && !is_over(m); i++)
		err = attach_in(m, ways[i], nrs);
	free(nrs);
	if (!is_over(m))
		return err;
	while (fentry_multi__detach_one(m))
		;
	m->left_out = m->cnt;
	return err;
}

/* Without a target and a call in each point. @ret: to be freed in any case */
static int new_multi(const struct bpf_program *prog, size_t cnt,
		     const struct fentry_multi_opts *opts, struct fentry_multi **ret,
		     struct fentry_error *error)
{
	struct fentry_multi *m = calloc(1, sizeof(*m));

	*ret = m;
	if (!m)
		return fentry_error__no_memory(error);
	m->prog = prog;
	m->error = error;
	m->cnt = cnt;
	m->links = calloc(cnt + 1, sizeof(*m->links));
	m->points = calloc(cnt + 1, sizeof(*m->points));
	if (!m->links || !m->points)
		return fentry_error__no_memory(error);
	return fentry_opts__copy(&m->opts, sizeof(m->opts), opts, error);
}

/* Hand over what is attached, unless something failed. */
static int finish(struct fentry_multi *m, int err, struct fentry_multi **ret)
{
	if (err) {
		fentry_multi__free(m);
		return err;
	}
	m->error = NULL;
	*ret = m;
	return 0;
}

int fentry_multi__attach_points(const struct bpf_program *prog,
				const struct fentry_target *const *targets,
				const struct fentry_inlined_call *const *calls,
				const char *const *whys, size_t cnt,
				const struct fentry_multi_opts *opts, struct fentry_multi **ret,
				struct fentry_error *error)
{
	struct fentry_multi *m;
	int err = new_multi(prog, cnt, opts, &m, error);
	size_t i;

	if (!err && !calls)
		m->opts.exit = bpf_program__expected_attach_type(prog) == BPF_TRACE_FEXIT;
	for (i = 0; !err && i < cnt; i++) {
		m->points[i].target = calls ? calls[i]->func : targets[i];
		m->points[i].call = calls ? calls[i] : NULL;
		if (whys && whys[i])
			err = fentry_multi__refuse(m, i, whys[i]);
	}
	return finish(m, err ?: attach(m), ret);
}

int fentry_multi__attach(const struct bpf_program *prog, const struct fentry_target *const *targets,
			 size_t cnt, const struct fentry_multi_opts *opts,
			 struct fentry_multi **ret, struct fentry_error *error)
{
	return fentry_multi__attach_points(prog, targets, NULL, NULL, cnt, opts, ret, error);
}

int fentry_multi__attach_inlined(const struct bpf_program *prog,
				 const struct fentry_inlined_call *const *calls, size_t cnt,
				 const struct fentry_multi_opts *opts, struct fentry_multi **ret,
				 struct fentry_error *error)
{
	return fentry_multi__attach_points(prog, NULL, calls, NULL, cnt, opts, ret, error);
}

int fentry_prog__attach_section(const struct bpf_program *prog, const struct fentry_index *idx,
				const struct fentry_multi_opts *opts, struct fentry_multi **ret,
				struct fentry_error *error)
{
	const struct fentry_arguments *a = fentry_arguments__of(prog);
	const struct fentry_target **found;
	size_t cnt;
	int err;

	if (!a || a->bound)
		return fentry_error__set(
			error, -EINVAL,
			"program '%s' wasn't loaded for the function in its section",
			bpf_program__name(prog));
	err = fentry_prog__resolve_section(prog, idx, &found, &cnt, error);
	if (err)
		return err;
	err = fentry_multi__attach(prog, found, cnt, opts, ret, error);
	if (err)
		free(found);
	else
		(*ret)->owned = found;
	return err;
}

const char *fentry_multi__why(const struct fentry_multi *m, size_t i)
{
	return m->points[i].why;
}

const char *fentry_multi__by(const struct fentry_multi *m, size_t i)
{
	return m->points[i].way ? m->points[i].way->name : NULL;
}

size_t fentry_multi__cnt(const struct fentry_multi *m)
{
	return m->cnt;
}

size_t fentry_multi__attached(const struct fentry_multi *m)
{
	return m->cnt - m->left_out;
}

size_t fentry_multi__links(const struct fentry_multi *m)
{
	return m->link_cnt;
}

static unsigned long long missed_by(int prog_fd)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);

	return bpf_obj_get_info_by_fd(prog_fd, &info, &size) ? 0 : info.recursion_misses;
}

unsigned long long fentry_multi__missed(const struct fentry_multi *m)
{
	const struct fentry_multi_link *l;
	unsigned long long missed = 0;
	bool is_shared = false;

	for_each(l, m->links, m->link_cnt) {
		missed += l->way->missed ? l->way->missed(l->fd) : 0;
		missed += l->prog_fd < 0 ? 0 : missed_by(l->prog_fd);
		is_shared |= l->prog_fd < 0;
	}
	return missed + (is_shared ? missed_by(bpf_program__fd(m->prog)) : 0);
}

bool fentry_multi__tells_missed(const struct fentry_multi *m)
{
	return !m->link_cnt || !m->links->way->missed || fentry_probe_link__tells(m->links->fd);
}

bool fentry_multi__detach_one(struct fentry_multi *m)
{
	struct fentry_multi_link *l;

	if (!m->link_cnt)
		return false;
	l = &m->links[--m->link_cnt];
	close(l->fd);
	if (l->prog_fd >= 0)
		close(l->prog_fd);
	if (l->way->forget)
		l->way->forget(l->event);
	return true;
}

void fentry_multi__free(struct fentry_multi *m)
{
	size_t i;

	if (!m)
		return;
	while (fentry_multi__detach_one(m))
		;
	free(m->links);
	for (i = 0; m->points && i < m->cnt; i++)
		free(m->points[i].why);
	free(m->points);
	free(m->owned);
	free(m);
}
