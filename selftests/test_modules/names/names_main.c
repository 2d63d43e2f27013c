// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of the source with one base name, in every combination with the copies that compilers
 * make. Writing to the parameter "call" calls all of them, with that number; reading "calls" gives
 * the calls of each so far: "<name>@<unit> <calls>".
 */
#include <linux/module.h>
#include <linux/sysfs.h>

#include "names.h"
#include "call.h"

unsigned int names_calls[NAMES_CNT];
int names_sink;

static int call_functions(int n)
{
	names_call_a(n);
	names_call_b(n);
	names_call_o3(n);
	names_call_build(n);
	names_call_t1(n);
	names_call_t2(n);
	return 0;
}

static const char *const names[NAMES_CNT] = {
	[NAMES_COOKIE_A] = "cookie@names_a.c",
	[NAMES_COOKIE_B] = "cookie@names_b.c",
	[NAMES_HIDDEN_A] = "hidden@names_a.c",
	[NAMES_HIDDEN_B] = "hidden@names_b.c",
	[NAMES_MIXED_A] = "mixed@names_a.c",
	[NAMES_MIXED_B] = "mixed@names_b.c",
	[NAMES_SHARED_A] = "shared@names_a.c",
	[NAMES_SHARED_B] = "shared@names_b.c",
	[NAMES_INCLUDED_A] = "included@names_a.c",
	[NAMES_INCLUDED_D] = "included@names_build.c",
	[NAMES_DEEPER_E] = "deeper@names_build.c",
	[NAMES_TWICE_1] = "twice@names_t1.c",
	[NAMES_TWICE_2] = "twice@names_t2.c",
	[NAMES_BOTH] = "both@names_o3.c",
	[NAMES_CLONES] = "clones@names_o3.c",
	[NAMES_PARTED] = "parted@names_a.c",
	[NAMES_VERSION] = "version_proc_show@names_b.c",
	[NAMES_ALONE] = "alone@names_b.c",
};

static int calls_get(char *buffer, const struct kernel_param *kp)
{
	int i, len = 0;

	for (i = 0; i < NAMES_CNT; i++)
		len += sysfs_emit_at(buffer, len, "%s %u\n", names[i], names_calls[i]);
	return len;
}

static const struct kernel_param_ops calls_ops = {
	.get = calls_get,
};

module_param_cb(calls, &calls_ops, NULL, 0400);
MODULE_PARM_DESC(calls, "Calls of each function");

MODULE_DESCRIPTION("BTF tests: functions of the source, and copies that compilers make");
MODULE_LICENSE("GPL");
