// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writing "<function>@<unit> <value>..." to the parameter "call" calls a function, and reading it
 * gives what the function returned. Reading "addrs" gives the functions' addresses, as linked.
 */
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>

#include "kinds.h"

#define MAX_TEXT 256

long kinds_sink;

__bpf_kfunc_start_defs();

/**
 * kinds_kfunc() - A function that BPF programs may call, and trace.
 * @n: added to
 * @m: this
 */
__bpf_kfunc long kinds_kfunc(u32 n, u64 m)
{
	WRITE_ONCE(kinds_sink, n);
	return n + m;
}

__bpf_kfunc_end_defs();

/* A program may change what this returns. */
__bpf_hook_start();

static noinline __noipa int modified(int n)
{
	WRITE_ONCE(kinds_sink, n);
	/* not n: the caller would use n and ignore the result */
	return READ_ONCE(kinds_sink);
}

__bpf_hook_end();

/* It has no ftrace site, so no program can attach to it. */
static notrace noinline __noipa int without_site(int n)
{
	WRITE_ONCE(kinds_sink, n);
	return n;
}

BTF_KFUNCS_START(kinds_kfunc_ids)
BTF_ID_FLAGS(func, kinds_kfunc)
BTF_KFUNCS_END(kinds_kfunc_ids)

static const struct btf_kfunc_id_set kinds_kfunc_set = {
	.owner = THIS_MODULE,
	.set = &kinds_kfunc_ids,
};

BTF_KFUNCS_START(kinds_modified_ids)
BTF_ID_FLAGS(func, modified)
BTF_KFUNCS_END(kinds_modified_ids)

static const struct btf_kfunc_id_set kinds_modified_set = {
	.owner = THIS_MODULE,
	.set = &kinds_modified_ids,
};

long kinds_call_kfunc(const long *v)
{
	return kinds_kfunc(v[0], v[1]);
}

KINDS_CALL(modified, v[0])

KINDS_CALL(without_site, v[0])

static const struct kinds_case main_cases[] = {
	KINDS_CASE(modified, modified),
	KINDS_CASE(without_site, without_site),
	{},
};

static const struct kinds_case *const all_cases[] = {
	kinds_a_cases,	  kinds_b_cases,  kinds_regs_cases,
	kinds_args_cases, kinds_o3_cases, main_cases,
};

static const struct kinds_case *find_case(const char *name)
{
	const struct kinds_case *c;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all_cases); i++)
		for (c = all_cases[i]; c->name; c++)
			if (!strcmp(c->name, name))
				return c;
	return NULL;
}

static int parse_values(char *text, long *v)
{
	char *word;
	int i = 0, err;

	while ((word = strsep(&text, " \n"))) {
		if (!*word)
			continue;
		if (i == KINDS_MAX_VALUES)
			return -E2BIG;
		err = kstrtol(word, 0, &v[i++]);
		if (err)
			return err;
	}
	return 0;
}

static int call_set(const char *val, const struct kernel_param *kp)
{
	long v[KINDS_MAX_VALUES] = {};
	const struct kinds_case *c;
	char text[MAX_TEXT], *rest = text;
	int err;

	if (strscpy(text, val) < 0)
		return -E2BIG;
	c = find_case(strsep(&rest, " \n"));
	if (!c)
		return -ENOENT;
	err = parse_values(rest, v);
	if (!err)
		WRITE_ONCE(*(long *)kp->arg, c->call(v));
	return err;
}

static int call_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%ld\n", READ_ONCE(*(long *)kp->arg));
}

static int addrs_get(char *buf, const struct kernel_param *kp)
{
	const struct kinds_case *c;
	int len = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all_cases); i++)
		for (c = all_cases[i]; c->name; c++)
			if (c->addr)
				len += sysfs_emit_at(buf, len, "%s %px\n", c->name, c->addr);
	return len;
}

static const struct kernel_param_ops call_ops = {
	.set = call_set,
	.get = call_get,
};

static const struct kernel_param_ops addrs_ops = {
	.get = addrs_get,
};

static long call_result;
module_param_cb(call, &call_ops, &call_result, 0600);
MODULE_PARM_DESC(call, "Call a function with values; its result");
module_param_cb(addrs, &addrs_ops, NULL, 0400);
MODULE_PARM_DESC(addrs, "Where the functions are");

/* The kernel frees it after loading the module, so BTF must not call it traceable. */
static noinline int __init in_init(int n)
{
	WRITE_ONCE(kinds_sink, n);
	return register_btf_kfunc_id_set(BPF_PROG_TYPE_TRACING, &kinds_kfunc_set);
}

static int __init kinds_init(void)
{
	int err = in_init(1);

	return err ?: register_btf_fmodret_id_set(&kinds_modified_set);
}

static void __exit kinds_exit(void)
{
}

module_init(kinds_init);
module_exit(kinds_exit);

MODULE_DESCRIPTION("BTF tests: functions of each kind that compilers make");
MODULE_LICENSE("GPL");
