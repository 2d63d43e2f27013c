// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The kernel's tracing_multi links, which libbpf knows from 1.8 on: one program,
 * one link, many BTF ids. Numbers and layouts are of include/uapi/linux/bpf.h,
 * Linux 7.3; what is said of the kernel's ways, of bpf_tracing_multi_attach() and
 * bpf_trampoline_multi_attach() there.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"

/* enum bpf_attach_type */
#define TRACE_FENTRY_MULTI 59
#define TRACE_FEXIT_MULTI  60

/* Sorted last by the kernel, and refused with -EINVAL: no BTF has so many types. */
#define NO_ID 0xffffffffU

/* union bpf_attr's link_create, with tracing_multi */
struct link_create_attr {
	__u32 prog_fd;
	__u32 target_fd;
	__u32 attach_type;
	__u32 flags;
	__aligned_u64 ids;
	__aligned_u64 cookies;
	__u32 cnt;
};

static pthread_once_t probe_once = PTHREAD_ONCE_INIT;
static bool has_multi;

int fentry_multi_type(enum bpf_attach_type type)
{
	return type == BPF_TRACE_FENTRY ? TRACE_FENTRY_MULTI :
	       type == BPF_TRACE_FEXIT	? TRACE_FEXIT_MULTI :
					  -EOPNOTSUPP;
}

int fentry_link__create(void *attr, size_t size)
{
	int fd = syscall(__NR_bpf, BPF_LINK_CREATE, attr, size);

	return fd < 0 ? -errno : fd;
}

int fentry_multi_link__create(int prog_fd, int type, const __u32 *ids, const __u64 *cookies,
			      __u32 cnt)
{
	struct link_create_attr attr = {
		.prog_fd = prog_fd,
		.attach_type = type,
		.ids = (unsigned long)ids,
		.cookies = (unsigned long)cookies,
		.cnt = cnt,
	};

	return fentry_link__create(&attr, sizeof(attr));
}

/*
 * A kernel that knows the attach type may still be of an architecture that has no
 * such links. One that has them refuses the id.
 */
static void probe(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = TRACE_FENTRY_MULTI);
	const __u32 id = NO_ID;
	int fd;

	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "probe", "GPL", insns, 2, &opts);
	if (fd < 0)
		return;
	has_multi = fentry_multi_link__create(fd, TRACE_FENTRY_MULTI, &id, NULL, 1) == -EINVAL;
	close(fd);
}

bool fentry_has_multi(void)
{
	pthread_once(&probe_once, probe);
	return has_multi;
}

/*
 * Would the kernel take all of these ids? It looks at each of them before it
 * patches the first function: with one more behind them that it refuses, it
 * patches none, and says what is wrong with one before that unless it is -EINVAL,
 * too. To know that as well they have to be attached for a moment.
 */
static int try(const struct fentry_sieve *s, size_t from, size_t to)
{
	__u32 cnt = to - from, next = s->ids[to]; /* there is room for one more */
	int fd;

	if (!s->attach) {
		s->ids[to] = NO_ID;
		cnt++;
	}
	fd = fentry_multi_link__create(s->prog_fd, s->type, s->ids + from, NULL, cnt);
	s->ids[to] = next;
	if (fd >= 0)
		close(fd);
	return fd >= 0 || (!s->attach && fd == -EINVAL) ? 0 : fd;
}

static int sieve(const struct fentry_sieve *s, size_t from, size_t to)
{
	size_t mid = from + (to - from) / 2;
	int err;

	if (from == to)
		return 0;
	err = try(s, from, to);
	if (!err || err == -EPERM || err == -ENOMEM || err == -EMFILE)
		return err;
	if (to - from == 1) {
		s->errs[from] = err;
		return 0;
	}
	return sieve(s, from, mid) ?: sieve(s, mid, to);
}

int fentry_sieve__run(const struct fentry_sieve *s)
{
	return sieve(s, 0, s->cnt);
}
