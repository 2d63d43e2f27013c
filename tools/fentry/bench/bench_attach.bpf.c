// SPDX-License-Identifier: GPL-2.0-only
/* The programs that bench_attach attaches. All do the same. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

unsigned long long hits = 0;

#define PROGRAM(name, section)                  \
	SEC(section)                            \
	int name(void *ctx)                     \
	{                                       \
		__sync_fetch_and_add(&hits, 1); \
		return 0;                       \
	}

PROGRAM(on_fentry, "fentry")
PROGRAM(on_probes, "kprobe.multi")
PROGRAM(on_probe, "kprobe")

char LICENSE[] SEC("license") = "GPL";
