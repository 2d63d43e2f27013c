// SPDX-License-Identifier: GPL-2.0-only
/* Calls functions of the test module. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

extern int kfunc_right(int n) __ksym;
extern int kfunc_wrong(int n) __ksym;

SEC("?syscall")
int call_right(void *ctx)
{
	return kfunc_right(39);
}

SEC("?syscall")
int call_wrong(void *ctx)
{
	return kfunc_wrong(39);
}

char LICENSE[] SEC("license") = "GPL";
