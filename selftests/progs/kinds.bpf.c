// SPDX-License-Identifier: GPL-2.0-only
/* Programs that change what functions of the module "kinds" do. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

extern long kinds_kfunc(unsigned int n, unsigned long long m) __ksym;

unsigned int only_tgid;
long kfunc_result;
int new_value;

/* Calls a kfunc of the module. The traced function then runs as usual. */
SEC("?fmod_ret/kinds:modified")
int call_kfunc(unsigned long long *ctx)
{
	if (bpf_get_current_pid_tgid() >> 32 == only_tgid)
		kfunc_result = kinds_kfunc(40, 2);
	return 0;
}

/* The traced function doesn't run if this returns anything but 0. */
SEC("?fmod_ret/kinds:modified")
int modify(unsigned long long *ctx)
{
	return bpf_get_current_pid_tgid() >> 32 == only_tgid ? new_value : 0;
}

char LICENSE[] SEC("license") = "GPL";
