// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Other names of functions. BTF has one FUNC for an address; /proc/kallsyms_btf has a
 * line with its id for each symbol there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

int fentry_index__add_alias(struct fentry_index *idx, const struct fentry_target *target,
			    const char *name)
{
	struct fentry_alias *aliases;

	aliases = reallocarray(idx->aliases, idx->alias_cnt + 1, sizeof(*aliases));
	if (!aliases)
		return -ENOMEM;
	idx->aliases = aliases;
	/* the target moves when the index is sorted */
	aliases[idx->alias_cnt] = (struct fentry_alias){
		.name = strdup(name),
		.func = *target,
	};
	if (!aliases[idx->alias_cnt].name)
		return -ENOMEM;
	idx->alias_cnt++;
	return 0;
}

static int cmp_alias(const void *a, const void *b)
{
	return strcmp(((const struct fentry_alias *)a)->name,
		      ((const struct fentry_alias *)b)->name);
}

static const struct fentry_target *find_sorted(const struct fentry_index *idx,
					       const struct fentry_target *func)
{
	size_t i = fentry_index__lower_bound(idx, func->name);

	while (idx->targets[i].type_id != func->type_id || idx->targets[i].btf != func->btf)
		i++;
	return &idx->targets[i];
}

void fentry_index__settle_aliases(struct fentry_index *idx)
{
	size_t i, n = 0;

	for (i = 0; i < idx->alias_cnt; i++) {
		struct fentry_alias *alias = &idx->aliases[i];

		alias->target = find_sorted(idx, &alias->func);
		/* BTF of another build: the kernel will refuse it */
		if (alias->target->obj_id)
			idx->aliases[n++] = *alias;
		else
			free(alias->name);
	}
	idx->alias_cnt = n;
	if (n)
		qsort(idx->aliases, n, sizeof(*idx->aliases), cmp_alias);
}

const char *fentry_target__alias(const struct fentry_target *target, size_t i)
{
	const struct fentry_index *idx = target->idx;
	size_t j;

	for (j = 0; idx && j < idx->alias_cnt; j++)
		if (idx->aliases[j].target == target && !i--)
			return idx->aliases[j].name;
	return NULL;
}
