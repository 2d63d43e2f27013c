// SPDX-License-Identifier: GPL-2.0-only
/* Programs for functions of the module "names" whose base names several functions have. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <fentry.bpf.h>

SEC("fentry/cookie@names_b.c")
int FENTRY_PROG(cookie, int n)
{
	bpf_printk("cookie %d", n);
	return 0;
}

SEC("fentry/clones")
int FENTRY_PROG(clones, int n)
{
	bpf_printk("clones %d", n);
	return 0;
}

SEC("fentry/included@names_d.c")
int FENTRY_PROG(included, int n)
{
	bpf_printk("included %d", n);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
