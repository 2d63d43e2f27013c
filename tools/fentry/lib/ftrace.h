/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Which functions ftrace can patch. */
#ifndef FENTRY_FTRACE_H
#define FENTRY_FTRACE_H

#include "libfentry.h"

struct fentry_ftrace {
	__u64 *sites; /* sorted */
	size_t cnt;
};

/* Read all sites. Returns false if the kernel doesn't show them. Release them in any case. */
bool fentry_ftrace__read(struct fentry_ftrace *ret);

/* Has the function at this address a site? */
bool fentry_ftrace__has(const struct fentry_ftrace *f, __u64 addr);

void fentry_ftrace__free(struct fentry_ftrace *f);

#endif /* FENTRY_FTRACE_H */
