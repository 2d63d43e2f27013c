// SPDX-License-Identifier: GPL-2.0-only
/* Programs at all calls of functions of "timing" and, on a stock kernel, at an entry of vmlinux. */
#include <linux/bpf.h>
#include <fentry.bpf.h>

char LICENSE[] SEC("license") = "GPL";

SEC("?fentry.inlined/timing:partly")
int FENTRY_INLINED_PROG(on_partly, unsigned int usec)
{
	bpf_printk("partly %u", usec);
	return 0;
}

SEC("?fentry.inlined/timing:sums")
int FENTRY_INLINED_PROG(on_sums, long seven, unsigned int usec)
{
	bpf_printk("sums %u %ld", usec, seven);
	return 0;
}

SEC("?fentry.inlined/timing:wholly")
int FENTRY_INLINED_PROG(on_wrong, long usec)
{
	return 0;
}

SEC("?fentry.inlined/timing:wholly")
int FENTRY_INLINED_PROG(on_missing, unsigned int nsec)
{
	return 0;
}

SEC("?fentry.inlined/timing:none_such")
int FENTRY_INLINED_PROG(on_nothing)
{
	return 0;
}

SEC("?fentry.inlined/timing:wholly")
int on_registers(void *ctx)
{
	bpf_printk("wholly");
	return 0;
}

SEC("?fentry.inlined/do_pselect")
int FENTRY_INLINED_PROG(on_pselect, unsigned long sigsetsize)
{
	bpf_printk("%lu of pselect", sigsetsize);
	return 0;
}
