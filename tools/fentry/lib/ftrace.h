/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Which functions ftrace can patch. */
#ifndef FENTRY_FTRACE_H
#define FENTRY_FTRACE_H

#include "libfentry.h"

struct fentry_ftrace {
	__u64 *sites; /* sorted */
	size_t cnt;
};

/* tracefs' list of them. Linux before 6.5 has only one of names. */
#define FENTRY_FTRACE_SITES "available_filter_functions_addrs"

/* A site is at the start of its function, or behind an endbr64 or the like. */
#define FENTRY_SITE_OFFSET_MAX 16

/* Add the sites in an open list, and sort them. Returns false if it can't be read to its end. */
bool fentry_ftrace__read(int fd, struct fentry_ftrace *ret);

/* Add one site. Returns false without memory. When all are there, they have to be sorted. */
bool fentry_ftrace__add(struct fentry_ftrace *f, __u64 site);
void fentry_ftrace__sort(struct fentry_ftrace *f);

/* Is there a site from @addr on, and before @limit? */
bool fentry_ftrace__has(const struct fentry_ftrace *f, __u64 addr, __u64 limit);

void fentry_ftrace__free(struct fentry_ftrace *f);

#endif /* FENTRY_FTRACE_H */
