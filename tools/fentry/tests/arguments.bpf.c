// SPDX-License-Identifier: GPL-2.0-only
/* A program that reads arguments by name. test_arguments opens it; no kernel loads it. */
#include <linux/bpf.h>

#include <fentry.bpf.h>

SEC("fentry/f")
int FENTRY_PROG(by_name, int a, int b)
{
	return a + b;
}

char LICENSE[] SEC("license") = "GPL";
