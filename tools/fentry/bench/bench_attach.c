// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaches one program to many functions, or puts kprobes on instructions within many functions,
 * and calls one of these functions many times. tools/harness/bench runs this in a VM. Prints:
 *
 *	attach METHOD COUNT SECONDS_TO_ATTACH SECONDS_TO_DETACH
 *	hit METHOD NANOSECONDS
 *
 * always for the same functions or instructions. "hit none" is the cost of the call itself. Or
 * attaches one kprobe_multi link to all functions of a glob, and does nothing but run a command:
 * what a tracer can cost at the least.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench_attach.skel.h"
#include "libfentry.h"
#include "way.h"

#define ROUNDS	  5
#define HITS	  5000 /* at a time: few enough to be rarely disturbed */
#define HIT_TIMES 40
#define HIT_NAME  "__x64_sys_umask" /* a hit is a call of this function */
#define NOP_SIZE  5		    /* of ftrace, at the entry: the site is behind it */

struct bench {
	struct fentry_index *idx;
	struct bench_attach_bpf *skel;
	const struct fentry_target *hit, **targets;
	__u64 *addrs;
	size_t cnt;
	int *links, *progs; /* of methods with one link for each function or instruction */
	struct fentry_multi *multi;
	int link; /* of methods with one link */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void __attribute__((noreturn)) fail(const char *what, const char *why)
{
	fprintf(stderr, "bench_attach: %s: %s\n", what, why);
	exit(1);
}

static void *allocate(size_t cnt, size_t size)
{
	return calloc(cnt, size) ?: (fail("memory", strerror(ENOMEM)), NULL);
}

static void attach_each(struct bench *b, size_t cnt)
{
	struct fentry_error error;
	size_t i;

	for (i = 0; i < cnt; i++)
		if (fentry_prog__clone(b->skel->progs.on_fentry, b->targets[i], &b->progs[i],
				       &error) ||
		    fentry_prog__attach(b->idx, b->progs[i], BPF_TRACE_FENTRY, 0, &b->links[i],
					&error))
			fail("fentry", error.msg);
}

static void attach_events(struct bench *b, size_t cnt)
{
	int prog = bpf_program__fd(b->skel->progs.on_probe), type = fentry_probe_event__type();
	size_t i;

	for (i = 0; i < cnt; i++) {
		b->links[i] = fentry_probe_event__create(type, false, prog, b->addrs[i], 0);
		b->progs[i] = -1;
		if (b->links[i] < 0)
			fail("perf", strerror(-b->links[i]));
	}
}

static void detach_each(struct bench *b, size_t cnt)
{
	size_t i;

	for (i = 0; i < cnt; i++) {
		close(b->links[i]);
		if (b->progs[i] >= 0)
			close(b->progs[i]);
	}
}

static void attach_multi(struct bench *b, size_t cnt)
{
	struct fentry_error error;

	if (fentry_multi__attach(b->skel->progs.on_fentry, b->targets, cnt, NULL, &b->multi,
				 &error))
		fail("tracing_multi", error.msg);
	if (fentry_multi__attached(b->multi) != cnt)
		fail("tracing_multi", "functions are left out");
}

static void detach_multi(struct bench *b, size_t cnt)
{
	(void)cnt;
	fentry_multi__free(b->multi);
}

static void attach_kprobes(struct bench *b, size_t cnt)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .kprobe_multi.addrs = (unsigned long *)b->addrs,
		    .kprobe_multi.cnt = cnt);

	b->link = bpf_link_create(bpf_program__fd(b->skel->progs.on_probes), 0,
				  BPF_TRACE_KPROBE_MULTI, &opts);
	if (b->link < 0)
		fail("kprobe_multi", strerror(-b->link));
}

/* The link, or a negative errno and which address was refused. */
static int create_any(const struct bench *b, size_t cnt, __u32 *failed)
{
	return fentry_probe_link__create(bpf_program__fd(b->skel->progs.on_probes),
					 BPF_TRACE_KPROBE_MULTI, FENTRY_PROBES_ANY, b->addrs, NULL,
					 cnt, failed);
}

static void attach_any(struct bench *b, size_t cnt)
{
	__u32 failed;

	b->link = create_any(b, cnt, &failed);
	if (b->link < 0)
		fail("any", strerror(-b->link));
}

static void detach_link(struct bench *b, size_t cnt)
{
	(void)cnt;
	close(b->link);
}

static struct bench_attach_bpf *load(const struct bench *b)
{
	struct bench_attach_bpf *skel = bench_attach_bpf__open();
	struct fentry_binding binding = { .target = b->hit };
	struct fentry_error error;

	if (!skel)
		fail("bench_attach.bpf.o", strerror(errno));
	binding.prog = skel->progs.on_fentry;
	if (fentry_skeleton__load(skel->skeleton, b->idx, &binding, 1, &error))
		fail("bench_attach.bpf.o", error.msg);
	return skel;
}

static void add_target(struct bench *b, const struct fentry_target *t)
{
	b->targets[b->cnt] = t;
	b->addrs[b->cnt++] = t->addr;
}

/*
 * Choose @max functions that can have a program. The function that is hit comes first, and the
 * others follow in alphabetical order.
 */
static void choose_functions(struct bench *b, size_t max)
{
	const struct fentry_target *t, **some = allocate(2 * max, sizeof(*some));
	struct fentry_multi *multi;
	struct fentry_error error;
	size_t i, n = 0;

	b->targets = allocate(max, sizeof(*b->targets));
	add_target(b, b->hit);
	for (i = 0; n < 2 * max && (t = fentry_index__target(b->idx, i)); i++)
		if (!t->module && t->addr && t != b->hit)
			some[n++] = t;
	if (fentry_multi__attach(b->skel->progs.on_fentry, some, n, NULL, &multi, &error))
		fail("choosing functions", error.msg);
	for (i = 0; i < n && b->cnt < max; i++)
		if (!fentry_multi__why(multi, i))
			add_target(b, some[i]);
	fentry_multi__free(multi);
	free(some);
}

static const char path[] = "/sys/kernel/tracing/available_filter_functions_addrs";

/* Run a command with a link to the functions of a glob. */
static int run_bare(const char *glob, const char *command)
{
	struct bench b = { .skel = bench_attach_bpf__open(), .addrs = allocate(100000, 8) };
	FILE *f = fopen(path, "re");
	char line[512], name[256];

	if (!f || !b.skel)
		fail(path, strerror(errno));
	bpf_program__set_autoload(b.skel->progs.on_fentry, false);
	while (b.cnt < 100000 && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %255s", &b.addrs[b.cnt], name) == 2)
			b.cnt += !fnmatch(glob, name, 0);
	fclose(f);
	if (bench_attach_bpf__load(b.skel))
		fail("bench_attach.bpf.o", strerror(errno));
	attach_kprobes(&b, b.cnt);
	printf("%zu functions attached\n", b.cnt);
	fflush(stdout);
	return system(command);
}

/* Read @max sites: the one that is hit, and others in functions from all over the kernel. */
static void read_sites(struct bench *b, size_t max, size_t step)
{
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

/* Choose sites, and leave out what kprobes refuse. */
static void choose_sites(struct bench *b, size_t max)
{
	size_t spare = max + max / 4;
	__u32 failed;
	int fd;

	read_sites(b, spare, 20000 / spare ?: 1);
	while ((fd = create_any(b, b->cnt, &failed)) < 0) {
		if (failed == 0 || failed >= b->cnt)
			fail("kprobe_multi link for any address", strerror(-fd));
		b->addrs[failed] = b->addrs[--b->cnt];
	}
	close(fd);
}

#define METHODS_MAX 3
static const struct kind {
	const char *name;
	void (*choose)(struct bench *b, size_t max);
	size_t hit_cnt;	    /* functions that are attached to, as multi links need two */
	unsigned settle_us; /* attaching leaves work, such as jumps for breakpoints */
	struct method {
		const char *name;
		size_t once_from, max; /* from once_from on, one round; above max, none */
		void (*attach)(struct bench *b, size_t cnt);
		void (*detach)(struct bench *b, size_t cnt);
	} methods[METHODS_MAX];
} kinds[] = {
	{ "functions",
	  choose_functions,
	  2,
	  300000,
	  /* detaching one takes 0.1 s */
	  { { "fentry", 0, 200, attach_each, detach_each },
	    { "tracing_multi", -1, -1, attach_multi, detach_multi },
	    { "kprobe_multi", -1, -1, attach_kprobes, detach_link } } },
	{ "sites",
	  choose_sites,
	  1,
	  1000000,
	  { { "any", -1, -1, attach_any, detach_link },
	    { "perf", 100, -1, attach_events, detach_each } } },
};

static void bench_attach(struct bench *b, const struct method *m, size_t cnt)
{
	double best[2] = { 1e9, 1e9 }, start, middle, end;
	int i;

	for (i = 0; i < (cnt >= m->once_from ? 1 : ROUNDS); i++) {
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

/* Returns the least of many times, in ns. */
static double hit(unsigned int settle_us)
{
	double start, seconds, best = 1e9;
	int i, j;

	usleep(settle_us);
	for (i = 0; i < HIT_TIMES; i++) {
		start = now();
		for (j = 0; j < HITS; j++)
			umask(022);
		seconds = now() - start;
		if (seconds < best)
			best = seconds;
	}
	return best / HITS * 1e9;
}

static double hit_with(struct bench *b, const struct kind *k, const struct method *m)
{
	unsigned long long before = b->skel->bss->hits;
	double ns;

	m->attach(b, k->hit_cnt);
	ns = hit(k->settle_us);
	m->detach(b, k->hit_cnt);
	if (b->skel->bss->hits - before < HITS * HIT_TIMES)
		fail(m->name, "hits are missing");
	return ns;
}

/* Take the least of some rounds. The methods take turns, so that all see the same machine. */
static void bench_hits(struct bench *b, const struct kind *k)
{
	double ns, best[METHODS_MAX] = { 1e9, 1e9, 1e9 }, none = 1e9;
	const struct method *m;
	int i, round;

	for (round = 0; round < ROUNDS; round++) {
		ns = hit(k->settle_us);
		none = ns < none ? ns : none;
		for (i = 0, m = k->methods; i < METHODS_MAX && m->name; i++, m++) {
			ns = hit_with(b, k, m);
			best[i] = ns < best[i] ? ns : best[i];
		}
	}
	printf("hit none %.1f\n", none);
	for (i = 0, m = k->methods; i < METHODS_MAX && m->name; i++, m++)
		printf("hit %s %.1f\n", m->name, best[i]);
}

static void prepare(struct bench *b, const struct kind *k, size_t max)
{
	/* a program and a link each */
	struct rlimit files = { 2 * max + 64, 2 * max + 64 };
	struct fentry_error error;

	if (setrlimit(RLIMIT_NOFILE, &files))
		fail("open files", strerror(errno));
	if (fentry_register(&error) || fentry_index__open(NULL, &b->idx, &error) ||
	    fentry_index__lookup(b->idx, HIT_NAME, &b->hit, &error))
		fail("libfentry", error.msg);
	if (k == kinds && !fentry_has_multi())
		fail("this kernel", "has no tracing_multi links");
	b->addrs = allocate(2 * max, sizeof(*b->addrs));
	b->links = allocate(max, sizeof(*b->links));
	b->progs = allocate(max, sizeof(*b->progs));
	b->skel = load(b);
	k->choose(b, max);
	if (b->cnt < max)
		fail("choosing", "there are too few");
}

int main(int argc, char **argv)
{
	const struct kind *k = argc > 1 && !strcmp(argv[1], "sites") ? &kinds[1] : &kinds[0];
	const struct method *m;
	struct bench b = {};
	size_t cnt, max = 0;
	int arg, i;

	if (argc == 4 && !strcmp(argv[1], "bare"))
		return run_bare(argv[2], argv[3]);
	for (arg = 2; arg < argc; arg++)
		if (strtoul(argv[arg], NULL, 10) > max)
			max = strtoul(argv[arg], NULL, 10);
	if (max < k->hit_cnt || strcmp(argv[1], k->name)) {
		fputs("usage: bench_attach functions|sites COUNT... | bare GLOB COMMAND\n", stderr);
		return 2;
	}
	prepare(&b, k, max);
	for (arg = 2; arg < argc; arg++)
		for (i = 0, m = k->methods; i < METHODS_MAX && m->name; i++, m++) {
			cnt = strtoul(argv[arg], NULL, 10);
			if (cnt <= m->max)
				bench_attach(&b, m, cnt);
		}
	bench_hits(&b, k);
	return 0;
}
