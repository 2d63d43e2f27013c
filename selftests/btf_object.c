// SPDX-License-Identifier: GPL-2.0
/*
 * To everybody outside the kernel the BTF of vmlinux is ordinary BTF: libbpf of
 * the distribution reads it, and the two ways to it lead to the bytes that the
 * build's own tool makes ($LEGACY).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "kselftest_harness.h"

#include "kbtf.h"

#define PATH "/sys/kernel/btf/vmlinux"

/* Expect no kind_flag on a FUNC, and every tag to be on something. */
TEST(stock_libbpf_reads_it)
{
	struct btf *btf = btf__parse(PATH, NULL);
	__u32 id, cnt, funcs = 0;

	ASSERT_NE(NULL, btf) TH_LOG("%s", strerror(errno));
	cnt = btf__type_cnt(btf);
	for (id = 1; id < cnt; id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (btf_is_decl_tag(t))
			ASSERT_LT(t->type, cnt);
		if (!btf_is_func(t))
			continue;
		funcs++;
		ASSERT_FALSE(btf_kflag(t));
		ASSERT_TRUE(btf_is_func_proto(btf__type_by_id(btf, t->type)));
	}
	EXPECT_LT(0, funcs);
	TH_LOG("libbpf %s: %u types, %u functions", libbpf_version_string(),
	       cnt - 1, funcs);
	btf__free(btf);
}

/*
 * Expect the file, the BTF object, and what "btfaddr --legacy" makes of vmlinux to be
 * the same, byte for byte.
 */
TEST(is_what_btfaddr_calls_ordinary)
{
	__u32 object_size, file_size, legacy_size;
	const char *path = getenv("LEGACY");
	void *object, *file, *legacy;
	int fd;

	fd = kbtf__open("vmlinux");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, kbtf__read(fd, &object, &object_size));
	close(fd);
	ASSERT_EQ(0, kbtf__read_file(PATH, &file, &file_size));
	ASSERT_NE(NULL, path) TH_LOG("no $LEGACY");
	ASSERT_EQ(0, kbtf__read_file(path, &legacy, &legacy_size));

	ASSERT_EQ(object_size, file_size);
	EXPECT_EQ(0, memcmp(object, file, file_size));
	ASSERT_EQ(legacy_size, file_size);
	EXPECT_EQ(0, memcmp(legacy, file, file_size));
	free(object);
	free(file);
	free(legacy);
}

TEST_HARNESS_MAIN
