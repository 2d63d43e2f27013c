// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaches one program to many functions, and calls one of them many times. It does so with
 * one link for each function, with tracing_multi links, and with kprobe_multi links.
 * tools/harness/bench-multi runs this in a VM. Prints the lines
 *
 *	attach METHOD FUNCTIONS SECONDS_TO_ATTACH SECONDS_TO_DETACH
 *	hit METHOD NANOSECONDS
 *
 * always for the same functions. "hit none" is the cost of the call itself.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "libfentry.h"
#include "bench_multi.skel.h"

#define EACH_MAX  200	 /* to detach one takes 0.1 s */
#define SETTLE_US 300000 /* attaching leaves work to be done later */

struct bench {
	struct fentry_index *idx;
	struct bench_multi_bpf *skel;
	const struct fentry_target **targets;
	__u64 *addrs;
	size_t cnt;
	int *links, *progs; /* of the method "each" */
	struct fentry_multi *multi;
	int kprobes; /* link; -1: none */
};

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

static void detach_each(struct bench *b, size_t cnt)
{
	size_t i;

	for (i = 0; i < cnt; i++) {
		close(b->links[i]);
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
	b->multi = NULL;
}

static void attach_kprobes(struct bench *b, size_t cnt)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .kprobe_multi.addrs = (unsigned long *)b->addrs,
		    .kprobe_multi.cnt = cnt);

	b->kprobes = bpf_link_create(bpf_program__fd(b->skel->progs.on_kprobe), 0,
				     BPF_TRACE_KPROBE_MULTI, &opts);
	if (b->kprobes < 0)
		fail("kprobe_multi", strerror(-b->kprobes));
}

static void detach_kprobes(struct bench *b, size_t cnt)
{
	(void)cnt;
	close(b->kprobes);
}

static const struct method {
	const char *name;
	size_t max; /* functions */
	void (*attach)(struct bench *b, size_t cnt);
	void (*detach)(struct bench *b, size_t cnt);
} methods[] = {
	{ "fentry", EACH_MAX, attach_each, detach_each },
	{ "tracing_multi", -1, attach_multi, detach_multi },
	{ "kprobe_multi", -1, attach_kprobes, detach_kprobes },
};
#define METHOD_CNT (sizeof(methods) / sizeof(methods[0]))

static void add_target(struct bench *b, const struct fentry_target *t)
{
	b->targets[b->cnt] = t;
	b->addrs[b->cnt++] = t->addr;
}

static struct bench_multi_bpf *load(const struct fentry_index *idx,
				    const struct fentry_target *target)
{
	struct bench_multi_bpf *skel = bench_multi_bpf__open();
	struct fentry_binding binding = { .target = target };
	struct fentry_error error;

	if (!skel)
		fail("bench_multi.bpf.o", strerror(errno));
	binding.prog = skel->progs.on_fentry;
	if (fentry_skeleton__load(skel->skeleton, (struct fentry_index *)idx, &binding, 1, &error))
		fail("bench_multi.bpf.o", error.msg);
	return skel;
}

/*
 * Choose @max functions that can have a program. The function that is hit comes first, and the
 * others follow in alphabetical order.
 */
static void choose(struct bench *b, size_t max)
{
	const struct fentry_target *t, *hit, **some;
	struct fentry_multi *multi;
	struct fentry_error error;
	size_t i, n = 0;

	some = calloc(fentry_index__cnt(b->idx), sizeof(*some));
	b->targets = calloc(max + 1, sizeof(*b->targets));
	b->addrs = calloc(max + 1, sizeof(*b->addrs));
	b->links = calloc(EACH_MAX, sizeof(*b->links));
	b->progs = calloc(EACH_MAX, sizeof(*b->progs));
	if (!some || !b->targets || !b->addrs || !b->links || !b->progs)
		fail("memory", strerror(ENOMEM));
	if (fentry_index__lookup(b->idx, HIT_NAME, &hit, &error))
		fail(HIT_NAME, error.msg);
	b->skel = load(b->idx, hit);
	add_target(b, hit);
	for (i = 0; n < 2 * max && (t = fentry_index__target(b->idx, i)); i++)
		if (!t->module && t->addr && t != hit)
			some[n++] = t;
	if (fentry_multi__attach(b->skel->progs.on_fentry, some, n, NULL, &multi, &error))
		fail("choosing functions", error.msg);
	for (i = 0; i < n && b->cnt < max; i++)
		if (!fentry_multi__why(multi, i))
			add_target(b, some[i]);
	fentry_multi__free(multi);
	free(some);
	if (b->cnt < max)
		fail("choosing functions", "there are too few");
}

static void bench_attach(struct bench *b, const struct method *m, size_t cnt)
{
	double best[2] = { 1e9, 1e9 }, start, middle, end;
	int i;

	for (i = 0; i < (m->attach == attach_each ? 1 : ROUNDS); i++) {
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
	printf("attach %s %zu %.4f %.4f\n", m->name, cnt, best[0], best[1]);
	fflush(stdout);
}

/* Attach to two functions, as links of this kind aren't meant for a single one. */
static double hit_with(struct bench *b, const struct method *m)
{
	unsigned long long before = b->skel->bss->hits;
	double ns;

	m->attach(b, 2);
	ns = hit(SETTLE_US);
	m->detach(b, 2);
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

int main(int argc, char **argv)
{
	struct bench b = { .kprobes = -1 };
	struct fentry_error error;
	size_t i, max = 0;
	int arg;

	for (arg = 1; arg < argc; arg++)
		if (strtoul(argv[arg], NULL, 10) > max)
			max = strtoul(argv[arg], NULL, 10);
	if (max < 2) {
		fputs("usage: bench_multi FUNCTIONS...\n", stderr);
		return 2;
	}
	if (fentry_register(&error) || fentry_index__open(NULL, &b.idx, &error))
		fail("libfentry", error.msg);
	if (!fentry_has_multi())
		fail("this kernel", "has no tracing_multi links");
	choose(&b, max);
	for (arg = 1; arg < argc; arg++)
		for (i = 0; i < METHOD_CNT; i++) {
			size_t cnt = strtoul(argv[arg], NULL, 10);

			if (cnt <= methods[i].max)
				bench_attach(&b, &methods[i], cnt);
		}
	bench_hits(&b);
	return 0;
}
