// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Probes at many points by one kprobe_multi link: at entries of functions (CONFIG_FPROBE), at their
 * returns, or in a session (6.10) at both; or, with BPF_F_KPROBE_MULTI_ANY, at any instructions.
 * Points go by address: of a name, the kernel takes
 * the lowest of several symbols. libbpf knows neither that flag nor which address was refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ftrace.h"
#include "util.h"
#include "way.h"

#define NOT_WRITTEN 0xffffffffU

/* union bpf_attr's link_create */
struct create_attr {
	__u32 prog_fd, target_fd, attach_type, unused;
	__u32 flags, cnt;
	__aligned_u64 syms, addrs, cookies;
	__u32 failed; /* the kernel writes to it */
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_any, has_entries, has_sessions;

int fentry_probe_link__create(int prog_fd, int type, __u32 flags, const __u64 *addrs,
			      const __u64 *cookies, __u32 cnt, __u32 *failed)
{
	struct create_attr attr = {
		.prog_fd = prog_fd,
		.attach_type = type,
		.flags = flags,
		.cnt = cnt,
		.addrs = (unsigned long)addrs,
		.cookies = (unsigned long)cookies,
		/* before Linux 6.6, any link with this set is refused */
		.failed = flags & FENTRY_PROBES_ANY ? NOT_WRITTEN : 0,
	};
	int fd = syscall(__NR_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	fd = fd < 0 ? -errno : fd;
	if (fd < 0)
		*failed = flags & FENTRY_PROBES_ANY ? attr.failed : NOT_WRITTEN;
	return fd;
}

/*
 * Try a link. No code is at address 1. A kernel that knows the flag says that it refuses the first
 * address. One without CONFIG_FPROBE has no such links, whatever the address.
 */
static int try_link(int type, __u32 flags, __u32 *failed)
{
	int fd = fentry_load_idle(BPF_PROG_TYPE_KPROBE, type), link;
	const __u64 addr = 1, cookie = 0;

	*failed = NOT_WRITTEN;
	if (fd < 0)
		return -EOPNOTSUPP;
	link = fentry_probe_link__create(fd, type, flags, &addr, &cookie, 1, failed);
	if (link >= 0)
		close(link);
	close(fd);
	return link;
}

static void probe(void)
{
	__u32 failed;

	has_any = try_link(BPF_TRACE_KPROBE_MULTI, FENTRY_PROBES_ANY, &failed) < 0 && !failed;
	has_entries = try_link(BPF_TRACE_KPROBE_MULTI, FENTRY_PROBES_ENTRY, &failed) != -EOPNOTSUPP;
	has_sessions = try_link(FENTRY_KPROBE_SESSION, 0, &failed) != -EOPNOTSUPP;
}

bool fentry_has_probe_links(void)
{
	pthread_once(&once, probe);
	return has_any;
}

bool fentry_has_entry_links(void)
{
	pthread_once(&once, probe);
	return has_entries;
}

bool fentry_has_session_links(void)
{
	pthread_once(&once, probe);
	return has_sessions;
}

/* Points on their way into a link. */
struct batch {
	struct fentry_multi *m;
	const struct fentry_way *way;
	__u32 flags; /* of the link */
	__u64 *addrs, *cookies;
	size_t cnt;
	bool sifted; /* those without an ftrace site have been left out */
};

/* Collect the points that haven't been left out. */
static void collect(struct batch *b, const size_t *nrs, size_t cnt)
{
	size_t i;

	for (b->cnt = i = 0; i < cnt; i++) {
		if (b->m->points[nrs[i]].why)
			continue;
		b->addrs[b->cnt] = b->m->points[nrs[i]].call->addr;
		b->cookies[b->cnt++] = nrs[i];
	}
}

static int create(const struct batch *b, size_t from, size_t to, __u32 *failed)
{
	return fentry_probe_link__create(bpf_program__fd(b->m->prog),
					 bpf_program__expected_attach_type(b->m->prog), b->flags,
					 b->addrs + from, b->cookies + from, to - from, failed);
}

static int refuse(struct batch *b, size_t i, int err)
{
	return fentry_multi__refuse_probe(b->m, b->cookies[i], err);
}

/* Leave out entries that ftrace doesn't know. Returns whether there are any; or an error. */
static int sift(struct batch *b)
{
	int fd = open("/sys/kernel/tracing/" FENTRY_FTRACE_SITES, O_RDONLY | O_CLOEXEC);
	struct fentry_ftrace f = {};
	bool known = fd >= 0 && fentry_ftrace__read(fd, &f) && f.cnt;
	int err = 0, found = 0;
	size_t i;

	if (fd >= 0)
		close(fd);
	for (i = 0; known && !err && i < b->cnt; i++) {
		if (fentry_ftrace__has(&f, b->addrs[i], b->addrs[i] + FENTRY_SITE_OFFSET_MAX))
			continue;
		found = 1;
		err = fentry_multi__refuse(b->m, b->cookies[i], FENTRY_NO_SITE);
	}
	fentry_ftrace__free(&f);
	b->sifted = true;
	return err ?: found;
}

/* The kernel doesn't say which entry it refuses: try the halves. Each try takes its time. */
static int sieve(struct batch *b, size_t from, size_t to)
{
	size_t mid = from + (to - from) / 2;
	__u32 failed;
	int fd = create(b, from, to, &failed);

	if (fd >= 0)
		return close(fd), 0;
	if (to - from == 1 || (fd != -EINVAL && fd != -ENOENT))
		return refuse(b, from, fd);
	return sieve(b, from, mid) ?: sieve(b, mid, to);
}

static int interrupt(struct batch *b)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < b->cnt; i++)
		err = refuse(b, i, -EINTR);
	return err;
}

/*
 * Try the points from *@from on. The kernel takes all addresses or none, and may say which one it
 * refuses. It has accepted those before, so the next try starts behind the refused one. When that
 * succeeds, one link is made for all. Returns 1 if it is made.
 */
static int try(struct batch *b, size_t *from)
{
	size_t i;
	__u32 failed;
	int err, fd;

	if (*from >= b->cnt)
		*from = 0;
	if (!fentry_multi__goes_on(b->m))
		return interrupt(b);
	fd = create(b, *from, b->cnt, &failed);
	if (fd >= 0 && *from) {
		close(fd);
		*from = 0;
		return 0;
	}
	if (fd >= 0) {
		for (i = 0; i < b->cnt; i++)
			b->m->points[b->cookies[i]].way = b->way;
		fentry_multi__add_link(b->m, b->way, b->cookies[0], -1, fd);
		return 1;
	}
	if (b->flags != FENTRY_PROBES_ANY && (fd == -EINVAL || fd == -ENOENT)) {
		err = b->sifted || b->cnt == 1 ? 0 : sift(b);
		return err < 0 ? err : err ? 0 : sieve(b, 0, b->cnt);
	}
	if (failed >= b->cnt - *from)
		return fentry_error__set(b->m->error, fd, "can't attach to %zu places at once: %s",
					 b->cnt - *from, strerror(-fd));
	*from += failed;
	return refuse(b, *from, fd);
}

static int attach_by(const struct fentry_way *way, struct fentry_multi *m, const size_t *nrs,
		     size_t cnt)
{
	struct batch b = {
		.m = m,
		.way = way,
		.flags = m->opts.exit ? FENTRY_PROBES_RETURN : FENTRY_PROBES_ENTRY,
		.addrs = calloc(cnt, sizeof(*b.addrs)),
		.cookies = calloc(cnt, sizeof(*b.cookies)),
	};
	int err = b.addrs && b.cookies ? 0 : fentry_error__no_memory(m->error);
	size_t i, from = 0;

	for (i = 0; i < cnt; i++)
		if (m->points[nrs[i]].call->section)
			b.flags = FENTRY_PROBES_ANY;
	while (!err && !(m->opts.all_or_none && m->left_out)) {
		collect(&b, nrs, cnt);
		if (!b.cnt)
			break;
		err = try(&b, &from);
	}
	free(b.addrs);
	free(b.cookies);
	return err < 0 ? err : 0;
}

static bool takes(const struct fentry_multi *m, const struct fentry_point *p)
{
	return p->call && bpf_program__expected_attach_type(m->prog) == BPF_TRACE_KPROBE_MULTI;
}

static int attach(struct fentry_multi *m, size_t *nrs, size_t cnt)
{
	return attach_by(&fentry_way_kprobe_multi, m, nrs, cnt);
}

const struct fentry_way fentry_way_kprobe_multi = {
	.name = "kprobe_multi",
	.takes = takes,
	.attach = attach,
	.missed = fentry_probe_link__missed,
};

/* An inlined call has no return. */
static bool takes_session(const struct fentry_multi *m, const struct fentry_point *p)
{
	return p->call && !p->call->section &&
	       (int)bpf_program__expected_attach_type(m->prog) == FENTRY_KPROBE_SESSION;
}

static int attach_session(struct fentry_multi *m, size_t *nrs, size_t cnt)
{
	return attach_by(&fentry_way_kprobe_session, m, nrs, cnt);
}

const struct fentry_way fentry_way_kprobe_session = {
	.name = "kprobe_session",
	.takes = takes_session,
	.attach = attach_session,
	.missed = fentry_probe_link__missed,
};
