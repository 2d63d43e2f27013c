// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Functions by one tracing_multi link for each BTF object: one program, one link, many BTF ids.
 * libbpf knows these links from 1.8 on. Numbers and layouts are those of include/uapi/linux/bpf.h
 * in Linux 7.3. Comments on the kernel describe its bpf_tracing_multi_attach() and
 * bpf_trampoline_multi_attach().
 *
 * The program of such a link is verified for no function in particular. It may use
 * bpf_get_func_arg() and bpf_get_func_ret(), which get the values of each call, and its cookie
 * tells it which function was called. A program that reads its context has the parameters of one
 * function, and the kernel refuses it in such a link. So it is loaded once for each function, with
 * this function's types, as on kernels without these links. One load for each signature would be no
 * help: a program on a single function has one id, and a program in a link has no parameters.
 *
 * A link is all or nothing, so these functions are left to the next way:
 *  - all functions are of one BTF object, as the program has one attach_btf (BPF_PROG_LOAD);
 *  - a function comes once, or the kernel refuses all. On kernels whose BTF has no addresses,
 *    several FUNCs may be of one function. Linux 7.3 doesn't check that when it attaches, and
 *    WARNs when it detaches (bpf_trampoline_multi_detach()). So each address must be known.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arguments.h"
#include "load.h"
#include "util.h"
#include "way.h"

/* The kernel sorts this id last, and refuses it with -EINVAL: no BTF has so many types. */
#define NO_ID 0xffffffffU

/* enum bpf_attach_type */
#define TRACE_FENTRY_MULTI 59
#define TRACE_FEXIT_MULTI  60

/* union bpf_attr's link_create */
struct create_attr {
	__u32 prog_fd, target_fd, attach_type, flags;
	__aligned_u64 ids, cookies;
	__u32 cnt;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_multi;

/* The attach type for many functions; 0 if a program's own has none. Stock headers lack these. */
static int multi_type(const struct bpf_program *prog)
{
	enum bpf_attach_type type = bpf_program__expected_attach_type(prog);

	return type == BPF_TRACE_FENTRY ? TRACE_FENTRY_MULTI :
	       type == BPF_TRACE_FEXIT	? TRACE_FEXIT_MULTI :
					  0;
}

/* Attach a program of this type to functions, all or none. @cookies may be NULL */
static int create(int prog_fd, int type, const __u32 *ids, const __u64 *cookies, __u32 cnt)
{
	struct create_attr attr = {
		.prog_fd = prog_fd,
		.attach_type = type,
		.ids = (unsigned long)ids,
		.cookies = (unsigned long)cookies,
		.cnt = cnt,
	};
	int fd = syscall(__NR_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : fd;
}

/*
 * A kernel that knows the attach type may still be of an architecture that has no such links. A
 * kernel with such links refuses the id.
 */
static void probe(void)
{
	int fd = fentry_load_idle(BPF_PROG_TYPE_TRACING, TRACE_FENTRY_MULTI);
	const __u32 id = NO_ID;

	if (fd < 0)
		return;
	has_multi = create(fd, TRACE_FENTRY_MULTI, &id, NULL, 1) == -EINVAL;
	close(fd);
}

bool fentry_has_multi(void)
{
	pthread_once(&once, probe);
	return has_multi;
}

/* Functions of one BTF object, on their way into a link. */
struct batch {
	struct fentry_multi *m;
	int prog_fd, type;
	__u32 *ids;	/* with room for one more */
	__u64 *cookies; /* positions of the points */
	int *errs;	/* negative errno of each that the kernel refuses */
	size_t cnt;
	bool attach; /* try to attach them; else only ask */
};

static int batch__init(struct batch *b, struct fentry_multi *m, const size_t *nrs, size_t cnt)
{
	size_t i;

	*b = (struct batch){
		.m = m,
		.type = multi_type(m->prog),
		.cnt = cnt,
		.ids = calloc(cnt + 1, sizeof(*b->ids)),
		.errs = calloc(cnt, sizeof(*b->errs)),
		.cookies = calloc(cnt, sizeof(*b->cookies)),
	};
	if (!b->ids || !b->errs || !b->cookies)
		return -ENOMEM;
	for (i = 0; i < cnt; i++) {
		b->cookies[i] = nrs[i];
		b->ids[i] = m->points[nrs[i]].target->type_id;
	}
	return 0;
}

static void batch__fini(struct batch *b)
{
	free(b->ids);
	free(b->errs);
	free(b->cookies);
}

static int batch__fail(const struct batch *b, int err)
{
	return fentry_error__set(b->m->error, err, "can't attach to %zu functions at once: %s",
				 b->cnt, strerror(-err));
}

/*
 * Would the kernel take all of these ids? It checks every id before it patches the first function.
 * With an invalid id behind the others it patches none, and reports what is wrong with one of the
 * others, unless that error is -EINVAL, too. To find errors of -EINVAL, the functions have to be
 * attached for a moment.
 */
static int try(const struct batch *b, size_t from, size_t to)
{
	__u32 cnt = to - from, next = b->ids[to]; /* there is room for one more */
	int fd;

	if (!b->attach) {
		b->ids[to] = NO_ID;
		cnt++;
	}
	fd = create(b->prog_fd, b->type, b->ids + from, NULL, cnt);
	b->ids[to] = next;
	if (fd >= 0)
		close(fd);
	return fd >= 0 || (!b->attach && fd == -EINVAL) ? 0 : fd;
}

/* Set errs of the ids that the kernel refuses. Nothing is attached afterwards. */
static int sieve(const struct batch *b, size_t from, size_t to)
{
	size_t mid = from + (to - from) / 2;
	int err;

	if (from == to)
		return 0;
	err = try(b, from, to);
	if (!err || err == -EPERM || err == -ENOMEM || err == -EMFILE)
		return err;
	if (to - from == 1) {
		b->errs[from] = err;
		return 0;
	}
	return sieve(b, from, mid) ?: sieve(b, mid, to);
}

/*
 * Functions that the kernel refuses leave the batch: left out, or to the next way, as programs on
 * single functions have other limits.
 */
static int sift(struct batch *b, bool attach)
{
	size_t i, cnt = b->cnt;
	int err;

	b->attach = attach;
	err = sieve(b, 0, cnt);
	if (err)
		return batch__fail(b, err);
	for (b->cnt = 0, i = 0; !err && i < cnt; i++) {
		/* the address is known, so bpf_check_attach_btf_id_multi() found no site */
		if (b->errs[i] == -ENOENT)
			err = fentry_multi__refuse(b->m, b->cookies[i], FENTRY_NO_SITE);
		if (b->errs[i])
			continue;
		b->ids[b->cnt] = b->ids[i];
		b->cookies[b->cnt++] = b->cookies[i];
	}
	memset(b->errs, 0, cnt * sizeof(*b->errs));
	return err;
}

static int create_link(const struct batch *b)
{
	int err, fd, prog_fd;
	size_t i;

	if (!b->cnt)
		return 0;
	fd = create(b->prog_fd, b->type, b->ids, b->cookies, b->cnt);
	if (fd < 0)
		return fd;
	prog_fd = dup(b->prog_fd);
	if (prog_fd < 0) {
		err = -errno;
		close(fd);
		return err;
	}
	for (i = 0; i < b->cnt; i++)
		b->m->points[b->cookies[i]].way = &fentry_way_tracing_multi;
	fentry_multi__add_link(b->m, &fentry_way_tracing_multi, b->cookies[0], prog_fd, fd);
	return 0;
}

static int attach_batch(struct batch *b)
{
	int err;

	err = sift(b, false);
	if (err || !create_link(b))
		return err;
	/* some functions are refused only when the link is made */
	err = sift(b, true);
	if (err)
		return err;
	err = create_link(b);
	return err ? batch__fail(b, err) : 0;
}

size_t fentry_points__group(const struct fentry_point *points, size_t *nrs, size_t cnt)
{
	size_t i, nr, n = 0;

	for (i = 0; i < cnt; i++) {
		nr = nrs[i];
		if (points[nr].target->btf != points[nrs[0]].target->btf)
			continue;
		memmove(nrs + n + 1, nrs + n, (i - n) * sizeof(*nrs));
		nrs[n++] = nr;
	}
	return n;
}

static int attach_group(struct fentry_multi *m, const size_t *nrs, size_t cnt)
{
	struct batch b;
	int err;

	/* one function has a link of its own anyway */
	if (cnt == 1)
		return 0;
	err = batch__init(&b, m, nrs, cnt) ? fentry_error__no_memory(m->error) : 0;
	if (!err && !fentry_prog__clone_multi(m->prog, b.type, m->points[nrs[0]].target, &b.prog_fd,
					      NULL)) {
		err = attach_batch(&b);
		close(b.prog_fd);
	}
	batch__fini(&b);
	return err;
}

static int attach(struct fentry_multi *m, size_t *nrs, size_t cnt)
{
	size_t n;
	int err = 0;

	for (; !err && cnt; nrs += n, cnt -= n) {
		n = fentry_points__group(m->points, nrs, cnt);
		err = attach_group(m, nrs, n);
	}
	return err;
}

static bool takes(const struct fentry_multi *m, const struct fentry_point *p)
{
	return !p->call && p->target->addr && multi_type(m->prog) &&
	       !fentry_prog__reads_by_name(m->prog) && fentry_has_multi();
}

const struct fentry_way fentry_way_tracing_multi = {
	.name = "tracing_multi",
	.takes = takes,
	.attach = attach,
};
