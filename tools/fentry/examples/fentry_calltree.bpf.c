// SPDX-License-Identifier: GPL-2.0-only
/* A call tree of three functions: fentry run fentry_calltree.bpf.o -- cat /proc/cpuinfo */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u64);
} levels SEC(".maps");

static int show(int change, const char *format, const char *name)
{
	__u64 *level = bpf_task_storage_get(&levels, bpf_get_current_task_btf(), 0,
					    BPF_LOCAL_STORAGE_GET_F_CREATE);
	char indent[] = "                "; /* of 8 levels */

	if (!level || (change < 0 && !*level)) /* the call began before the tracing */
		return 0;
	if (change < 0)
		*level += change;
	indent[*level * 2 & 15] = '\0';
	bpf_trace_printk(format, 8, indent, name);
	if (change > 0)
		*level += change;
	return 0;
}

#define TRACE(name, spec)                               \
	SEC("fentry/" spec) int enter_##name(void *ctx) \
	{                                               \
		return show(1, "%s%s {", #name);        \
	}                                               \
	SEC("fexit/" spec) int leave_##name(void *ctx)  \
	{                                               \
		return show(-1, "%s} %s", #name);       \
	}

TRACE(proc_reg_read_iter, "proc_reg_read_iter")
TRACE(seq_read_iter, "seq_read_iter")
/* crypto/proc.c has another one */
#ifdef __TARGET_ARCH_arm64
TRACE(c_start, "c_start@kernel/cpuinfo.c")
#else
TRACE(c_start, "c_start@cpu/proc.c")
#endif

char LICENSE[] SEC("license") = "GPL";
