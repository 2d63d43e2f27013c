// SPDX-License-Identifier: GPL-2.0-only
/* A program that the kernel allows for some functions only. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct dentry;

/* clang 19 crashes if it is empty */
struct path {
	struct dentry *dentry;
} __attribute__((preserve_access_index));

struct file {
	struct path f_path;
} __attribute__((preserve_access_index));

char path[256];

SEC("?fentry/filp_close")
int print_path(unsigned long long *ctx)
{
	struct file *file = (struct file *)ctx[0];

	bpf_d_path(&file->f_path, path, sizeof(path));
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
