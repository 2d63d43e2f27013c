// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Which functions of an index a specification matches. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* What a search has found so far. */
struct result {
	const struct fentry_target **found;
	size_t cnt, room;
};

static int result__add(struct result *r, const struct fentry_target *target)
{
	const struct fentry_target **found;
	size_t room = r->room ? 2 * r->room : 8;

	if (r->cnt == r->room) {
		found = reallocarray(r->found, room, sizeof(*found));
		if (!found)
			return -ENOMEM;
		r->found = found;
		r->room = room;
	}
	r->found[r->cnt++] = target;
	return 0;
}

/* Functions that have another name which matches. */
static int search_aliases(const struct fentry_index *idx, const struct fentry_spec *spec,
			  struct result *r)
{
	struct fentry_target named;
	size_t i;
	int err = 0;

	for (i = 0; i < idx->alias_cnt && !err; i++) {
		const struct fentry_alias *alias = &idx->aliases[i];

		if (!spec->glob && strcmp(spec->name, alias->name))
			continue;
		named = *alias->target;
		named.name = alias->name;
		if (fentry_spec__match(spec, &named))
			err = result__add(r, alias->target);
	}
	return err;
}

/* Pointers compare as positions in the index do. */
static int cmp_position(const void *a, const void *b)
{
	const struct fentry_target *x = *(const struct fentry_target **)a;
	const struct fentry_target *y = *(const struct fentry_target **)b;

	return x < y ? -1 : x > y;
}

/* In the order of the index, each function once: several of its names may match. */
static void result__settle(struct result *r)
{
	size_t i, n = 0;

	if (r->cnt)
		qsort(r->found, r->cnt, sizeof(*r->found), cmp_position);
	for (i = 0; i < r->cnt; i++)
		if (!n || r->found[n - 1] != r->found[i])
			r->found[n++] = r->found[i];
	r->cnt = n;
}

/* Look at all functions: what is wanted isn't a name. */
static int search_all(const struct fentry_index *idx, const struct fentry_spec *spec,
		      struct result *r)
{
	size_t i;
	int err = 0;

	for (i = 0; i < idx->cnt && !err; i++)
		if (fentry_spec__match(spec, &idx->targets[i]))
			err = result__add(r, &idx->targets[i]);
	if (!err && !spec->id)
		err = search_aliases(idx, spec, r);
	return err;
}

/*
 * The functions of this name and those whose base name it is; names that begin
 * the same stand together. Without a unit, a function of this very name wins, be it
 * another name of it.
 */
static int search_name(const struct fentry_index *idx, const struct fentry_spec *spec,
		       struct result *r)
{
	size_t i = fentry_index__lower_bound(idx, spec->name);
	size_t len = strlen(spec->name), base_cnt;
	bool exact = false;
	int err = 0;

	for (; i < idx->cnt && !err; i++) {
		const struct fentry_target *t = &idx->targets[i];

		if (strncmp(t->name, spec->name, len))
			break;
		if (t->name[len] && exact && !spec->unit)
			break;
		if (!fentry_spec__match(spec, t))
			continue;
		exact |= !t->name[len];
		err = result__add(r, t);
	}
	if (err || exact)
		return err;
	base_cnt = r->cnt;
	err = search_aliases(idx, spec, r);
	if (!err && !spec->unit && r->cnt > base_cnt) {
		r->cnt -= base_cnt;
		memmove(r->found, r->found + base_cnt, r->cnt * sizeof(*r->found));
	}
	return err;
}

int fentry_index__search(const struct fentry_index *idx, const struct fentry_spec *spec,
			 const struct fentry_target ***ret, size_t *cnt)
{
	struct result r = {};
	int err;

	err = spec->id || spec->glob ? search_all(idx, spec, &r) : search_name(idx, spec, &r);
	if (err) {
		free(r.found);
		return err;
	}
	result__settle(&r);
	*ret = r.found;
	*cnt = r.cnt;
	return 0;
}
