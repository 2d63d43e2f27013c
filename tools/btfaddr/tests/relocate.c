// SPDX-License-Identifier: GPL-2.0
/*
 * relocate BASE DISTILLED SPLIT OUT - what the kernel does with a module's BTF that
 * has a distilled base: SPLIT, on DISTILLED, becomes OUT, on BASE. Raw BTF files.
 */
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>

static struct btf *read_btf(const char *path, struct btf *base)
{
	static char buf[16 << 20];
	FILE *f = fopen(path, "r");
	struct btf *btf = NULL;

	if (f) {
		btf = btf__new_split(buf, fread(buf, 1, sizeof(buf), f), base);
		fclose(f);
	}
	if (!btf)
		perror(path);
	return btf;
}

static int write_btf(const char *path, const struct btf *btf)
{
	FILE *f = fopen(path, "w");
	const void *data;
	__u32 len;
	int ret;

	data = btf__raw_data(btf, &len);
	ret = f && data && fwrite(data, len, 1, f) == 1 ? 0 : 1;
	if (!f || fclose(f))
		ret = 1;
	if (ret)
		perror(path);
	return ret;
}

int main(int argc, char **argv)
{
	struct btf *base, *distilled, *split;
	int err;

	if (argc != 5)
		return 2;
	base = read_btf(argv[1], NULL);
	distilled = read_btf(argv[2], NULL);
	split = distilled ? read_btf(argv[3], distilled) : NULL;
	if (!base || !split)
		return 1;
	err = btf__relocate(split, base);
	if (err) {
		fprintf(stderr, "%s: cannot relocate: %s\n", argv[3], strerror(-err));
		return 1;
	}
	return write_btf(argv[4], split);
}
