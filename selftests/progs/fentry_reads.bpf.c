// SPDX-License-Identifier: GPL-2.0-only
/* A user's program that reads the kernel's memory, which lockdown may forbid. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <fentry.bpf.h>

struct bpf_iter_aux_info;

SEC("fentry/bpf_iter_detach_map@map_iter.c")
int FENTRY_PROG(reads, struct bpf_iter_aux_info *aux)
{
	long value;

	bpf_printk("reads %d", !bpf_probe_read_kernel(&value, sizeof(value), aux));
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
