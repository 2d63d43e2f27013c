// SPDX-License-Identifier: GPL-2.0-only
/* Prints the symbols of the ksym iterator in the format of /proc/kallsyms_btf. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct kallsym_iter {
	unsigned long value;
	char type;
	char name[512];
	char module_name[56];
	int exported;
	int show_value;
	__u32 btf_obj_id;
	__u32 btf_type_id;
};

struct bpf_iter__ksym {
	struct bpf_iter_meta *meta;
	struct kallsym_iter *ksym;
};

#pragma clang attribute pop

SEC("iter/ksym")
int print_functions(struct bpf_iter__ksym *ctx)
{
	struct seq_file *seq = ctx->meta->seq;
	struct kallsym_iter *sym = ctx->ksym;
	__u64 value;
	char type;

	if (!sym || !sym->btf_type_id)
		return 0;

	value = sym->show_value ? sym->value : 0;
	type = sym->type;
	if (sym->module_name[0])
		type = sym->exported ? type & ~0x20 : type | 0x20;
	BPF_SEQ_PRINTF(seq, "%016llx %c %s", value, type, sym->name);
	if (sym->module_name[0])
		BPF_SEQ_PRINTF(seq, "\t[%s]", sym->module_name);
	BPF_SEQ_PRINTF(seq, "\t%u:%u\n", sym->btf_obj_id, sym->btf_type_id);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
