// SPDX-License-Identifier: GPL-2.0-only
/* Makes one of the two bpf_iter_detach_map() run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iters.h"

static int usage(void)
{
	fputs("usage: trigger map_elem|sk_storage TIMES\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	enum iter_event event = ITER_MAP_ELEM;
	unsigned long times;
	struct iters_bpf *it;
	char *end;
	int err;

	if (argc != 3)
		return usage();
	if (!strcmp(argv[1], "sk_storage"))
		event = ITER_SK_STORAGE;
	else if (strcmp(argv[1], "map_elem"))
		return usage();
	times = strtoul(argv[2], &end, 10);
	if (end == argv[2] || *end || times > 1000000)
		return usage();

	it = iters_bpf__open_and_load();
	err = it ? iters__trigger(it, event, times) : -errno;
	iters_bpf__destroy(it);
	if (err) {
		fprintf(stderr, "trigger: %s\n", strerror(-err));
		return 1;
	}
	return 0;
}
