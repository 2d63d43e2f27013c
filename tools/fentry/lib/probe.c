// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Probes at addresses, for inlined calls: many by one kprobe_multi link, where the kernel has
 * BPF_F_KPROBE_MULTI_ANY, else each by a perf event and a link of its own. libbpf knows neither the
 * flag nor how to ask what was missed.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"

#define KPROBE_TYPE "/sys/bus/event_source/devices/kprobe/type"
#define BLACKLIST   "/sys/kernel/debug/kprobes/blacklist"

#define KPROBE_MULTI_ANY (1U << 1)
#define NOT_WRITTEN	 0xffffffffU

/* union bpf_attr's link_create, with kprobe_multi */
struct link_create_attr {
	__u32 prog_fd;
	__u32 target_fd;
	__u32 attach_type;
	__u32 flags;
	__u32 multi_flags;
	__u32 cnt;
	__aligned_u64 syms;
	__aligned_u64 addrs;
	__aligned_u64 cookies;
	__u32 failed; /* the kernel writes to it */
	__u32 pad;
};

/* struct bpf_link_info, with what is of probes */
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

__u64 fentry_number_in(const char *path)
{
	FILE *f = fopen(path, "re");
	char text[32] = "";

	if (f) {
		if (!fgets(text, sizeof(text), f))
			text[0] = '\0';
		fclose(f);
	}
	return strtoull(text, NULL, 0);
}

static pthread_once_t probe_once = PTHREAD_ONCE_INIT;
static bool has_links;

int fentry_probe_link__create(int prog_fd, const __u64 *addrs, const __u64 *cookies, __u32 cnt,
			      __u32 *failed)
{
	struct link_create_attr attr = {
		.prog_fd = prog_fd,
		.attach_type = BPF_TRACE_KPROBE_MULTI,
		.multi_flags = KPROBE_MULTI_ANY,
		.cnt = cnt,
		.addrs = (unsigned long)addrs,
		.cookies = (unsigned long)cookies,
		.failed = NOT_WRITTEN,
	};
	int fd = fentry_link__create(&attr, sizeof(attr));

	if (fd < 0)
		*failed = attr.failed;
	return fd;
}

/* No address is 1: a kernel that knows the flag says that it refuses the first one. */
static void probe(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_KPROBE_MULTI);
	const __u64 addr = 1, cookie = 0;
	__u32 failed = NOT_WRITTEN;
	int fd, link;

	fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "probe", "GPL", insns, 2, &opts);
	if (fd < 0)
		return;
	link = fentry_probe_link__create(fd, &addr, &cookie, 1, &failed);
	has_links = link < 0 && !failed;
	if (link >= 0)
		close(link);
	close(fd);
}

bool fentry_has_probe_links(void)
{
	pthread_once(&probe_once, probe);
	return has_links;
}

int fentry_probe_event__type(void)
{
	return fentry_number_in(KPROBE_TYPE);
}

int fentry_probe_event__create(int type, int prog_fd, __u64 addr, __u64 cookie)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = cookie);
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.kprobe_addr = addr,
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

static int add_range(struct fentry_index *idx, const struct fentry_range *range)
{
	size_t cnt = idx->no_probe_cnt;
	struct fentry_range *ranges;

	if (!(cnt & (cnt - 1))) {
		ranges = reallocarray(idx->no_probes, 2 * cnt + 1, sizeof(*ranges));
		if (!ranges)
			return -ENOMEM;
		idx->no_probes = ranges;
	}
	idx->no_probes[idx->no_probe_cnt++] = *range;
	return 0;
}

/* Lines of "0xFIRST-0xEND\tNAME", sorted by nothing. */
static void read_blacklist(struct fentry_index *idx)
{
	FILE *f = fopen(BLACKLIST, "re");
	struct fentry_range range;
	unsigned long long end;
	size_t size = 0;
	char *line = NULL;

	idx->no_probes_read = true;
	while (f && getline(&line, &size, f) >= 0) {
		if (sscanf(line, "%llx-%llx", &range.first, &end) != 2 || !end)
			continue;
		range.last = end > range.first ? end - 1 : range.first;
		if (add_range(idx, &range))
			break;
	}
	free(line);
	if (f)
		fclose(f);
}

const char *fentry_inlined_call__unfit(const struct fentry_inlined_call *call)
{
	struct fentry_index *idx = call->func->idx;
	bool found = false;
	size_t i;

	pthread_mutex_lock(&idx->lock);
	if (!idx->no_probes_read)
		read_blacklist(idx);
	for (i = 0; call->addr && !found && i < idx->no_probe_cnt; i++)
		found = call->addr >= idx->no_probes[i].first &&
			call->addr <= idx->no_probes[i].last;
	pthread_mutex_unlock(&idx->lock);
	return found ? "is in code that the kernel has no probes in (noinstr, NOKPROBE or entry code)" :
		       NULL;
}
