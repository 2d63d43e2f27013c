// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shows which bpf_iter_detach_map() libbpf finds by name: calls both, and prints which were seen.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "iters.h"
#include "stock.skel.h"

#define TIMES 3

static int run(struct stock_bpf *skel)
{
	static const char *const events[] = {
		[ITER_MAP_ELEM] = "map_elem",
		[ITER_SK_STORAGE] = "sk_storage",
	};
	unsigned long long before;
	struct iters_bpf *it = iters_bpf__open_and_load();
	int event, err = it ? 0 : -errno;

	for (event = ITER_MAP_ELEM; !err && event <= ITER_SK_STORAGE; event++) {
		before = skel->bss->hits;
		err = iters__trigger(it, event, TIMES);
		if (!err)
			printf("%s: %d closed, %llu seen\n", events[event], TIMES,
			       skel->bss->hits - before);
	}
	if (!err && skel->bss->hits)
		printf("address: %016llx\n", skel->bss->func_ip);
	iters_bpf__destroy(it);
	return err;
}

int main(void)
{
	struct stock_bpf *skel;
	int err;

	libbpf_set_print(NULL);
	skel = stock_bpf__open_and_load();
	if (!skel) {
		fprintf(stderr, "stock: load: %s\n", strerror(errno));
		return 1;
	}
	err = stock_bpf__attach(skel);
	if (!err)
		err = run(skel);
	if (err)
		fprintf(stderr, "stock: %s\n", strerror(-err));
	stock_bpf__destroy(skel);
	return err ? 1 : 0;
}
