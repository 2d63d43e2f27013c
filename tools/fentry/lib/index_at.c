// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Which function an address is in. */
#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "index.h"
#include "kallsyms.h"

static int cmp_addr(const void *a, const void *b)
{
	const struct fentry_target *x = *(const struct fentry_target **)a;
	const struct fentry_target *y = *(const struct fentry_target **)b;

	return cmp_int(x->addr, y->addr);
}

static int cmp_target(const void *a, const void *b)
{
	const struct fentry_target *x = *(const struct fentry_target **)a;
	const struct fentry_target *y = *(const struct fentry_target **)b;

	return cmp_addr(a, b) ?: strcmp(x->name, y->name);
}

/* All code counts, as an address may be in a function that the index hasn't got. */
static int add_start(void *ctx, const struct fentry_symbol *symbol)
{
	struct fentry_index *idx = ctx;

	if (!symbol->addr)
		return 0;
	if (!ARRAY_GROW(idx->starts, idx->start_cnt))
		return -ENOMEM;
	idx->starts[idx->start_cnt++] = symbol->addr;
	return 0;
}

static void read_starts(struct fentry_index *idx)
{
	if (fentry_kallsyms__read(idx->kallsyms_path, add_start, idx, NULL))
		idx->start_cnt = 0;
	array_sort(idx->starts, idx->start_cnt, sizeof(*idx->starts), cmp_u64);
	idx->starts_read = true;
}

static void sort_targets(struct fentry_index *idx)
{
	size_t i;

	idx->by_addr = calloc(idx->cnt + 1, sizeof(*idx->by_addr));
	for (i = 0; idx->by_addr && i < idx->cnt; i++)
		if (idx->targets[i].addr)
			idx->by_addr[idx->by_addr_cnt++] = &idx->targets[i];
	if (idx->by_addr_cnt)
		qsort(idx->by_addr, idx->by_addr_cnt, sizeof(*idx->by_addr), cmp_target);
}

const struct fentry_target *fentry_index__begins_at(const struct fentry_index *index, __u64 addr,
						    const char *name)
{
	struct fentry_index *idx = (struct fentry_index *)index;
	const struct fentry_target wanted = { .name = name, .addr = addr };
	const struct fentry_target *key = &wanted, **found;

	pthread_mutex_lock(&idx->lock);
	if (!idx->by_addr)
		sort_targets(idx);
	pthread_mutex_unlock(&idx->lock);
	found = idx->by_addr_cnt ? bsearch(&key, idx->by_addr, idx->by_addr_cnt,
					   sizeof(*idx->by_addr), name ? cmp_target : cmp_addr) :
				   NULL;
	return found ? *found : NULL;
}

const struct fentry_target *fentry_index__at(const struct fentry_index *index, __u64 addr)
{
	struct fentry_index *idx = (struct fentry_index *)index;
	__u64 next = addr + 1;
	size_t i;

	pthread_mutex_lock(&idx->lock);
	if (!idx->starts_read)
		read_starts(idx);
	pthread_mutex_unlock(&idx->lock);
	i = lower_bound(&next, idx->starts, idx->start_cnt, sizeof(next), cmp_u64);
	return i ? fentry_index__begins_at(idx, idx->starts[i - 1], NULL) : NULL;
}
