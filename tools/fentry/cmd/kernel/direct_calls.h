/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether the kernel's code calls a function at all. */
#ifndef FENTRY_DIRECT_CALLS_H
#define FENTRY_DIRECT_CALLS_H

#include <stdbool.h>

struct ksyms;

/*
 * Is there no direct call of a function, and no jump to it?
 * @k: the kernel's symbols
 * @addr: address of the function
 *
 * Reads the code of vmlinux and of modules in /proc/kcore. Bytes that look like a call may be none,
 * so the code can prove that there is no call, but never that there is one.
 *
 * Return: true if none is there; false if there may be one, or the code can't be read.
 */
bool direct_calls__none(const struct ksyms *k, unsigned long long addr);

#endif /* FENTRY_DIRECT_CALLS_H */
