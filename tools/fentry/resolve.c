// SPDX-License-Identifier: GPL-2.0
/* From a specification to functions, and back. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* Longer names than any symbol are cut before they are compared. */
#define NAME_MAX_LEN 512

static void spec_text(const struct fentry_spec *spec, char *buf, size_t size)
{
	if (spec->id)
		snprintf(buf, size, "#%u", spec->id);
	else
		snprintf(buf, size, "%s%s%s%s%s", spec->module ?: "",
			 spec->module ? ":" : "", spec->name,
			 spec->unit ? "@" : "", spec->unit ?: "");
}

int fentry_index__find(const struct fentry_index *idx,
		       const struct fentry_spec *spec,
		       const struct fentry_target ***ret, size_t *cnt,
		       struct fentry_error *error)
{
	const struct fentry_target **found, *all;
	size_t i, all_cnt, n = 0;
	char text[256];

	all = fentry_index__targets(idx, &all_cnt);
	for (i = 0; i < all_cnt; i++)
		n += fentry_spec__match(spec, &all[i]);
	if (!n) {
		spec_text(spec, text, sizeof(text));
		return fentry_error__set(error, -ENOENT,
			"no function matches '%s'", text);
	}
	found = calloc(n, sizeof(*found));
	if (!found)
		return fentry_error__set(error, -ENOMEM, "out of memory");
	for (i = 0, n = 0; i < all_cnt; i++)
		if (fentry_spec__match(spec, &all[i]))
			found[n++] = &all[i];
	*ret = found;
	*cnt = n;
	return 0;
}

int fentry_index__resolve(const struct fentry_index *idx,
			  const struct fentry_spec *spec,
			  const struct fentry_target ***ret, size_t *cnt,
			  struct fentry_error *error)
{
	char text[256];
	int err;

	err = fentry_index__find(idx, spec, ret, cnt, error);
	if (err || *cnt == 1 || spec->glob)
		return err;
	spec_text(spec, text, sizeof(text));
	return fentry_error__set(error, -ENOTUNIQ,
				 "'%s' matches %zu functions; choose one",
				 text, *cnt);
}

/* Levenshtein's distance, cut off: returns limit + 1 if it exceeds @limit. */
static unsigned int distance(const char *a, const char *b, unsigned int limit)
{
	size_t a_len = strnlen(a, NAME_MAX_LEN), b_len = strnlen(b, NAME_MAX_LEN);
	unsigned int row[NAME_MAX_LEN + 1], diag, up, best;
	size_t i, j;

	if (a_len > b_len + limit || b_len > a_len + limit)
		return limit + 1;
	for (j = 0; j <= b_len; j++)
		row[j] = j;
	for (i = 1; i <= a_len; i++) {
		diag = row[0];
		row[0] = best = i;
		for (j = 1; j <= b_len; j++) {
			up = row[j];
			row[j] = diag + (a[i - 1] != b[j - 1]);
			if (row[j] > up + 1)
				row[j] = up + 1;
			if (row[j] > row[j - 1] + 1)
				row[j] = row[j - 1] + 1;
			if (row[j] < best)
				best = row[j];
			diag = up;
		}
		if (best > limit)
			return limit + 1;
	}
	return row[b_len];
}

struct candidate {
	const struct fentry_target *target;
	unsigned int score;		/* the less, the nearer */
};

/*
 * How far @name is from what was written: typing errors first, then names that
 * it is the beginning of ("foo" finds "foo.isra.0"), then names that contain it.
 */
static unsigned int score(const char *wanted, const char *name,
			  unsigned int limit)
{
	unsigned int dist = distance(wanted, name, limit);
	const char *at;

	if (dist <= limit)
		return dist;
	at = strstr(name, wanted);
	if (!at)
		return -1U;
	return limit + 1 + (at != name) * NAME_MAX_LEN + strlen(name);
}

/* Keep the @max best, sorted; equal ones stay in the index's order. */
static void keep_best(struct candidate *best, size_t *cnt, size_t max,
		      struct candidate new)
{
	size_t i = *cnt;

	if (new.score == -1U || (i == max && new.score >= best[max - 1].score))
		return;
	if (i == max)
		i--;
	else
		(*cnt)++;
	for (; i && best[i - 1].score > new.score; i--)
		best[i] = best[i - 1];
	best[i] = new;
}

int fentry_index__nearest(const struct fentry_index *idx,
			  const struct fentry_spec *spec, size_t max,
			  const struct fentry_target **ret)
{
	const struct fentry_target *all;
	struct candidate *best;
	size_t all_cnt, i, len, cnt = 0;
	bool same_name = false;
	char *wanted;

	if (spec->id || !max)
		return 0;
	/* Of a glob only the part that is certain. */
	len = spec->glob ? strcspn(spec->name, "*?[") : strlen(spec->name);
	if (!len)
		return 0;
	wanted = strndup(spec->name, len);
	best = calloc(max, sizeof(*best));
	if (!wanted || !best) {
		free(wanted);
		free(best);
		return -ENOMEM;
	}

	all = fentry_index__targets(idx, &all_cnt);
	for (i = 0; i < all_cnt; i++) {
		struct candidate new = { .target = &all[i] };

		new.score = score(wanted, all[i].name, 1 + len / 4);
		if (!new.score && !same_name) {
			same_name = true;
			cnt = 0;
		}
		if (!same_name || !new.score)
			keep_best(best, &cnt, max, new);
	}
	for (i = 0; i < cnt; i++)
		ret[i] = best[i].target;
	free(wanted);
	free(best);
	return cnt;
}

static bool is_only_match(const struct fentry_index *idx,
			  const struct fentry_spec *spec)
{
	const struct fentry_target *all;
	size_t i, all_cnt, n = 0;

	all = fentry_index__targets(idx, &all_cnt);
	for (i = 0; i < all_cnt && n < 2; i++)
		n += fentry_spec__match(spec, &all[i]);
	return n == 1;
}

void fentry_target__spec(const struct fentry_index *idx,
			 const struct fentry_target *target,
			 char *buf, size_t size)
{
	struct fentry_spec spec = { .name = (char *)target->name };

	if (!is_only_match(idx, &spec)) {
		spec.unit = (char *)target->unit;
		if (!spec.unit || !is_only_match(idx, &spec))
			spec = (struct fentry_spec){ .id = target->type_id };
	}
	spec_text(&spec, buf, size);
}
