// SPDX-License-Identifier: GPL-2.0-only
/*
 * split BASE STRUCT SPLIT OUT - give SPLIT, raw BTF that is based on BASE, a copy of a struct of
 * its base, which deduplication sometimes leaves there; write it to OUT
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

/* @source: the same as @base, but read again, as adding types moves the strings of @base */
static int copy(struct btf *base, const struct btf *source, const char *name,
		const char *split_path, const char *out)
{
	int ret = 1, id = btf__find_by_name_kind(source, name, BTF_KIND_STRUCT);
	struct btf *split = read_btf(split_path, base);

	if (split && id > 0 && btf__add_type(split, source, btf__type_by_id(source, id)) > 0)
		ret = write_btf(out, split);
	btf__free(split);
	return ret;
}

int main(int argc, char **argv)
{
	struct btf *base, *source;
	int ret = 1;

	if (argc != 5)
		return 2;
	base = read_btf(argv[1], NULL);
	source = read_btf(argv[1], NULL);
	if (base && source)
		ret = copy(base, source, argv[2], argv[3], argv[4]);
	btf__free(source);
	btf__free(base);
	return ret;
}
