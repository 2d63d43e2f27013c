// SPDX-License-Identifier: GPL-2.0-only
/* A user's object whose sections name targets in each possible form. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <fentry.bpf.h>

/* A CO-RE flavour of struct kobject. */
struct kobject___mine;
struct kobj_attribute;

SEC("fentry/bpf_iter_detach_map@map_iter.c")
int with_unit(void *ctx)
{
	bpf_printk("with_unit");
	return 0;
}

SEC("fexit/vmlinux:bpf_iter_detach_map@net/core/bpf_sk_storage.c")
int with_module(void *ctx)
{
	bpf_printk("with_module");
	return 0;
}

SEC("fexit/bpf_iter_attach_cgrou[p]")
int with_glob(void *ctx)
{
	bpf_printk("with_glob");
	return 0;
}

/* Another name_show() has a struct device. */
SEC("fentry/name_show")
int FENTRY_PROG(by_parameters, struct kobject___mine *kobj, struct kobj_attribute *attr, char *buf)
{
	bpf_printk("by_parameters %d", kobj && attr && buf);
	return 0;
}

/* Has the return value as its last parameter. */
SEC("fexit/name_show")
int FEXIT_PROG(by_parameters_exit, struct kobject___mine *kobj, struct kobj_attribute *attr,
	       char *buf, long ret)
{
	bpf_printk("by_parameters_exit %ld", ret);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
