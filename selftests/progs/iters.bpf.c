// SPDX-License-Identifier: GPL-2.0-only
/* Iterators that do nothing: the tests only close their links. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, int);
	__type(value, int);
} elems SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, int);
} storage SEC(".maps");

SEC("iter/bpf_map_elem")
int map_elem(void *ctx)
{
	return 0;
}

SEC("iter/bpf_sk_storage_map")
int sk_storage(void *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
