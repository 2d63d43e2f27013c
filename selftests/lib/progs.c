// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "progs.h"

int progs__load_empty(const struct prog_target *target)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = target->attach_type,
		    .attach_btf_obj_fd = target->btf_fd, .attach_btf_id = target->btf_id,
		    .log_buf = target->log, .log_size = target->log_size, .log_level = 1);

	*target->log = '\0';
	return bpf_prog_load(target->type, NULL, "GPL", insns, 2, &opts);
}

/*
 * Add struct value { struct @struct_name __kptr *obj; }. Type 1 is int. Returns its id or -ENOMEM.
 */
static int add_value(struct btf *btf, const char *struct_name)
{
	int obj, tag, ptr, value;

	obj = btf__add_struct(btf, struct_name, 4);
	if (obj < 0 || btf__add_field(btf, "n", 1, 0, 0))
		return -ENOMEM;
	tag = btf__add_type_tag(btf, "kptr", obj);
	ptr = btf__add_ptr(btf, tag);
	value = btf__add_struct(btf, "value", sizeof(__u64));
	if (tag < 0 || ptr < 0 || value < 0 || btf__add_field(btf, "obj", ptr, 0, 0))
		return -ENOMEM;
	return value;
}

/* Don't use libbpf's loader: if the kernel refuses the map, it tries again without types. */
int progs__kptr_map(const char *struct_name)
{
	struct btf *btf = btf__new_empty();
	LIBBPF_OPTS(bpf_map_create_opts, opts);
	int id, err;

	if (!btf)
		return -errno;
	opts.btf_key_type_id = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	id = add_value(btf, struct_name);
	opts.btf_value_type_id = id;
	err = id < 0 ? id : btf__load_into_kernel(btf);
	opts.btf_fd = btf__fd(btf);
	if (!err)
		err = bpf_map_create(BPF_MAP_TYPE_ARRAY, NULL, sizeof(int), sizeof(__u64), 1,
				     &opts);
	btf__free(btf);
	return err;
}

int progs__insns(int fd, struct bpf_insn *insns, unsigned int max)
{
	struct bpf_prog_info info = {
		.xlated_prog_insns = (__u64)(unsigned long)insns,
		.xlated_prog_len = max * sizeof(*insns),
	};
	__u32 len = sizeof(info);
	int err;

	err = bpf_obj_get_info_by_fd(fd, &info, &len);
	if (err)
		return err;
	if (info.xlated_prog_len > max * sizeof(*insns))
		return -E2BIG;
	return info.xlated_prog_len / sizeof(*insns);
}
