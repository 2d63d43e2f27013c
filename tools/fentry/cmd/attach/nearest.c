// SPDX-License-Identifier: GPL-2.0-only
/* What the user may have meant. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attach/nearest.h"

/* Longer names than any symbol are cut before they are compared. */
#define NAME_MAX_LEN 512

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
	unsigned int score; /* the less, the nearer */
};

/*
 * How far @name is from what was written: typing errors first, then names that
 * it is the beginning of ("foo" finds "foo.isra.0"), then names that contain it.
 */
static unsigned int score(const char *wanted, const char *name, unsigned int limit)
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
static void keep_best(struct candidate *best, size_t *cnt, size_t max, struct candidate new)
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

int nearest(const struct fentry_index *idx, const struct fentry_spec *spec, size_t max,
	    const struct fentry_target **ret)
{
	struct candidate *best;
	size_t i, len, cnt = 0;
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

	for (i = 0; i < fentry_index__cnt(idx); i++) {
		struct candidate new = { .target = fentry_index__target(idx, i) };

		new.score = score(wanted, new.target->name, 1 + len / 4);
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
