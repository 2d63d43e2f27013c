// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The kernel's tracing_multi links, which libbpf knows from 1.8 on: one program, one link, many BTF
 * ids. Numbers and layouts are those of include/uapi/linux/bpf.h in Linux 7.3. Comments on the
 * kernel describe its bpf_tracing_multi_attach() and bpf_trampoline_multi_attach().
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "links.h"
#include "util.h"

/* enum bpf_attach_type */
#define TRACE_FENTRY_MULTI 59
#define TRACE_FEXIT_MULTI  60

#define KPROBE_TYPE   "/sys/bus/event_source/devices/kprobe/type"
#define KPROBE_RETURN (1U << 0) /* of a perf event's config */
#define NOT_WRITTEN   0xffffffffU

/* union bpf_attr's link_create */
struct create_attr {
	__u32 prog_fd, target_fd, attach_type, flags;
	union {
		struct {
			__aligned_u64 ids, cookies;
			__u32 cnt;
		} multi; /* tracing_multi */
		struct {
			__u32 flags, cnt;
			__aligned_u64 syms, addrs, cookies;
			__u32 failed; /* the kernel writes to it */
		} probes;	      /* kprobe_multi */
	};
};

/* struct bpf_link_info, with the fields of probes */
struct link_info {
	__u32 type, id, prog_id, pad;
	union {
		struct {
			__u32 type, pad;
			__aligned_u64 name;
			__u32 name_len, offset;
			__u64 addr, missed;
		} event;
		struct {
			__aligned_u64 addrs;
			__u32 cnt, flags;
			__u64 missed;
		} multi;
	};
};

static pthread_once_t multi_once = PTHREAD_ONCE_INIT, probes_once = PTHREAD_ONCE_INIT;
static bool has_multi, has_probes, has_entries;

static int create_link(struct create_attr *attr)
{
	int fd = syscall(__NR_bpf, BPF_LINK_CREATE, attr, sizeof(*attr));

	return fd < 0 ? -errno : fd;
}

/* Load a program that does nothing, to try what the kernel has. Returns its file descriptor. */
static int load_idle(enum bpf_prog_type type, int attach_type)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach_type);

	return bpf_prog_load(type, "probe", "GPL", insns, 2, &opts);
}

int fentry_multi_type(enum bpf_attach_type type)
{
	return type == BPF_TRACE_FENTRY ? TRACE_FENTRY_MULTI :
	       type == BPF_TRACE_FEXIT	? TRACE_FEXIT_MULTI :
					  -EOPNOTSUPP;
}

int fentry_multi_link__create(int prog_fd, int type, const __u32 *ids, const __u64 *cookies,
			      __u32 cnt)
{
	struct create_attr attr = {
		.prog_fd = prog_fd,
		.attach_type = type,
		.multi = { (unsigned long)ids, (unsigned long)cookies, cnt },
	};

	return create_link(&attr);
}

/*
 * A kernel that knows the attach type may still be of an architecture that has no such links. A
 * kernel with such links refuses the id.
 */
static void probe_multi(void)
{
	int fd = load_idle(BPF_PROG_TYPE_TRACING, TRACE_FENTRY_MULTI);
	const __u32 id = FENTRY_NO_ID;

	if (fd < 0)
		return;
	has_multi = fentry_multi_link__create(fd, TRACE_FENTRY_MULTI, &id, NULL, 1) == -EINVAL;
	close(fd);
}

bool fentry_has_multi(void)
{
	pthread_once(&multi_once, probe_multi);
	return has_multi;
}

/*
 * Probes at addresses, for inlined calls: many by one kprobe_multi link, where the kernel has
 * BPF_F_KPROBE_MULTI_ANY, else each by a perf event and a link of its own. libbpf knows neither the
 * flag nor how to ask what was missed.
 */
int fentry_probe_link__create(int prog_fd, __u32 flags, const __u64 *addrs, const __u64 *cookies,
			      __u32 cnt, __u32 *failed)
{
	struct create_attr attr = {
		.prog_fd = prog_fd,
		.attach_type = BPF_TRACE_KPROBE_MULTI,
		.probes = {
			.flags = flags,
			.cnt = cnt,
			.addrs = (unsigned long)addrs,
			.cookies = (unsigned long)cookies,
			/* before Linux 6.6, any link with this set is refused */
			.failed = flags & FENTRY_PROBES_ANY ? NOT_WRITTEN : 0,
		},
	};
	int fd = create_link(&attr);

	if (fd < 0)
		*failed = flags & FENTRY_PROBES_ANY ? attr.probes.failed : NOT_WRITTEN;
	return fd;
}

/*
 * No code is at address 1. A kernel that knows the flag says that it refuses the first address. One
 * without CONFIG_FPROBE has no such links, whatever the address.
 */
static void probe_probes(void)
{
	int fd = load_idle(BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI), link;
	const __u64 addr = 1, cookie = 0;
	__u32 failed = NOT_WRITTEN;

	if (fd < 0)
		return;
	link = fentry_probe_link__create(fd, FENTRY_PROBES_ANY, &addr, &cookie, 1, &failed);
	has_probes = link < 0 && !failed;
	if (link >= 0)
		close(link);
	link = fentry_probe_link__create(fd, FENTRY_PROBES_ENTRY, &addr, &cookie, 1, &failed);
	has_entries = link != -EOPNOTSUPP;
	if (link >= 0)
		close(link);
	close(fd);
}

bool fentry_has_probe_links(void)
{
	pthread_once(&probes_once, probe_probes);
	return has_probes;
}

bool fentry_has_entry_links(void)
{
	pthread_once(&probes_once, probe_probes);
	return has_entries;
}

int fentry_probe_event__type(void)
{
	return fentry_number_in(KPROBE_TYPE);
}

int fentry_probe_event__create(int type, bool exit, int prog_fd, __u64 addr, __u64 cookie)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = cookie);
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.kprobe_addr = addr,
		.config = exit ? KPROBE_RETURN : 0,
	};
	int event, link;

	event = syscall(__NR_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (event < 0)
		return -errno;
	link = bpf_link_create(prog_fd, event, BPF_PERF_EVENT, &opts);
	close(event);
	return link;
}

unsigned long long fentry_probe_link__missed(int fd)
{
	struct link_info info = {};
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return 0;
	return info.type == BPF_LINK_TYPE_KPROBE_MULTI ? info.multi.missed : info.event.missed;
}

/* Find a module's BTF object by its name, where /proc/kallsyms_btf gave no id. */
static int find_btf_object(const char *module)
{
	__u32 id = 0;

	while (!bpf_btf_get_next_id(id, &id)) {
		char name[64] = "";
		struct bpf_btf_info info = {
			.name = (__u64)(unsigned long)name,
			.name_len = sizeof(name),
		};
		__u32 len = sizeof(info);
		int fd = bpf_btf_get_fd_by_id(id);

		if (fd == -ENOENT) /* gone since */
			continue;
		if (fd < 0)
			return fd;
		if (!bpf_obj_get_info_by_fd(fd, &info, &len) && info.kernel_btf &&
		    !strcmp(name, module))
			return fd;
		close(fd);
	}
	return -errno;
}

int fentry_target__btf_fd(const struct fentry_target *target, int *ret, struct fentry_error *error)
{
	int fd = 0;

	if (target->module)
		fd = target->obj_id ? bpf_btf_get_fd_by_id(target->obj_id) :
				      find_btf_object(target->module);
	if (fd == -EPERM)
		return fentry_error__set(
			error, fd,
			"not allowed to open the BTF of module %s: this takes CAP_SYS_ADMIN",
			target->module);
	if (fd == -ENOENT)
		return fentry_error__set(
			error, -ESTALE, "can't open the BTF of module %s: it isn't loaded any more",
			target->module);
	if (fd < 0)
		return fentry_error__set(error, fd, "can't open the BTF of module %s: %s",
					 target->module, strerror(-fd));
	*ret = fd;
	return 0;
}
