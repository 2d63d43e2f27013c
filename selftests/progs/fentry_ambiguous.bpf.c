// SPDX-License-Identifier: GPL-2.0-only
/* A user's program for a function; two have this name and these parameters. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <fentry.bpf.h>

struct bpf_iter_aux_info;

SEC("fentry/bpf_iter_detach_map")
int FENTRY_PROG(ambiguous, struct bpf_iter_aux_info *aux)
{
	bpf_printk("ambiguous %d", aux != 0);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
