// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two functions twin() in one module, with different signatures, and one only().
 * Writing a number to the parameter "call" calls them all.
 */
#include <linux/module.h>

#include "twins.h"

/* Room for BTF, which the test fills in before it loads the module. */
static const char btf_room[4096] __used __section(".BTF");

static noinline int twin(int n)
{
	return READ_ONCE(n) + 1;
}

static noinline int only(int n)
{
	return READ_ONCE(n) + 2;
}

static int call_set(const char *val, const struct kernel_param *kp)
{
	int n, ret;

	ret = kstrtoint(val, 0, &n);
	if (ret)
		return ret;
	WRITE_ONCE(*(int *)kp->arg, twin(n) + only(n) + twins_other(n));
	return 0;
}

static const struct kernel_param_ops call_ops = {
	.set = call_set,
	.get = param_get_int,
};

static int call_result;
module_param_cb(call, &call_ops, &call_result, 0600);
MODULE_PARM_DESC(call, "Call all functions with this number");

MODULE_DESCRIPTION("BTF tests: two functions of one name in a module");
MODULE_LICENSE("GPL");
