// SPDX-License-Identifier: GPL-2.0-only
/* Opens an index once and prints the number of its functions. tools/harness/bench measures it. */
#include <stdio.h>

#include "libfentry.h"

int main(int argc, char **argv)
{
	LIBBPF_OPTS(fentry_index_opts, opts);
	struct fentry_error error;
	struct fentry_index *idx;

	if (argc != 3) {
		fputs("usage: bench_index BTF_DIR IDS\n", stderr);
		return 2;
	}
	opts.btf_dir = argv[1];
	opts.ids_path = argv[2];
	if (fentry_index__open(&opts, &idx, &error)) {
		fprintf(stderr, "bench_index: %s\n", error.msg);
		return 1;
	}
	printf("%zu\n", fentry_index__cnt(idx));
	fentry_index__free(idx);
	return 0;
}
