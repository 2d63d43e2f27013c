// SPDX-License-Identifier: GPL-2.0-only
/*
 * load FILE - does the running kernel take this raw BTF?
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>

static char data[16 << 20], says[16 << 20];

int main(int argc, char **argv)
{
	LIBBPF_OPTS(bpf_btf_load_opts, opts);
	FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
	size_t len = f ? fread(data, 1, sizeof(data), f) : 0;

	if (!len || bpf_btf_load(data, len, &opts) >= 0)
		return !len;
	printf("%s: %s\n", argv[1], strerror(errno));
	opts.log_buf = says;
	opts.log_size = sizeof(says);
	opts.log_level = 1;
	bpf_btf_load(data, len, &opts);
	/* its last line says what is wrong */
	len = strlen(says);
	printf("%s\n", says + (len > 200 ? len - 200 : 0));
	return 1;
}
