// SPDX-License-Identifier: GPL-2.0-only
/* A program that changes what a function of the module "kinds" does. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

unsigned int only_tgid;
int new_value;

/* The traced function doesn't run if this returns anything but 0. */
SEC("fmod_ret/kinds:modified")
int modify(unsigned long long *ctx)
{
	return bpf_get_current_pid_tgid() >> 32 == only_tgid ? new_value : 0;
}

char LICENSE[] SEC("license") = "GPL";
