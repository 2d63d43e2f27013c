// SPDX-License-Identifier: GPL-2.0-only
/* A program at the entry of a function that no trampoline can reach. */
#include <linux/bpf.h>
#include <fentry.bpf.h>

char LICENSE[] SEC("license") = "GPL";

SEC("fentry.inlined/do_pselect")
int FENTRY_INLINED_PROG(on_pselect, unsigned long sigsetsize)
{
	bpf_printk("%lu of pselect", sigsetsize);
	return 0;
}
