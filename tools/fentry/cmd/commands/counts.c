// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/counts.h"
#include "commands/stacks.h"
#include "array.h"
#include "output/stream.h"
#include "output/table.h"
#include "values/typed.h"

struct row {
	unsigned long long calls;
	unsigned int target;
	char *keys[TRACE_PARTS]; /* NULL: it couldn't be read, or there is none */
};

struct rows {
	struct row *rows;
	size_t cnt;
	bool has_text[TRACE_PARTS]; /* not all of these keys are decimal numbers */
};

enum trace_by counts__by(const char *text)
{
	static const char *const words[] = { "comm", "pid", "tid", "uid", "cpu", "stack" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i], text))
			return TRACE_BY_COMM + i;
	return TRACE_BY_VALUE;
}

/* Return the row; NULL if there is no memory. */
static struct row *add_count(struct rows *r, unsigned int target, unsigned long long calls)
{
	if (!ARRAY_GROW(r->rows, r->cnt))
		return NULL;
	r->rows[r->cnt] = (struct row){ .calls = calls, .target = target };
	return &r->rows[r->cnt++];
}

/* The highest first, equal ones in the index's order. */
static int cmp_row(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int i, diff = cmp_int(y->calls, x->calls) ?: cmp_int(x->target, y->target);

	for (i = 0; i < TRACE_PARTS && !diff; i++)
		diff = strcmp(x->keys[i] ?: "", y->keys[i] ?: "");
	return diff;
}

static bool add_functions(const struct tracer *c, struct rows *ret)
{
	unsigned long long calls;
	size_t i;

	for (i = 0; i < c->sel.cnt; i++)
		if (session__count(c->session, i, &calls) && (calls || c->opts.verbose) &&
		    !add_count(ret, i, calls))
			return false;
	return true;
}

static bool is_text(const struct tracer *c, const struct trace_key *key, unsigned int i)
{
	enum trace_by by = c->keys[i].by;

	return by == TRACE_BY_COMM || by == TRACE_BY_STACK ||
	       (by == TRACE_BY_VALUE && c->plans[key->target].keys[i].data >= 0);
}

/* A string that is no address of the network. */
static char *string_text(const struct tracer *c, const char *string)
{
	struct text text = {};

	if (c->opts.json) /* JSON has its own escapes */
		return strndup(string, TRACE_STRING_SIZE);
	text__escaped(&text, string, TRACE_STRING_SIZE, 0);
	text__char(&text, '\0');
	if (!text.failed)
		return text.data;
	text__fini(&text);
	return NULL;
}

/* A part of a key as text, in memory of its own. */
static char *key_text(struct typed *t, const struct tracer *c, const struct trace_key *key,
		      unsigned int i)
{
	const struct call_plan *plan = &c->plans[key->target];
	const union trace_part *part = &key->parts[i];
	struct call call = { .plan = plan };
	struct shown shown = plan->keys[i];
	unsigned long long stack[TRACE_STACK_MAX];
	struct text text = {};
	char *number;

	if (c->keys[i].by == TRACE_BY_STACK && !session__stack(c->session, part->number, stack))
		return strdup("?");
	if (c->keys[i].by == TRACE_BY_STACK)
		return stack__text(c->stacks, key->target, stack, c->opts.folded);
	if (is_text(c, key, i) && shown.format >= EXPR_IP) {
		typed__network(&text, shown.format, part->text, plan->plan.values[shown.data].size);
		text__char(&text, '\0');
		return text.data;
	}
	if (is_text(c, key, i))
		return string_text(c, part->text);
	if (c->keys[i].by == TRACE_BY_VALUE) {
		call.values[shown.number] =
			(struct call_value){ .ok = true, .number = part->number };
		if (c->opts.json && shown.format == EXPR_BY_TYPE &&
		    btf_is_int(types__real(plan->scope.btf, shown.type)) &&
		    types__is_signed(types__real(plan->scope.btf, shown.type)))
			shown.format = EXPR_DECIMAL; /* not the name of an errno */
		return strdup(typed__text(t, &call, &shown, true));
	}
	return asprintf(&number, "%llu", part->number) < 0 ? NULL : number;
}

static bool add_key(struct typed *t, const struct tracer *c, const struct trace_key *key,
		    unsigned long long calls, struct rows *ret)
{
	struct row *row = add_count(ret, key->target, calls);
	unsigned int i;
	char *text;

	for (i = 0; row && i < c->key_cnt; i++) {
		if (key->failed & 1U << i)
			continue;
		text = key_text(t, c, key, i);
		if (!text)
			return false;
		row->keys[i] = text;
		if (is_text(c, key, i) || !*text || strspn(text, "-0123456789") != strlen(text))
			ret->has_text[i] = true;
	}
	return row;
}

static bool add_keys(const struct tracer *c, struct rows *ret)
{
	struct trace_key keys[2], *last = NULL, *next = &keys[0];
	struct typed *t = typed__new();
	unsigned long long calls;
	bool ok = t;

	while (ok && session__next_key(c->session, last, next, &calls)) {
		ok = add_key(t, c, next, calls, ret);
		last = next;
		next = next == &keys[0] ? &keys[1] : &keys[0];
	}
	typed__free(t);
	return ok;
}

/* Is it the number of a task? Tasks of other PID namespaces have none. */
static bool is_number(const struct tracer *c, unsigned int i)
{
	return c->keys[i].by == TRACE_BY_PID || c->keys[i].by == TRACE_BY_TID;
}

/* In a table for people the function's cell says where an inlined call is. */
static int add_row(const struct tracer *c, struct table *t, const struct row *row)
{
	const struct fentry_target *target = c->sel.targets[row->target];
	const struct fentry_inlined_call *call = selection__call(&c->sel, row->target);
	unsigned long long at = call ? call->addr : target->addr;
	char count[32], object[16], id[16], addr[32], line[16], label[2 * LABEL_MAX + 4];
	const char *keys[TRACE_PARTS];
	unsigned int i;

	for (i = 0; i < TRACE_PARTS; i++)
		keys[i] = row->keys[i] ?: c->opts.json ? NULL : is_number(c, i) ? "-" : "<fault>";
	snprintf(count, sizeof(count), "%llu", row->calls);
	snprintf(object, sizeof(object), "%u", target->obj_id);
	snprintf(id, sizeof(id), "%u", target->type_id);
	snprintf(addr, sizeof(addr), "%016llx", at);
	snprintf(line, sizeof(line), "%u", call ? call->line : 0);
	fentry_target__label(target, label);
	if (call && !c->opts.json) {
		strcat(label, " in ");
		fentry_inlined_call__where(call, label + strlen(label), LABEL_MAX);
	}
	return table__add(t, (const char *[]){
				     count,
				     keys[0],
				     keys[1],
				     keys[2],
				     keys[3],
				     target->obj_id ? object : NULL,
				     fentry_target__by_probe(target) ? NULL : id,
				     at ? addr : NULL,
				     label,
				     call ? call->caller : NULL,
				     call ? call->symbol : NULL,
				     call ? call->file : NULL,
				     call ? line : NULL,
			     });
}

static struct table *new_table(const struct tracer *c, const struct rows *r)
{
	/* on a terminal they would push the name off */
	bool short_form = !c->opts.json && !c->opts.verbose,
	     no_call = !c->opts.json || !c->opts.inlined;
	_Static_assert(TRACE_PARTS == 4, "each key has a column here, and a cell in add_row()");
	struct column columns[] = {
		COLUMN("COUNT", "count", .number = true),
		COLUMN(NULL, "by"),
		COLUMN(NULL, "by2"),
		COLUMN(NULL, "by3"),
		COLUMN(NULL, "by4"),
		COLUMN("OBJECT", "object", .number = true, .hidden = !c->opts.json),
		COLUMN("BTF-ID", "id", .number = true, .hidden = short_form),
		COLUMN("ADDRESS", "address", .hidden = short_form),
		COLUMN("FUNCTION", "function", .cut = true),
		COLUMN("CALLER", "caller", .hidden = no_call),
		COLUMN("SYMBOL", "symbol", .hidden = no_call),
		COLUMN("FILE", "file", .hidden = no_call),
		COLUMN("LINE", "line", .number = true, .hidden = no_call),
	};
	unsigned int i;

	for (i = 0; i < TRACE_PARTS; i++) {
		struct column *by = &columns[1 + i];

		by->title = c->keys[i].text;
		by->number = !r->has_text[i];
		by->cut = true;
		by->hidden = i >= c->key_cnt;
	}
	return table__new(columns, ARRAY_SIZE(columns));
}

static bool print_rows(const struct tracer *c, const struct rows *r, size_t max, size_t *lines)
{
	struct table *t = new_table(c, r);
	bool ok = t;
	size_t i;

	for (i = 0; ok && i < r->cnt && i < max; i++)
		ok = !add_row(c, t, &r->rows[i]);
	if (ok && c->opts.json)
		table__print_json(t);
	else if (ok)
		*lines = table__print(t, max);
	table__free(t);
	return ok;
}

/* A ';' separates frames. */
static void put_frame(struct text *to, const char *text)
{
	for (; *text; text++)
		text__char(to, *text == ';' ? ':' : *text);
	text__char(to, ';');
}

/* The keys, the callers, the function, and the number of calls. */
static void print_folded(const struct tracer *c, const struct rows *r)
{
	char label[LABEL_MAX];
	struct text to = {};
	unsigned int part;
	size_t i;

	for (i = 0; i < r->cnt; i++) {
		const struct row *row = &r->rows[i];

		for (part = 0; part < c->key_cnt; part++)
			if (c->keys[part].by != TRACE_BY_STACK)
				put_frame(&to, row->keys[part] ?: "<fault>");
		for (part = 0; part < c->key_cnt; part++)
			if (c->keys[part].by == TRACE_BY_STACK && row->keys[part] &&
			    *row->keys[part])
				text__printf(&to, "%s;", row->keys[part]);
		fentry_target__label(c->sel.targets[row->target], label);
		text__printf(&to, "%s %llu\n", label, row->calls);
	}
	output__print(&to);
	text__fini(&to);
}

int counts__print(const struct tracer *c, size_t max, size_t *lines)
{
	struct rows rows = {};
	unsigned int part;
	size_t i;
	bool ok;

	ok = c->key_cnt ? add_keys(c, &rows) : add_functions(c, &rows);
	if (rows.cnt)
		qsort(rows.rows, rows.cnt, sizeof(*rows.rows), cmp_row);
	if (ok && c->opts.folded)
		print_folded(c, &rows);
	else
		ok = ok && print_rows(c, &rows, max, lines);
	for (i = 0; i < rows.cnt; i++)
		for (part = 0; part < c->key_cnt; part++)
			free(rows.rows[i].keys[part]);
	free(rows.rows);
	return ok ? 0 : no_memory();
}
