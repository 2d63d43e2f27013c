/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parameter "call" of a module. Writing a number calls call_functions() with it, and reading
 * gives the result. The module defines call_functions() below the include.
 */
#ifndef TEST_MODULES_CALL_H
#define TEST_MODULES_CALL_H

#include <linux/kernel.h>
#include <linux/moduleparam.h>

static int call_functions(int n);

static int call_set(const char *val, const struct kernel_param *kp)
{
	int n, err;

	err = kstrtoint(val, 0, &n);
	if (err)
		return err;
	WRITE_ONCE(*(int *)kp->arg, call_functions(n));
	return 0;
}

static const struct kernel_param_ops call_ops = {
	.set = call_set,
	.get = param_get_int,
};

static int call_result;
module_param_cb(call, &call_ops, &call_result, 0600);
MODULE_PARM_DESC(call, "Call the functions with this number");

#endif /* TEST_MODULES_CALL_H */
