// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* From a specification to the functions that it means, or why it means none. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define TEXT_MAX FENTRY_LABEL_MAX

/*
 * The only function that would match without the unit, if BTF doesn't say its unit: it
 * says that of ambiguous names only.
 */
static const struct fentry_target *find_without_unit(const struct fentry_index *idx,
						     const struct fentry_spec *spec)
{
	const struct fentry_target *only = NULL;
	const struct fentry_target **found;
	struct fentry_spec any_unit = *spec;
	size_t cnt;

	any_unit.unit = NULL;
	if (!spec->unit || spec->glob || fentry_index__search(idx, &any_unit, &found, &cnt))
		return NULL;
	if (cnt == 1 && !found[0]->unit)
		only = found[0];
	free(found);
	return only;
}

/*
 * With a unit, a function whose name is unique is taken, though its unit isn't known:
 * else no specification with a unit would hold on each kernel that has the function.
 */
static int find_unique(const struct fentry_index *idx, const struct fentry_spec *spec,
		       const struct fentry_target **found, struct fentry_error *error)
{
	const struct fentry_target *only = find_without_unit(idx, spec);
	char text[TEXT_MAX];

	if (only && only->same_name > 1)
		return fentry_target__check(only, error);
	fentry_spec__text(spec, text, sizeof(text));
	if (!only)
		return fentry_error__set(error, -ENOENT, "no function matches '%s'", text);
	found[0] = only;
	return 0;
}

int fentry_index__find(const struct fentry_index *idx, const struct fentry_spec *spec,
		       const struct fentry_target ***ret, size_t *cnt, struct fentry_error *error)
{
	const struct fentry_target **found;
	size_t n;
	int err;

	err = fentry_index__search(idx, spec, &found, &n);
	if (err)
		return fentry_error__set(error, err, "out of memory");
	if (!n) {
		free(found);
		found = calloc(1, sizeof(*found));
		err = found ? find_unique(idx, spec, found, error) :
			      fentry_error__set(error, -ENOMEM, "out of memory");
		n = 1;
	}
	if (err) {
		free(found);
		return err;
	}
	*ret = found;
	*cnt = n;
	return 0;
}

/* Is there a candidate that wouldn't be refused once it is chosen? */
static bool has_choice(const struct fentry_target **found, size_t cnt)
{
	size_t i;

	for (i = 0; i < cnt; i++)
		if (!fentry_target__check(found[i], NULL))
			return true;
	return false;
}

static bool has_twin_with_addr(const struct fentry_target *t, const struct fentry_target **found,
			       size_t cnt)
{
	size_t i;

	for (i = 0; i < cnt; i++)
		if (found[i]->addr && found[i]->module == t->module &&
		    !strcmp(found[i]->name, t->name))
			return true;
	return false;
}

/*
 * If one function of a name has an address, the kernel refuses those of the name
 * that have none: the symbol belongs to the other one.
 */
static size_t drop_without_addr(const struct fentry_target **found, size_t cnt)
{
	size_t i, n = 0;

	for (i = 0; i < cnt; i++)
		if (found[i]->addr || !has_twin_with_addr(found[i], found, cnt))
			found[n++] = found[i];
	return n;
}

int fentry_targets__several(const char *text, size_t cnt, struct fentry_error *error)
{
	return fentry_error__set(error, -ENOTUNIQ, "'%s' matches %zu functions; choose one", text,
				 cnt);
}

int fentry_index__resolve(const struct fentry_index *idx, const struct fentry_spec *spec,
			  const struct fentry_target ***ret, size_t *cnt,
			  struct fentry_error *error)
{
	char text[TEXT_MAX];
	int err;

	err = fentry_index__find(idx, spec, ret, cnt, error);
	if (err || spec->glob)
		return err;
	*cnt = drop_without_addr(*ret, *cnt);
	if (*cnt == 1 || !has_choice(*ret, *cnt))
		return fentry_target__check(**ret, error);
	fentry_spec__text(spec, text, sizeof(text));
	return fentry_targets__several(text, *cnt, error);
}

void fentry_targets__choose(const struct fentry_target **found, size_t cnt,
			    struct fentry_error *error)
{
	char text[TEXT_MAX];
	size_t i, len, room, n = 0;

	for (i = 0; error && i < cnt; i++) {
		if (fentry_target__check(found[i], NULL))
			continue;
		fentry_target__spec(found[i], text, sizeof(text));
		len = strlen(error->msg);
		room = sizeof(error->msg) - len;
		if (strlen(text) + strlen(", , ...") >= room) {
			snprintf(error->msg + len, room, ", ...");
			break;
		}
		snprintf(error->msg + len, room, "%s%s", n++ ? ", " : ": ", text);
	}
}

int fentry_index__lookup(const struct fentry_index *idx, const char *text,
			 const struct fentry_target **ret, struct fentry_error *error)
{
	const struct fentry_target **found = NULL;
	struct fentry_spec spec = {};
	size_t cnt = 0;
	int err;

	err = fentry_spec__parse(text, &spec, error);
	if (!err)
		err = fentry_index__resolve(idx, &spec, &found, &cnt, error);
	if (!err && cnt > 1)
		err = fentry_targets__several(text, cnt, error);
	if (err == -ENOTUNIQ && cnt > 1)
		fentry_targets__choose(found, cnt, error);
	if (!err) /* of a glob, too */
		err = fentry_target__check(found[0], error);
	if (!err)
		*ret = found[0];
	free(found);
	fentry_spec__clear(&spec);
	return err;
}
