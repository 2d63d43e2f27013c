// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Which functions ftrace can patch, as tracefs lists them by address since Linux 6.5. */
#include <errno.h>

#include "array.h"
#include "ftrace.h"
#include "kallsyms.h"

bool fentry_ftrace__add(struct fentry_ftrace *f, __u64 site)
{
	if (!ARRAY_GROW(f->sites, f->cnt))
		return false;
	f->sites[f->cnt++] = site;
	return true;
}

/* "ffffffff81000000 name [module]" */
static int take_line(void *ctx, char *line, char *end)
{
	__u64 site;

	(void)end;
	fentry_hex__read(line, &site);
	return fentry_ftrace__add(ctx, site) ? 0 : -ENOMEM;
}

bool fentry_ftrace__read(int fd, struct fentry_ftrace *ret)
{
	bool ok = !fentry_lines__read(fd, FENTRY_FTRACE_SITES, take_line, ret, NULL);

	fentry_ftrace__sort(ret);
	return ok;
}

void fentry_ftrace__sort(struct fentry_ftrace *f)
{
	array_sort(f->sites, f->cnt, sizeof(*f->sites), cmp_u64);
}

bool fentry_ftrace__has(const struct fentry_ftrace *f, __u64 addr, __u64 limit)
{
	size_t i = lower_bound(&addr, f->sites, f->cnt, sizeof(*f->sites), cmp_u64);

	return i < f->cnt && f->sites[i] < limit;
}

void fentry_ftrace__free(struct fentry_ftrace *f)
{
	free(f->sites);
}
