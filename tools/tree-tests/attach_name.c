// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looks up functions by name, with the tree's libbpf.
 *
 * usage: attach_name [MODULE:]NAME...	prints a line "NAME ok | ERROR" for each
 *	  attach_name -t NAME		prints CPU times: of 2000 lookups, and of 200 walks
 *					over all names of vmlinux's BTF
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include "attach_name.skel.h"

#define LOOKUPS 2000
#define WALKS	200

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static double time_walks(const char *name)
{
	struct btf *btf = btf__load_vmlinux_btf();
	double start = now();
	int i, found = 0;
	__u32 id;

	if (!btf)
		exit(1);
	for (i = 0; i < WALKS; i++) {
		for (id = 1; id < btf__type_cnt(btf); id++) {
			const struct btf_type *t = btf__type_by_id(btf, id);

			found += btf_is_func(t) &&
				 !strcmp(btf__name_by_offset(btf, t->name_off), name);
		}
	}
	start = now() - start;
	btf__free(btf);
	return found ? start : -1;
}

int main(int argc, char **argv)
{
	bool timed = argc == 3 && !strcmp(argv[1], "-t");
	struct attach_name *skel;
	double start;
	int i, err = 0;

	libbpf_set_print(NULL);
	skel = attach_name__open();
	if (!skel || argc < 2)
		return 2;
	for (i = 1; !timed && i < argc; i++) {
		err = bpf_program__set_attach_target(skel->progs.on_entry, 0, argv[i]);
		printf("%s %s\n", argv[i], err ? strerror(-err) : "ok");
	}
	/* the first lookup reads BTF */
	if (timed)
		err = bpf_program__set_attach_target(skel->progs.on_entry, 0, argv[2]);
	start = now();
	for (i = 0; timed && !err && i < LOOKUPS; i++)
		err = bpf_program__set_attach_target(skel->progs.on_entry, 0, argv[2]);
	start = now() - start;
	if (timed)
		printf("lookups %.3f walks %.3f\n", start, time_walks(argv[2]));
	attach_name__destroy(skel);
	return timed && err;
}
