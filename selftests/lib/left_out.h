/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions that btfaddr left out of BTF, and why: $LEFT_OUT is the output of
 * "btfaddr --left-out", from when the selftests were built.
 */
#ifndef SELFTESTS_LEFT_OUT_H
#define SELFTESTS_LEFT_OUT_H

#include <stddef.h>
#include <linux/types.h>

struct left_out_func {
	__u64 offset; /* from _text */
	char *name, *reason;
};

struct left_out {
	struct left_out_func *funcs;
	size_t cnt;
};

/**
 * left_out__read() - Read the list.
 * @ret: to be released with left_out__free(); empty on failure
 *
 * Return: 0; -ENOENT if there is none; another negative errno.
 */
int left_out__read(struct left_out *ret);

void left_out__free(struct left_out *l);

/** left_out__reason() - Why a function was left out; NULL if it wasn't. */
const char *left_out__reason(const struct left_out *l, const char *name, __u64 offset);

#endif /* SELFTESTS_LEFT_OUT_H */
