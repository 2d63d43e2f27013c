// SPDX-License-Identifier: GPL-2.0-only
/* How long block I/O takes, from one function to another: fentry run fentry_biolatency.bpf.o */
#include <linux/bpf.h>
#include <fentry.bpf.h>

struct bvec_iter {
	unsigned int bi_size;
} __attribute__((preserve_access_index));

struct bio {
	struct bvec_iter bi_iter;
	unsigned int bi_opf;
} __attribute__((preserve_access_index));

struct started {
	__u64 time;
	unsigned int size;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 10240);
	__type(key, __u64);
	__type(value, struct started);
} bios SEC(".maps");

SEC("fentry/submit_bio_noacct")
int FENTRY_PROG(submitted, struct bio *bio)
{
	struct started now = { bpf_ktime_get_ns(), bio->bi_iter.bi_size };
	__u64 key = (unsigned long)bio;

	bpf_map_update_elem(&bios, &key, &now, BPF_ANY);
	return 0;
}

SEC("fentry/bio_endio")
int FENTRY_PROG(ended, struct bio *bio)
{
	__u64 key = (unsigned long)bio;
	const struct started *s = bpf_map_lookup_elem(&bios, &key);

	if (!s)
		return 0;
	bpf_printk("%s of %u bytes took %llu ns", bio->bi_opf & 1 ? "write" : "read", s->size,
		   bpf_ktime_get_ns() - s->time);
	bpf_map_delete_elem(&bios, &key);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
