// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * One program on many inlined calls: by one link, if the kernel has such links, else by one for
 * each.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "multi.h"

/* Where a program is attached. */
struct sites {
	const struct fentry_inlined_call *const *calls;
	const char *const *whys; /* of those that aren't tried; may be NULL */
	__u64 *addrs, *cookies;
	size_t cnt;
};

/* What kernel/kprobes.c and arch/x86/kernel/kprobes/ say of a place; others are no call's fault. */
static const char *refusal(int err)
{
	switch (err) {
	case -EINVAL:
		return "the kernel allows no probe there: it patches the place itself (static call, jump label, alternative, BUG()), or the function is notrace";
	case -EILSEQ:
		return "the kernel finds no instruction there that it can put a probe at";
	case -EOPNOTSUPP:
	case -ENOSPC:
		return "the kernel can't execute the instruction elsewhere, as a probe needs it";
	case -ENOENT:
		return "its code is gone";
	case -EINTR:
		return "interrupted";
	default:
		return NULL;
	}
}

static int leave_out_for(struct fentry_multi *m, const struct sites *s, size_t i, int err,
			 const char *why, struct fentry_error *refused)
{
	const struct fentry_inlined_call *call = s->calls[i];
	char label[FENTRY_LABEL_MAX], where[FENTRY_LABEL_MAX];

	fentry_target__label(call->func, label);
	fentry_inlined_call__where(call, where, sizeof(where));
	if (call->section)
		fentry_error__set(refused, err, "can't attach to the inlined call of %s in %s: %s",
				  label, where, why);
	else
		fentry_error__set(refused, err, "can't attach to %s: %s", label, why);
	m->left_out++;
	return fentry_plan__leave_out(&m->plan, i, refused->msg);
}

/* Return 0 if the others can be attached all the same. */
static int leave_out(struct fentry_multi *m, const struct sites *s, size_t i, int err,
		     struct fentry_error *error)
{
	const char *unfit = err == -EINVAL ? fentry_inlined_call__unfit(s->calls[i]) : NULL;
	const char *why = unfit ?: refusal(err);
	struct fentry_error refused;
	char text[256];

	snprintf(text, sizeof(text), "%s%s", unfit ? "it " : "", why ?: strerror(-err));
	if (leave_out_for(m, s, i, err, text, &refused))
		return fentry_error__set(error, -ENOMEM, "out of memory");
	if (why)
		return 0;
	if (error)
		*error = refused;
	return err;
}

static bool is_over(const struct fentry_multi *m)
{
	return m->opts.all_or_none && m->left_out;
}

static bool goes_on(struct fentry_multi *m)
{
	return !m->opts.go_on || m->opts.go_on(m->opts.ctx, m->alone++);
}

/* Those that haven't been left out. */
static void collect(const struct fentry_multi *m, struct sites *s)
{
	size_t i, n = 0;

	for (i = 0; i < m->plan.cnt; i++) {
		if (m->plan.why[i])
			continue;
		s->addrs[n] = s->calls[i]->addr;
		s->cookies[n++] = i;
	}
	s->cnt = n;
}

static void add_link(struct fentry_multi *m, int fd)
{
	m->links[m->link_cnt++] = (struct fentry_multi_link){ -1, fd };
}

static int interrupt(struct fentry_multi *m, const struct sites *s, struct fentry_error *error)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < s->cnt; i++)
		err = leave_out(m, s, s->cookies[i], -EINTR, error);
	return err;
}

/*
 * The kernel takes all or none, and says which address it refuses. What is before that needs no
 * other try, so each starts behind the last one that was refused. When none is any more, all are
 * attached at once.
 */
static int attach_at_once(struct fentry_multi *m, struct sites *s, struct fentry_error *error)
{
	int fd, err = 0, prog_fd = bpf_program__fd(m->prog);
	size_t from = 0;
	__u32 failed;

	for (collect(m, s); s->cnt && !err && !is_over(m); collect(m, s)) {
		from = from < s->cnt ? from : 0;
		if (!goes_on(m))
			return interrupt(m, s, error);
		fd = fentry_probe_link__create(prog_fd, s->addrs + from, s->cookies + from,
					       s->cnt - from, &failed);
		if (fd >= 0 && !from) {
			add_link(m, fd);
			return 0;
		}
		if (fd >= 0) {
			close(fd);
			from = 0;
			continue;
		}
		if (failed >= s->cnt - from)
			return fentry_error__set(error, fd,
						 "can't attach to %zu inlined calls at once: %s",
						 s->cnt - from, strerror(-fd));
		from += failed;
		err = leave_out(m, s, s->cookies[from], fd, error);
	}
	return err;
}

static int attach_each(struct fentry_multi *m, const struct sites *s, struct fentry_error *error)
{
	int fd, err = 0, type = fentry_probe_event__type(), prog_fd = bpf_program__fd(m->prog);
	size_t i;

	if (!type)
		return fentry_error__set(
			error, -ENODEV,
			"can't attach to inlined calls: this kernel has no probes (CONFIG_KPROBE_EVENTS)");
	for (i = 0; i < m->plan.cnt && !err && !is_over(m); i++) {
		if (m->plan.why[i])
			continue;
		fd = goes_on(m) ? fentry_probe_event__create(type, prog_fd, s->calls[i]->addr, i) :
				  -EINTR;
		if (fd >= 0)
			add_link(m, fd);
		else
			err = leave_out(m, s, i, fd, error);
	}
	return err;
}

/* What is known to be refused need not be tried. */
static int check(struct fentry_multi *m, const struct sites *s, struct fentry_error *error)
{
	struct fentry_error refused;
	size_t i;
	int err = 0;

	for (i = 0; i < m->plan.cnt && !err; i++) {
		if (s->whys && s->whys[i]) {
			if (leave_out_for(m, s, i, -ENODATA, s->whys[i], &refused))
				return fentry_error__set(error, -ENOMEM, "out of memory");
			continue;
		}
		if (!s->calls[i]->addr)
			return fentry_error__set(
				error, -ENODATA,
				"can't tell where section %s of %s is: run as root",
				s->calls[i]->section ?: ".text", s->calls[i]->module ?: "vmlinux");
		if (fentry_inlined_call__unfit(s->calls[i]))
			err = leave_out(m, s, i, -EINVAL, error);
	}
	return err;
}

static int attach(struct fentry_multi *m, struct sites *s, struct fentry_error *error)
{
	int err;

	err = check(m, s, error);
	if (!err && bpf_program__expected_attach_type(m->prog) == BPF_TRACE_KPROBE_MULTI)
		err = attach_at_once(m, s, error);
	else if (!err)
		err = attach_each(m, s, error);
	if (!is_over(m))
		return err;
	while (fentry_multi__detach_one(m))
		;
	m->left_out = m->plan.cnt;
	return err;
}

static struct fentry_multi *new_multi(const struct bpf_program *prog, size_t cnt)
{
	struct fentry_multi *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->prog = prog;
	m->plan.cnt = cnt;
	m->links = calloc(cnt + 1, sizeof(*m->links));
	m->plan.why = calloc(cnt + 1, sizeof(*m->plan.why));
	if (m->links && m->plan.why)
		return m;
	fentry_multi__free(m);
	return NULL;
}

int fentry_multi__attach_calls(const struct bpf_program *prog,
			       const struct fentry_inlined_call *const *calls,
			       const char *const *whys, size_t cnt,
			       const struct fentry_multi_opts *opts, struct fentry_multi **ret,
			       struct fentry_error *error)
{
	struct sites s = {
		.calls = calls,
		.whys = whys,
		.addrs = calloc(cnt + 1, sizeof(*s.addrs)),
		.cookies = calloc(cnt + 1, sizeof(*s.cookies)),
	};
	struct fentry_multi *m = new_multi(prog, cnt);
	int err;

	if (!s.addrs || !s.cookies || !m)
		err = fentry_error__set(error, -ENOMEM, "out of memory");
	else
		err = fentry_opts__copy(&m->opts, sizeof(m->opts), opts, error) ?:
			      attach(m, &s, error);
	free(s.addrs);
	free(s.cookies);
	if (err)
		fentry_multi__free(m);
	else
		*ret = m;
	return err;
}

int fentry_multi__attach_inlined(const struct bpf_program *prog,
				 const struct fentry_inlined_call *const *calls, size_t cnt,
				 const struct fentry_multi_opts *opts, struct fentry_multi **ret,
				 struct fentry_error *error)
{
	return fentry_multi__attach_calls(prog, calls, NULL, cnt, opts, ret, error);
}
