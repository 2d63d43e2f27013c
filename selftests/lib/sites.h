/* SPDX-License-Identifier: GPL-2.0-only */
/* The places that ftrace can patch, as tracefs lists them. */
#ifndef SELFTESTS_SITES_H
#define SELFTESTS_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "ksyms.h"

struct sites {
	__u64 *addrs; /* sorted; entries of functions */
	size_t cnt;
	size_t unnamed; /* places that no symbol starts at */
};

/**
 * sites__read() - Read the functions that ftrace can trace.
 * @syms: /proc/kallsyms
 * @module: of which module; NULL for vmlinux
 * @ret: to be released with sites__free()
 *
 * Return: 0 or a negative errno; -EINVAL for a line of another form.
 */
int sites__read(const struct ksyms *syms, const char *module, struct sites *ret);

void sites__free(struct sites *s);

/** sites__has() - Can ftrace trace the function that begins at @addr? */
bool sites__has(const struct sites *s, __u64 addr);

#endif /* SELFTESTS_SITES_H */
