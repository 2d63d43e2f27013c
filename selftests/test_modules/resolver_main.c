// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions whose address in BTF is right, and functions whose address is wrong, for each way in
 * which programs can refer to functions; and functions without an address in BTF. The BTF is in
 * resolver_btf.S.
 *
 * resolve_btfids refuses a wrong address, so all addresses are right until it has run. Then
 * ../Makefile renames symbols: <name> becomes <name>_there, and <name>_later becomes <name>.
 *
 * Writing a number to the parameter "call" calls right() and wrong(). With "hold" the module stays
 * in the middle of its unloading until "leave" is written to.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/completion.h>
#include <linux/module.h>

#include "call.h"
#include "resolver.h"

__bpf_kfunc_start_defs();

noinline int right(int n)
{
	return READ_ONCE(n) + 1;
}

int alias(int n) __alias(right);

noinline int wrong_later(int n)
{
	return READ_ONCE(n) + 2;
}

noinline int wrong(int n)
{
	return READ_ONCE(n) + 5;
}

__bpf_kfunc int kfunc_right(int n)
{
	return READ_ONCE(n) + 3;
}

__bpf_kfunc int kfunc_wrong_later(int n)
{
	return READ_ONCE(n) + 4;
}

noinline int kfunc_wrong(int n)
{
	return READ_ONCE(n) + 6;
}

__bpf_kfunc void release_right(void *obj)
{
}

__bpf_kfunc void release_wrong_later(void *obj)
{
	WRITE_ONCE(obj, NULL);
}

noinline void release_wrong(void *obj)
{
	WRITE_ONCE(obj, obj);
}

__bpf_kfunc_end_defs();

static struct btf_id_set8 kfuncs = {
	.cnt = 2,
	.flags = BTF_SET8_KFUNCS,
	.pairs = { { .id = KFUNC_RIGHT }, { .id = KFUNC_WRONG } },
};

static const struct btf_kfunc_id_set kfunc_set = {
	.owner = THIS_MODULE,
	.set = &kfuncs,
};

static const struct btf_id_dtor_kfunc dtors[] = {
	{ .btf_id = TYPE_OBJ_RIGHT, .kfunc_btf_id = DTOR_RIGHT },
	{ .btf_id = TYPE_OBJ_WRONG, .kfunc_btf_id = DTOR_WRONG },
};

/* vmlinux has another function of this name. */
static noinline long shmem_mkdir(long a, long b, long c)
{
	return READ_ONCE(a) + b + c;
}

static noinline int only(int n)
{
	return READ_ONCE(n) + 7;
}

/* resolver_twin.c has another one, with another signature. */
static noinline int twin(int n)
{
	return READ_ONCE(n) + 8;
}

static int call_functions(int n)
{
	return right(n) + wrong_later(n) + shmem_mkdir(n, -n, 0) + only(n) + twin(n) +
	       call_other_twin(n);
}

static bool hold;
module_param(hold, bool, 0400);
MODULE_PARM_DESC(hold, "Let the unloading wait for \"leave\"");

static DECLARE_COMPLETION(leave);

static int leave_set(const char *val, const struct kernel_param *kp)
{
	complete_all(&leave);
	return 0;
}

static const struct kernel_param_ops leave_ops = {
	.set = leave_set,
};

module_param_cb(leave, &leave_ops, NULL, 0200);
MODULE_PARM_DESC(leave, "End the wait of \"hold\"");

static int __init resolver_init(void)
{
	int err;

	err = register_btf_kfunc_id_set(BPF_PROG_TYPE_SYSCALL, &kfunc_set);
	return err ?: register_btf_id_dtor_kfuncs(dtors, ARRAY_SIZE(dtors), THIS_MODULE);
}
module_init(resolver_init);

static void __exit resolver_exit(void)
{
	if (hold)
		wait_for_completion(&leave);
}
module_exit(resolver_exit);

MODULE_DESCRIPTION("BTF tests: right and wrong addresses of a module's functions");
MODULE_LICENSE("GPL");
