// SPDX-License-Identifier: GPL-2.0-only
/*
 * Puts kprobes on instructions within many functions, and runs one of them many times. It does so
 * by one kprobe_multi link for any addresses (7.3/other/kprobe-multi), and with a perf event and
 * a link for each address. tools/harness/bench-sites runs this in a VM. Prints the lines
 *
 *	attach METHOD SITES SECONDS_TO_ATTACH SECONDS_TO_DETACH
 *	hit METHOD NANOSECONDS
 *
 * always for the same sites. "hit none" is the cost of the call itself.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/perf_event.h>

#include <bpf/bpf.h>

#include "bench.h"
#include "bench_sites.skel.h"

#define ONCE_FROM 100	  /* so many perf events are attached only once */
#define SETTLE_US 1000000 /* breakpoints become jumps */
#define NOP_SIZE  5	  /* of ftrace, at the entry: the site is behind it */

/* As in the kernel's <linux/bpf.h>, which headers of the distribution don't have. */
#define KPROBE_MULTI_ANY (1U << 1)
struct link_create {
	__u32 prog_fd, target_fd, attach_type, link_flags;
	__u32 flags, cnt;
	__u64 syms, addrs, cookies;
	__u32 failed;
};

struct bench {
	struct bench_sites_bpf *skel;
	__u64 *addrs;
	size_t cnt;
	__u32 perf_type;
	int *events, *links; /* of the method "perf" */
	int any;	     /* link */
};

/* Returns the link, or a negative errno and which address was refused. */
static int create_any(const struct bench *b, size_t cnt, __u32 *failed)
{
	struct link_create attr = {
		.prog_fd = bpf_program__fd(b->skel->progs.on_any),
		.attach_type = BPF_TRACE_KPROBE_MULTI,
		.flags = KPROBE_MULTI_ANY,
		.addrs = (unsigned long)b->addrs,
		.cnt = cnt,
		.failed = cnt,
	};
	int fd = syscall(__NR_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	*failed = attr.failed;
	return fd < 0 ? -errno : fd;
}

static void attach_any(struct bench *b, size_t cnt)
{
	__u32 failed;

	b->any = create_any(b, cnt, &failed);
	if (b->any < 0)
		fail("any", strerror(-b->any));
}

static void detach_any(struct bench *b, size_t cnt)
{
	(void)cnt;
	close(b->any);
}

static void attach_perf(struct bench *b, size_t cnt)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = b->perf_type };
	int prog = bpf_program__fd(b->skel->progs.on_perf);
	size_t i;

	for (i = 0; i < cnt; i++) {
		attr.kprobe_addr = b->addrs[i];
		b->events[i] =
			syscall(__NR_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
		if (b->events[i] < 0)
			fail("perf_event_open", strerror(errno));
		b->links[i] = bpf_link_create(prog, b->events[i], BPF_PERF_EVENT, NULL);
		if (b->links[i] < 0)
			fail("perf", strerror(errno));
	}
}

static void detach_perf(struct bench *b, size_t cnt)
{
	size_t i;

	for (i = 0; i < cnt; i++) {
		close(b->links[i]);
		close(b->events[i]);
	}
}

static const struct method {
	const char *name;
	void (*attach)(struct bench *b, size_t cnt);
	void (*detach)(struct bench *b, size_t cnt);
} methods[] = {
	{ "any", attach_any, detach_any },
	{ "perf", attach_perf, detach_perf },
};
#define METHOD_CNT (sizeof(methods) / sizeof(methods[0]))

static void allocate(struct bench *b, size_t max)
{
	/* a perf event and a link each */
	struct rlimit files = { 2 * max + 64, 2 * max + 64 };

	if (setrlimit(RLIMIT_NOFILE, &files))
		fail("open files", strerror(errno));
	b->addrs = calloc(max, sizeof(*b->addrs));
	b->events = calloc(max, sizeof(*b->events));
	b->links = calloc(max, sizeof(*b->links));
	if (!b->addrs || !b->events || !b->links)
		fail("memory", strerror(ENOMEM));
}

/* Choose @max sites: the one that is hit, and others in functions from all over the kernel. */
static void read_sites(struct bench *b, size_t max, size_t step)
{
	static const char path[] = "/sys/kernel/tracing/available_filter_functions_addrs";
	char *line = NULL, name[256], module[64];
	unsigned long long addr;
	FILE *f = fopen(path, "re");
	size_t size = 0, n = 0;

	if (!f)
		fail(path, strerror(errno));
	b->cnt = 1;
	while (getline(&line, &size, f) >= 0) {
		if (sscanf(line, "%llx %255s %63s", &addr, name, module) != 2)
			continue; /* of a module */
		if (!strcmp(name, HIT_NAME))
			b->addrs[0] = addr + NOP_SIZE;
		else if (b->cnt < max && !(n++ % step))
			b->addrs[b->cnt++] = addr + NOP_SIZE;
	}
	fclose(f);
	free(line);
	if (!b->addrs[0])
		fail(HIT_NAME, "ftrace doesn't know it");
}

/* Leave out what kprobes refuse. */
static void choose(struct bench *b, size_t max)
{
	size_t spare = max + max / 4 + 8;
	__u32 failed;
	int fd;

	allocate(b, spare);
	read_sites(b, spare, 20000 / spare ?: 1);
	while ((fd = create_any(b, b->cnt, &failed)) < 0) {
		if (failed == 0 || failed >= b->cnt)
			fail("kprobe_multi link for any address", strerror(-fd));
		b->addrs[failed] = b->addrs[--b->cnt];
	}
	close(fd);
	if (b->cnt < max)
		fail("choosing sites", "there are too few");
}

static void bench_attach(struct bench *b, const struct method *m, size_t cnt)
{
	double best[2] = { 1e9, 1e9 }, start, middle, end;
	int i, rounds = m->attach == attach_perf && cnt >= ONCE_FROM ? 1 : ROUNDS;

	for (i = 0; i < rounds; i++) {
		start = now();
		m->attach(b, cnt);
		middle = now();
		m->detach(b, cnt);
		end = now();
		if (middle - start < best[0])
			best[0] = middle - start;
		if (end - middle < best[1])
			best[1] = end - middle;
	}
	printf("attach %s %zu %.6f %.6f\n", m->name, cnt, best[0], best[1]);
	fflush(stdout);
}

static double hit_with(struct bench *b, const struct method *m)
{
	unsigned long long before = b->skel->bss->hits;
	double ns;

	m->attach(b, 1);
	ns = hit(SETTLE_US);
	m->detach(b, 1);
	if (b->skel->bss->hits - before < HITS * HIT_TIMES)
		fail(m->name, "hits are missing");
	return ns;
}

/* Take the least of some rounds. The methods take turns, so that all see the same machine. */
static void bench_hits(struct bench *b)
{
	double ns, best[METHOD_CNT], none = 1e9;
	size_t i;
	int round;

	for (i = 0; i < METHOD_CNT; i++)
		best[i] = 1e9;
	for (round = 0; round < ROUNDS; round++) {
		ns = hit(SETTLE_US);
		if (ns < none)
			none = ns;
		for (i = 0; i < METHOD_CNT; i++) {
			ns = hit_with(b, &methods[i]);
			if (ns < best[i])
				best[i] = ns;
		}
	}
	printf("hit none %.1f\n", none);
	for (i = 0; i < METHOD_CNT; i++)
		printf("hit %s %.1f\n", methods[i].name, best[i]);
}

static __u32 perf_type(void)
{
	static const char path[] = "/sys/bus/event_source/devices/kprobe/type";
	FILE *f = fopen(path, "re");
	unsigned int type;

	if (!f || fscanf(f, "%u", &type) != 1)
		fail(path, "cannot be read");
	fclose(f);
	return type;
}

int main(int argc, char **argv)
{
	struct bench b = { .any = -1 };
	size_t i, cnt, max = 0;
	int arg;

	for (arg = 1; arg < argc; arg++)
		if (strtoul(argv[arg], NULL, 10) > max)
			max = strtoul(argv[arg], NULL, 10);
	if (!max) {
		fputs("usage: bench_sites SITES...\n", stderr);
		return 2;
	}
	b.skel = bench_sites_bpf__open_and_load();
	if (!b.skel)
		fail("bench_sites.bpf.o", strerror(errno));
	b.perf_type = perf_type();
	choose(&b, max);
	for (arg = 1; arg < argc; arg++)
		for (i = 0; i < METHOD_CNT; i++) {
			cnt = strtoul(argv[arg], NULL, 10);
			bench_attach(&b, &methods[i], cnt);
		}
	bench_hits(&b);
	return 0;
}
