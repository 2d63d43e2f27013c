// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions whose prototypes the kernel looks up by itself: the stubs of struct_ops, and the
 * functions of a tracepoint. Writing a number to the parameter "call" calls the tracepoint with
 * this number and twice the number.
 */
#include <linux/bpf.h>
#include <linux/bpf_verifier.h>
#include <linux/btf.h>
#include <linux/module.h>

#include "call.h"
#include "protos.h"

#define CREATE_TRACE_POINTS
#include "protos_event.h"

static int protos_ops__op(struct task_struct *task__nullable)
{
	return 0;
}

static struct protos_ops protos_stubs = {
	.op = protos_ops__op,
};

static bool is_valid_access(int off, int size, enum bpf_access_type type,
			    const struct bpf_prog *prog, struct bpf_insn_access_aux *info)
{
	return bpf_tracing_btf_ctx_access(off, size, type, prog, info);
}

static const struct bpf_verifier_ops verifier_ops = {
	.is_valid_access = is_valid_access,
};

static int init(struct btf *btf)
{
	return 0;
}

static int init_member(const struct btf_type *t, const struct btf_member *member, void *kdata,
		       const void *udata)
{
	return 0;
}

static int reg(void *kdata, struct bpf_link *link)
{
	return -EOPNOTSUPP;
}

static void unreg(void *kdata, struct bpf_link *link)
{
}

static struct bpf_struct_ops protos_struct_ops = {
	.verifier_ops = &verifier_ops,
	.init = init,
	.init_member = init_member,
	.reg = reg,
	.unreg = unreg,
	.cfi_stubs = &protos_stubs,
	.name = "protos_ops",
	.owner = THIS_MODULE,
};

/* vmlinux has one, and another file of this module, with other prototypes. */
static noinline __noipa long bpf_fentry_test3(const char *text, long n)
{
	return text[READ_ONCE(n) & 1];
}

static int call_functions(int n)
{
	trace_protos_event(n, 2L * n);
	return protos_other(n) + bpf_fentry_test3("ab", n);
}

static int __init protos_init(void)
{
	return register_bpf_struct_ops(&protos_struct_ops, protos_ops);
}

static void __exit protos_exit(void)
{
}

module_init(protos_init);
module_exit(protos_exit);

MODULE_DESCRIPTION("BTF tests: prototypes that the kernel looks up");
MODULE_LICENSE("GPL");
