// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adds functions to BTF, so that a test has the BTF that it needs.
 *
 * usage: add_funcs [-s] [-b BASE] INPUT OUTPUT NAME[@ADDR]...
 *
 * INPUT is a file with BTF, raw or ELF, or "-" for empty BTF. With -b it is split BTF on top of
 * BASE. OUTPUT is raw BTF. It has INPUT's types, a FUNC_PROTO "void (void)", and a FUNC for each
 * NAME, with the address ADDR (in C's notation) if it is given. With -s it has the other byte
 * order.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/btf.h>

/* Returns 0 or -errno. The ids of the functions follow that of the prototype. */
static int add_funcs(struct btf *btf, char **specs)
{
	int proto = btf__add_func_proto(btf, 0);

	if (proto < 0)
		return proto;
	for (; *specs; specs++) {
		char *at = strchr(*specs, '@'), *end;
		__u64 addr = 0;
		int id;

		if (at) {
			*at = '\0';
			addr = strtoull(at + 1, &end, 0);
			if (*end || end == at + 1)
				return -EINVAL;
			id = btf__add_func_addr(btf, *specs, BTF_FUNC_STATIC, proto, addr);
		} else {
			id = btf__add_func(btf, *specs, BTF_FUNC_STATIC, proto);
		}
		if (id < 0)
			return id;
	}
	return 0;
}

static int write_file(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "w");
	int err;

	if (!file)
		return -errno;
	err = fwrite(data, 1, size, file) == size ? 0 : -EIO;
	if (fclose(file) && !err)
		err = -errno;
	return err;
}

static int fail(const char *what, const char *name, int err)
{
	fprintf(stderr, "add_funcs: %s '%s': %s\n", what, name, strerror(-err));
	return 1;
}

int main(int argc, char **argv)
{
	struct btf *base = NULL, *btf;
	const char *base_path = NULL;
	bool swap = false;
	const void *raw;
	__u32 size;
	int err;

	if (argc > 1 && !strcmp(argv[1], "-s")) {
		swap = true;
		argv++;
		argc--;
	}
	if (argc > 2 && !strcmp(argv[1], "-b")) {
		base_path = argv[2];
		argv += 2;
		argc -= 2;
	}
	if (argc < 4) {
		fprintf(stderr, "usage: add_funcs [-s] [-b BASE] INPUT OUTPUT NAME[@ADDR]...\n");
		return 2;
	}
	if (base_path) {
		base = btf__parse(base_path, NULL);
		if (!base)
			return fail("no BTF in", base_path, -errno);
	}
	if (strcmp(argv[1], "-"))
		btf = btf__parse_split(argv[1], base);
	else
		btf = base ? btf__new_empty_split(base) : btf__new_empty();
	if (!btf)
		return fail("no BTF in", argv[1], -errno);
	err = add_funcs(btf, argv + 3);
	if (err)
		return fail("cannot add functions to", argv[1], err);
	raw = btf__raw_data(btf, &size);
	if (swap) {
		btf__set_endianness(btf, !btf__endianness(btf));
		raw = btf__raw_data(btf, &size);
	}
	err = raw ? write_file(argv[2], raw, size) : -ENOMEM;
	if (err)
		return fail("cannot write", argv[2], err);
	btf__free(btf);
	btf__free(base);
	return 0;
}
