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

#define MAX_FUNCS 64

struct func {
	const char *name;
	__u64 addr;
	bool has_addr;
};

/* NAME[@ADDR] */
static int parse_func(char *spec, struct func *func)
{
	char *at = strchr(spec, '@'), *end;

	*func = (struct func){ .name = spec, .has_addr = at };
	if (!at)
		return 0;
	*at = '\0';
	func->addr = strtoull(at + 1, &end, 0);
	return *end || end == at + 1 ? -EINVAL : 0;
}

/*
 * Put the addresses into raw BTF, as an encoder does that knows nothing of them: of the last @cnt
 * types, which are FUNCs, those that have an address get kind_flag, and 8 bytes behind them.
 * Returns the new BTF, and sets its size.
 */
static void *put_addrs(const void *raw, __u32 *size, const struct func *funcs, int cnt)
{
	const struct btf_header *hdr = raw;
	const char *from = raw, *types_end = from + hdr->hdr_len + hdr->type_off + hdr->type_len;
	const char *added = types_end - cnt * sizeof(struct btf_type);
	char *ret = malloc(*size + cnt * sizeof(funcs->addr)), *to = ret;
	struct btf_header *ret_hdr = (struct btf_header *)ret;
	struct btf_type type;
	int i;

	if (!ret)
		return NULL;
	to = mempcpy(to, from, added - from);
	for (i = 0; i < cnt; i++) {
		memcpy(&type, added + i * sizeof(type), sizeof(type));
		type.info |= funcs[i].has_addr ? 1U << 31 : 0;
		to = mempcpy(to, &type, sizeof(type));
		if (funcs[i].has_addr)
			to = mempcpy(to, &funcs[i].addr, sizeof(funcs[i].addr));
	}
	ret_hdr->type_len += to - ret - (types_end - from);
	ret_hdr->str_off += to - ret - (types_end - from);
	to = mempcpy(to, types_end, from + *size - types_end);
	*size = to - ret;
	return ret;
}

/* Returns 0 or -errno. The ids of the functions follow that of the prototype. */
static int add_funcs(struct btf **btf, char **specs)
{
	int proto = btf__add_func_proto(*btf, 0), cnt = 0, id, err = 0;
	struct func funcs[MAX_FUNCS];
	struct btf *with_addrs;
	const void *raw;
	void *data;
	__u32 size;

	if (proto < 0)
		return proto;
	for (; *specs; specs++, cnt++) {
		err = cnt < MAX_FUNCS ? parse_func(*specs, &funcs[cnt]) : -E2BIG;
		if (err)
			return err;
		id = btf__add_func(*btf, funcs[cnt].name, BTF_FUNC_STATIC, proto);
		if (id < 0)
			return id;
	}
	raw = btf__raw_data(*btf, &size);
	data = raw ? put_addrs(raw, &size, funcs, cnt) : NULL;
	with_addrs = data ? btf__new_split(data, size, (struct btf *)btf__base_btf(*btf)) : NULL;
	if (!with_addrs)
		err = -errno;
	free(data);
	btf__free(*btf);
	*btf = with_addrs;
	return err;
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
	err = add_funcs(&btf, argv + 3);
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
