// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects of BPF programs, one after the other in a process, up to where the kernel would be asked
 * to load them: their arguments are found, and placed for a function.
 */
#include <string.h>

#include "fuzz.h"
#include "arguments.h"

/* long f(struct st *dentry, int n) */
static struct btf *make_kernel(void)
{
	struct btf *btf = btf__new_empty();

	btf__add_int(btf, "long", 8, BTF_INT_SIGNED);
	btf__add_struct(btf, "dentry", 8);
	btf__add_ptr(btf, 2);
	btf__add_func_proto(btf, 1);
	btf__add_func_param(btf, "dentry", 3);
	btf__add_func_param(btf, "n", 1);
	FUZZ_CHECK(btf__add_func(btf, "f", BTF_FUNC_STATIC, 4) == 5);
	return btf;
}

/* As fentry_prog__prepare() does, with the object's BTF instead of the kernel's copy. */
static void place(const struct bpf_program *prog, const struct btf *btf,
		  const struct fentry_target *target)
{
	struct fentry_arguments *a = fentry_arguments__of(prog);
	size_t size = bpf_program__insn_cnt(prog) * sizeof(struct bpf_insn);
	struct fentry_error error = {};
	struct bpf_insn *insns;
	const void *raw;
	__u32 raw_size;

	raw = a && btf ? btf__raw_data(btf, &raw_size) : NULL;
	if (!raw)
		return;
	fentry_arguments__declare(a, btf__new(raw, raw_size));
	if (fentry_arguments__prepare(a, bpf_program__insns(prog), &error))
		return;
	insns = malloc(size);
	memcpy(insns, bpf_program__insns(prog), size);
	fentry_arguments__fit(a, target->btf, target->type_id);
	fentry_arguments__place(a, target, false, insns, &error);
	free(insns);
}

void fuzz_one(const uint8_t *data, size_t size)
{
	static struct btf *kernel;
	struct fentry_target target = { .name = "f", .type_id = 5 };
	struct bpf_object *obj;
	struct bpf_program *prog;

	if (!kernel) {
		kernel = make_kernel();
		FUZZ_CHECK(!fentry_register(NULL));
	}
	target.btf = kernel;
	obj = bpf_object__open_mem(data, size, NULL);
	if (!obj)
		return;
	fuzz_taken();
	bpf_object__for_each_program(prog, obj)
		place(prog, bpf_object__btf(obj), &target);
	bpf_object__close(obj);
}
