// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The index of the running kernel's functions: their order, and where things are
 * in it. index_open.c fills it.
 */
#include <stdlib.h>
#include <string.h>

#include "inlined.h"

int fentry_target__cmp(const void *a, const void *b)
{
	const struct fentry_target *x = a, *y = b;
	int diff = strcmp(x->name, y->name);

	if (diff)
		return diff;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->type_id != y->type_id)
		return x->type_id < y->type_id ? -1 : 1;
	return strcmp(x->module ?: "", y->module ?: "");
}

int fentry_target__cmp_id(const void *id, const void *target)
{
	__u32 a = *(const __u32 *)id;
	__u32 b = ((const struct fentry_target *)target)->type_id;

	return a < b ? -1 : a > b;
}

struct fentry_target *fentry_index__by_id(struct fentry_index *idx, const struct fentry_object *obj,
					  __u32 id)
{
	/* there may be no targets at all, and bsearch() takes no NULL */
	return !obj->cnt ? NULL :
			   bsearch(&id, idx->targets + obj->first, obj->cnt, sizeof(*idx->targets),
				   fentry_target__cmp_id);
}

void fentry_index__free(struct fentry_index *idx)
{
	size_t i;

	if (!idx)
		return;
	while (idx->object_cnt) { /* vmlinux, the base, is the last */
		struct fentry_object *obj = &idx->objects[--idx->object_cnt];

		fentry_printer__free(obj->printer);
		fentry_printer__free(obj->inlined_printer);
		fentry_inline__free(obj->inlined);
		btf__free(obj->btf);
		free(obj->module);
	}
	pthread_mutex_destroy(&idx->lock);
	for (i = 0; i < idx->alias_cnt; i++)
		free(idx->aliases[i].name);
	free(idx->aliases);
	free(idx->inlined);
	free(idx->inline_problem);
	free(idx->kallsyms_path);
	free(idx->no_probes);
	free(idx->objects);
	free(idx->targets);
	free(idx);
}

bool fentry_index__is_exact(const struct fentry_index *idx)
{
	return idx->exact;
}

size_t fentry_index__cnt(const struct fentry_index *idx)
{
	return idx->cnt;
}

const struct fentry_target *fentry_index__target(const struct fentry_index *idx, size_t i)
{
	return i < idx->cnt ? &idx->targets[i] : NULL;
}

struct fentry_object *fentry_index__object(const struct fentry_index *idx, const char *module)
{
	size_t i;

	for (i = 0; i < idx->object_cnt; i++) {
		struct fentry_object *obj = &idx->objects[i];

		if (obj->module == module ||
		    (module && obj->module && !strcmp(obj->module, module)))
			return obj;
	}
	return NULL;
}

size_t fentry_targets__lower_bound(const struct fentry_target *targets, size_t cnt,
				   const char *name)
{
	size_t from = 0, to = cnt;

	while (from < to) {
		size_t mid = (from + to) / 2;

		if (strcmp(targets[mid].name, name) < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}
