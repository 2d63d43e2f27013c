// SPDX-License-Identifier: GPL-2.0-only
/* How often functions were called, as a table. */
#include <stdlib.h>
#include <string.h>

#include "commands/counts.h"
#include "attach/inlined.h"
#include "commands/reports.h"
#include "output/table.h"

#define COLUMNS_MAX 10

struct row {
	unsigned long long calls;
	unsigned int target;
	char *key; /* NULL: it couldn't be read, or there is none */
};

struct rows {
	struct row *rows;
	size_t cnt;
	bool by_number; /* all keys are decimal numbers */
};

static bool add(struct rows *r, unsigned int target, unsigned long long calls, char *key)
{
	struct row *rows = reallocarray(r->rows, r->cnt + 1, sizeof(*rows));

	if (!rows) {
		free(key);
		return false;
	}
	r->rows = rows;
	rows[r->cnt++] = (struct row){ calls, target, key };
	return true;
}

/* The highest first, equal ones in the index's order. */
static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	return strcmp(x->key ?: "", y->key ?: "");
}

static bool add_functions(const struct session *s, const struct counts_opts *opts, struct rows *ret)
{
	unsigned long long calls;
	size_t i;

	for (i = 0; i < opts->sel->cnt; i++)
		if (session__count(s, i, &calls) && (calls || opts->zeroes) &&
		    !add(ret, i, calls, NULL))
			return false;
	return true;
}

static bool is_text(const struct counts_opts *opts, const struct trace_key *key)
{
	enum trace_by by = reports__by(opts->by);

	return by == TRACE_BY_COMM ||
	       (by == TRACE_BY_VALUE && opts->plans[key->target].key.data >= 0);
}

/* A key as text, in memory of its own. */
static char *key_text(struct typed *t, const struct counts_opts *opts, const struct trace_key *key)
{
	const struct call_plan *plan = &opts->plans[key->target];
	struct call call = { .plan = plan };
	char number[32];

	if (is_text(opts, key))
		return strndup(key->text, sizeof(key->text));
	if (reports__by(opts->by) == TRACE_BY_VALUE) {
		call.values[plan->key.number] =
			(struct call_value){ .ok = true, .number = key->number };
		return strdup(typed__text(t, &call, &plan->key, true));
	}
	snprintf(number, sizeof(number), "%llu", key->number);
	return strdup(number);
}

static bool add_keys(const struct session *s, const struct counts_opts *opts, struct rows *ret)
{
	struct trace_key keys[2], *last = NULL, *next = &keys[0];
	struct typed *t = typed__new();
	unsigned long long calls;
	bool ok = t;

	ret->by_number = true;
	while (ok && session__next_key(s, last, next, &calls)) {
		char *key = next->failed ? NULL : key_text(t, opts, next);

		ok = (next->failed || key) && add(ret, next->target, calls, key);
		if (ok && key &&
		    (is_text(opts, next) || !*key || strspn(key, "-0123456789") != strlen(key)))
			ret->by_number = false;
		last = next;
		next = next == &keys[0] ? &keys[1] : &keys[0];
	}
	typed__free(t);
	return ok;
}

/* In a table for people the function's cell says where an inlined call is. */
static bool has_call_columns(const struct counts_opts *opts)
{
	return opts->json && opts->sel->site_cnt;
}

static int add_row(const struct counts_opts *opts, struct table *t, const struct row *row)
{
	const struct fentry_target *target = opts->sel->targets[row->target];
	const struct inlined_site *site = selection__site(opts->sel, row->target);
	unsigned long long at = site ? site->call->addr : target->addr;
	char count[32], object[16], id[16], addr[32], label[2 * LABEL_MAX + 4];
	const char *cells[COLUMNS_MAX], **cell = cells;
	char line[16];

	*cell++ = count;
	if (opts->by)
		*cell++ = row->key ?: opts->json ? NULL : "<fault>";
	if (opts->json)
		*cell++ = target->obj_id ? object : NULL;
	*cell++ = id;
	*cell++ = at ? addr : NULL;
	*cell++ = label;
	snprintf(count, sizeof(count), "%llu", row->calls);
	snprintf(object, sizeof(object), "%u", target->obj_id);
	snprintf(id, sizeof(id), "%u", target->type_id);
	snprintf(addr, sizeof(addr), "%016llx", at);
	fentry_target__label(target, label);
	if (site && !opts->json) {
		strcat(label, " in ");
		fentry_inlined_call__where(site->call, label + strlen(label), LABEL_MAX);
	}
	if (has_call_columns(opts)) {
		*cell++ = site ? site->call->caller : NULL;
		*cell++ = site ? site->call->symbol : NULL;
		*cell++ = site ? site->call->file : NULL;
		*cell++ = site ? line : NULL;
		snprintf(line, sizeof(line), "%u", site ? site->call->line : 0);
	}
	return table__add(t, cells);
}

/* Return how many there are. */
static size_t get_columns(const struct counts_opts *opts, bool by_number,
			  struct column columns[COLUMNS_MAX])
{
	struct column *c = columns;

	*c++ = (struct column){ .title = "COUNT", .key = "count", .number = true };
	if (opts->by)
		*c++ = (struct column){
			.title = opts->by, .key = "by", .number = by_number, .cut = true
		};
	if (opts->json)
		*c++ = (struct column){ .title = "OBJECT", .key = "object", .number = true };
	*c++ = (struct column){ .title = "BTF-ID", .key = "id", .number = true };
	*c++ = (struct column){ .title = "ADDRESS", .key = "address" };
	*c++ = (struct column){ .title = "FUNCTION", .key = "function", .cut = true };
	if (has_call_columns(opts)) {
		*c++ = (struct column){ .title = "CALLER", .key = "caller" };
		*c++ = (struct column){ .title = "SYMBOL", .key = "symbol" };
		*c++ = (struct column){ .title = "FILE", .key = "file" };
		*c++ = (struct column){ .title = "LINE", .key = "line", .number = true };
	}
	return c - columns;
}

static bool print_rows(const struct counts_opts *opts, const struct rows *r, size_t max,
		       size_t *lines)
{
	struct column columns[COLUMNS_MAX];
	size_t i, cnt = get_columns(opts, r->by_number, columns);
	struct table *t = table__new(columns, cnt);
	bool ok = t;

	for (i = 0; ok && i < r->cnt && i < max; i++)
		ok = !add_row(opts, t, &r->rows[i]);
	if (ok && opts->json)
		table__print_json(t);
	else if (ok)
		*lines = table__print(t, max);
	table__free(t);
	return ok;
}

int counts__print(const struct session *s, const struct counts_opts *opts, size_t max,
		  size_t *lines)
{
	struct rows rows = {};
	size_t i;
	bool ok;

	ok = opts->by ? add_keys(s, opts, &rows) : add_functions(s, opts, &rows);
	if (rows.cnt)
		qsort(rows.rows, rows.cnt, sizeof(*rows.rows), compare);
	ok = ok && print_rows(opts, &rows, max, lines);
	for (i = 0; i < rows.cnt; i++)
		free(rows.rows[i].key);
	free(rows.rows);
	if (!ok)
		complain("out of memory");
	return ok ? 0 : EXIT_FAILED;
}
