// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two functions that do the same. BTF, which is in dropped_btf.S, lacks an argument of one of them.
 *
 * Writing "<function> <a> <b> <c>" to the parameter "call" calls a function, and reading it gives
 * the arguments that the function received.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>

#define MAX_NAME 16

/* dropped_btf.S refers to these, so they are global. */
long with_all(long a, long b, long c);
long without_last(long a, long b, long c);

struct arguments {
	long a, b, c;
};

static struct arguments received;

/* The functions return different values, so that the compiler doesn't merge them. */
noinline __noipa long with_all(long a, long b, long c)
{
	received = (struct arguments){ a, b, c };
	return 3;
}

noinline __noipa long without_last(long a, long b, long c)
{
	received = (struct arguments){ a, b, c };
	return 2;
}

static int call_set(const char *val, const struct kernel_param *kp)
{
	struct arguments given;
	char name[MAX_NAME];

	if (sscanf(val, "%15s %li %li %li", name, &given.a, &given.b, &given.c) != 4)
		return -EINVAL;
	if (!strcmp(name, "with_all"))
		with_all(given.a, given.b, given.c);
	else if (!strcmp(name, "without_last"))
		without_last(given.a, given.b, given.c);
	else
		return -ENOENT;
	return 0;
}

static int call_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%ld %ld %ld\n", received.a, received.b, received.c);
}

static const struct kernel_param_ops call_ops = {
	.set = call_set,
	.get = call_get,
};

module_param_cb(call, &call_ops, NULL, 0600);
MODULE_PARM_DESC(call, "Call a function; the arguments that it received");

MODULE_DESCRIPTION("BTF tests: a function that has an argument which BTF lacks");
MODULE_LICENSE("GPL");
