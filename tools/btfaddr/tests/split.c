// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changing a module's BTF in ways that btfaddr must cope with. All files are raw BTF.
 *
 * split relocate BASE DISTILLED SPLIT OUT - do what the kernel does with a distilled base: SPLIT
 *	is based on DISTILLED, and becomes OUT, which is based on BASE
 * split copy BASE STRUCT SPLIT OUT - give SPLIT a copy of a struct of its base, which
 *	deduplication sometimes leaves there
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

static int relocate(struct btf *base, const char *distilled_path, const char *split_path,
		    const char *out)
{
	struct btf *distilled = read_btf(distilled_path, NULL), *split = NULL;
	int ret = 1, err;

	if (distilled)
		split = read_btf(split_path, distilled);
	err = split ? btf__relocate(split, base) : 0;
	if (err)
		fprintf(stderr, "%s: cannot relocate: %s\n", split_path, strerror(-err));
	else if (split)
		ret = write_btf(out, split);
	btf__free(split);
	btf__free(distilled);
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
	int ret = 2;

	if (argc != 6)
		return 2;
	base = read_btf(argv[2], NULL);
	source = read_btf(argv[2], NULL);
	if (base && !strcmp(argv[1], "relocate"))
		ret = relocate(base, argv[3], argv[4], argv[5]);
	else if (base && source && !strcmp(argv[1], "copy"))
		ret = copy(base, source, argv[3], argv[4], argv[5]);
	btf__free(source);
	btf__free(base);
	return ret;
}
