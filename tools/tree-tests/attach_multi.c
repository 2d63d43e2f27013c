// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaches a program to many functions by one link, with the tree's libbpf, on any kernel.
 *
 * usage: attach_multi GLOB...		those functions that libbpf finds for each glob, all
 *					of vmlinux, or of the module protos_lone
 *	  attach_multi -n COUNT <NAMES	COUNT functions of these names, twelve times
 *
 * Prints a line for each glob:
 *
 *	glob GLOB ok | ERROR
 *
 * or, with -n, for each kind of program, the quickest time:
 *
 *	attach fentry.multi | fexit.multi COUNT SECONDS
 *
 * If each name belongs to one function, kernels with and without addresses in BTF attach to the
 * same functions.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include "attach_multi.skel.h"

/* from libbpf_internal.h, which can't be included here */
bool btf_type_is_traceable_func(const struct btf *btf, const struct btf_type *t);

#define ROUNDS 12
#define GROUP  50

static void fail(const char *what, int err)
{
	fprintf(stderr, "attach_multi: %s: %s\n", what, strerror(err));
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Returns the seconds that attaching took. */
static double attach(const struct bpf_program *prog, const char *glob, const __u32 *ids, size_t cnt,
		     int *err)
{
	LIBBPF_OPTS(bpf_tracing_multi_opts, opts, .ids = ids, .cnt = cnt);
	double start = now(), seconds;
	struct bpf_link *link;

	link = bpf_program__attach_tracing_multi(prog, glob, ids ? &opts : NULL);
	seconds = now() - start;
	*err = libbpf_get_error(link);
	if (!*err)
		bpf_link__destroy(link);
	return seconds;
}

/*
 * Choose functions by their names, which stdin has. A link attaches to all of its functions or
 * none, and the kernel denies some functions. So take groups to which both programs can attach.
 */
static __u32 *choose(struct attach_multi *skel, size_t cnt)
{
	struct btf *btf = btf__load_vmlinux_btf();
	__u32 *ids = calloc(cnt + GROUP, sizeof(*ids));
	size_t n = 0, taken = 0;
	char name[512];
	int id, err;

	if (!btf || !ids)
		fail("BTF of vmlinux", errno);
	while (taken < cnt && scanf("%511s", name) == 1) {
		id = btf__find_by_name_kind(btf, name, BTF_KIND_FUNC);
		if (id < 0 || !btf_type_is_traceable_func(btf, btf__type_by_id(btf, id)))
			continue;
		ids[n++] = id;
		if (n < taken + GROUP)
			continue;
		attach(skel->progs.on_entry, NULL, &ids[taken], GROUP, &err);
		if (!err)
			attach(skel->progs.on_exit, NULL, &ids[taken], GROUP, &err);
		n = taken += err ? 0 : GROUP;
	}
	btf__free(btf);
	if (taken < cnt)
		fail("there are too few functions", ERANGE);
	return ids;
}

static void measure(const struct bpf_program *prog, const __u32 *ids, size_t cnt)
{
	double seconds, best = 1e9;
	int i, err;

	for (i = 0; i < ROUNDS; i++) {
		seconds = attach(prog, NULL, ids, cnt, &err);
		if (err)
			fail(bpf_program__section_name(prog), -err);
		if (seconds < best)
			best = seconds;
	}
	printf("attach %s %zu %.4f\n", bpf_program__section_name(prog), cnt, best);
}

static void try_glob(const struct bpf_program *prog, const char *glob)
{
	int err;

	attach(prog, glob, NULL, 0, &err);
	printf("glob %s %s\n", glob, err ? strerror(-err) : "ok");
}

int main(int argc, char **argv)
{
	struct attach_multi *skel;
	__u32 *ids = NULL;
	size_t cnt = 0;
	int i;

	setlinebuf(stdout);
	libbpf_set_print(NULL); /* refusals by the kernel are expected */
	if (argc == 3 && !strcmp(argv[1], "-n"))
		cnt = strtoul(argv[2], NULL, 10);
	if (argc < 2 || (argv[1][0] == '-' && !cnt)) {
		fprintf(stderr, "usage: attach_multi GLOB... | -n COUNT\n");
		return 2;
	}
	skel = attach_multi__open();
	if (!skel)
		fail("memory", errno);
	bpf_program__set_autoload(skel->progs.of_module, strchr(argv[1], ':'));
	if (attach_multi__load(skel))
		fail("this kernel has no tracing_multi links", errno);
	if (cnt) {
		ids = choose(skel, cnt);
		measure(skel->progs.on_entry, ids, cnt);
		measure(skel->progs.on_exit, ids, cnt);
	}
	for (i = 1; !cnt && i < argc; i++)
		try_glob(strchr(argv[i], ':') ? skel->progs.of_module : skel->progs.on_entry,
			 argv[i]);
	free(ids);
	attach_multi__destroy(skel);
	return 0;
}
