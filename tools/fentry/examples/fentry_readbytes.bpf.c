// SPDX-License-Identifier: GPL-2.0-only
/* The bytes that each process read, when it ends: fentry run fentry_readbytes.bpf.o */
#include <linux/bpf.h>
#include <fentry.bpf.h>

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 10240);
	__type(key, unsigned int);
	__type(value, __u64);
} bytes SEC(".maps");

SEC("fexit/vfs_read")
int FEXIT_PROG(after_read, long ret)
{
	unsigned int pid = bpf_get_current_pid_tgid() >> 32;
	__u64 *sum, none = 0;

	if (ret <= 0)
		return 0;
	bpf_map_update_elem(&bytes, &pid, &none, BPF_NOEXIST);
	sum = bpf_map_lookup_elem(&bytes, &pid);
	if (sum)
		__sync_fetch_and_add(sum, ret);
	return 0;
}

/* A process ends with its first thread, unless others go on alone. */
SEC("fentry/exit_signals")
int before_end(void *ctx)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	unsigned int pid = pid_tgid >> 32;
	const __u64 *sum = bpf_map_lookup_elem(&bytes, &pid);
	char comm[16];

	if (!sum || (unsigned int)pid_tgid != pid)
		return 0;
	bpf_get_current_comm(comm, sizeof(comm));
	bpf_printk("%s read %llu bytes", comm, *sum);
	bpf_map_delete_elem(&bytes, &pid);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
