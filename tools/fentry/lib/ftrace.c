// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Which functions ftrace can patch, as tracefs lists them by address since Linux 6.5. */
#include <stdio.h>
#include <stdlib.h>

#include "array.h"
#include "ftrace.h"

/* A site is at the start of its function, or behind an endbr64 or the like. */
#define SITE_OFFSET_MAX 16

static int cmp_addr(const void *a, const void *b)
{
	const __u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return x < y ? -1 : x > y;
}

bool fentry_ftrace__read(struct fentry_ftrace *ret)
{
	FILE *f = fopen("/sys/kernel/tracing/available_filter_functions_addrs", "re");
	char *line = NULL;
	size_t size = 0;
	bool ok = f;

	*ret = (struct fentry_ftrace){};
	while (ok && getline(&line, &size, f) >= 0) {
		ok = ARRAY_GROW(ret->sites, ret->cnt);
		if (ok)
			ret->sites[ret->cnt++] = strtoull(line, NULL, 16);
	}
	free(line);
	if (f)
		fclose(f);
	if (ret->cnt)
		qsort(ret->sites, ret->cnt, sizeof(*ret->sites), cmp_addr);
	return ok && ret->cnt;
}

bool fentry_ftrace__has(const struct fentry_ftrace *f, __u64 addr)
{
	size_t i = lower_bound(&addr, f->sites, f->cnt, sizeof(*f->sites), cmp_addr);

	return i < f->cnt && f->sites[i] < addr + SITE_OFFSET_MAX;
}

void fentry_ftrace__free(struct fentry_ftrace *f)
{
	free(f->sites);
}
