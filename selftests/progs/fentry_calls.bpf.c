// SPDX-License-Identifier: GPL-2.0-only
/* Programs at all calls of functions of "timing" and, on a stock kernel, at an entry of vmlinux. */
#include <linux/bpf.h>
#include <fentry.bpf.h>

char LICENSE[] SEC("license") = "GPL";

SEC("?fentry.probe/timing:partly")
int FENTRY_PROBE_PROG(on_partly, unsigned int usec)
{
	bpf_printk("partly %u", usec);
	return 0;
}

SEC("?fentry.probe/timing:sums")
int FENTRY_PROBE_PROG(on_sums, long seven, unsigned int usec)
{
	bpf_printk("sums %u %ld", usec, seven);
	return 0;
}

SEC("?fentry.probe/timing:wholly")
int FENTRY_PROBE_PROG(on_wrong, long usec)
{
	return 0;
}

SEC("?fentry.probe/timing:wholly")
int FENTRY_PROBE_PROG(on_missing, unsigned int nsec)
{
	return 0;
}

SEC("?fentry.probe/timing:none_such")
int FENTRY_PROBE_PROG(on_nothing)
{
	return 0;
}

SEC("?fentry.probe/timing:wholly")
int on_registers(void *ctx)
{
	bpf_printk("wholly");
	return 0;
}

SEC("?fentry.probe/do_pselect")
int FENTRY_PROBE_PROG(on_pselect, unsigned long sigsetsize)
{
	bpf_printk("%lu of pselect", sigsetsize);
	return 0;
}

SEC("?fentry.probe/do_sys_openat2")
int FENTRY_PROBE_PROG(on_opened, int dfd)
{
	bpf_printk("opened %d", dfd);
	return 0;
}
