// SPDX-License-Identifier: GPL-2.0
/*
 * To everybody outside the kernel the BTF of vmlinux is ordinary BTF: libbpf of
 * the distribution reads it, and the two ways to it lead to the same bytes.
 */
#include <errno.h>
#include <fcntl.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "kselftest_harness.h"

#define PATH "/sys/kernel/btf/vmlinux"

/* The id of the vmlinux BTF object, 0 if there is none. */
static __u32 find_object(__u32 *size)
{
	__u32 id = 0;

	while (!bpf_btf_get_next_id(id, &id)) {
		char name[64] = "";
		struct bpf_btf_info info = {
			.name = (__u64)(unsigned long)name,
			.name_len = sizeof(name),
		};
		__u32 len = sizeof(info);
		int fd = bpf_btf_get_fd_by_id(id);
		int err;

		if (fd < 0)
			continue;
		err = bpf_obj_get_info_by_fd(fd, &info, &len);
		close(fd);
		if (!err && info.kernel_btf && !strcmp(name, "vmlinux")) {
			*size = info.btf_size;
			return id;
		}
	}
	return 0;
}

static int read_object(__u32 id, void *buf, __u32 size)
{
	struct bpf_btf_info info = {
		.btf = (__u64)(unsigned long)buf,
		.btf_size = size,
	};
	__u32 len = sizeof(info);
	int fd = bpf_btf_get_fd_by_id(id);
	int err;

	if (fd < 0)
		return fd;
	err = bpf_obj_get_info_by_fd(fd, &info, &len);
	close(fd);
	return err;
}

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

/* Expect the file and the BTF object to be the same, byte for byte. */
TEST(object_is_the_file)
{
	unsigned char *object, *file;
	__u32 id, size = 0;
	ssize_t len = 0, got;
	int fd;

	id = find_object(&size);
	ASSERT_NE(0, id);
	ASSERT_LT(0, size);
	object = malloc(size);
	file = malloc(size + 1);
	ASSERT_TRUE(object && file);
	ASSERT_EQ(0, read_object(id, object, size));

	fd = open(PATH, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	while ((got = read(fd, file + len, size + 1 - len)) > 0)
		len += got;
	close(fd);
	ASSERT_EQ(0, got);
	EXPECT_EQ(size, len);
	EXPECT_EQ(0, memcmp(object, file, size));
	free(object);
	free(file);
}

TEST_HARNESS_MAIN
