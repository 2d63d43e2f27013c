// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions that vmlinux has, too. The first two have the same prototypes there. pahole merges
 * their FUNCs with those of vmlinux, which has a single prototype for the first name, and several
 * for the second. The third one has another prototype than vmlinux's, and so a FUNC of its own.
 */
#include <linux/compiler.h>
#include <linux/device.h>

#include "protos.h"

static noinline __noipa int bpf_fentry_test1(int a)
{
	return READ_ONCE(a) + 1;
}

static noinline __noipa ssize_t type_show(struct device *dev, struct device_attribute *attr,
					  char *buf)
{
	return READ_ONCE(*buf);
}

static noinline __noipa long bpf_fentry_test2(long a)
{
	return READ_ONCE(a) + 2;
}

/* protos_main.c has one, too. */
static noinline __noipa int bpf_fentry_test3(int a)
{
	return READ_ONCE(a) + 3;
}

/* noinline: if ThinLTO inlined it into the other file, it would rename the static functions. */
noinline int protos_other(int n)
{
	char c = n;

	return bpf_fentry_test1(n) + bpf_fentry_test2(n) + bpf_fentry_test3(n) +
	       type_show(NULL, NULL, &c);
}
