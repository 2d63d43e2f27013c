// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "commands/events.h"
#include "array.h"
#include "attach/sites.h"
#include "output/json.h"
#include "output/stream.h"
#include "output/table.h"
#include "output/terminal.h"
#include "values/typed.h"

#define CYAN  "\033[36m"
#define PLAIN "\033[0m"
/* The function's own frame: where its trampoline was called, near its start. */
#define ENTRY_MAX      16
#define TRACING_FRAMES 2

/* "comm tid  ", and what --time puts before it */
#define COMM_END     15
#define TID_LEN	     7
#define SPACES	     "                       "
#define CUT	     "..."
#define NSEC_PER_SEC 1000000000LL

struct events {
	const struct selection *sel;
	const struct call_plan *plans;
	struct events_opts opts;
	char **labels;	 /* of each target, or JSON; NULL until it is called */
	size_t label_at; /* column of the function in the line */
	long long boot;	 /* ns: wall-clock time of CLOCK_MONOTONIC's 0 */
	bool colour;
	bool terminal; /* whose width may change */
	int width;     /* of lines; 0: no limit */
	struct typed *typed;
	struct json_forms forms;
	struct ksyms *ksyms; /* NULL without stacks */
	struct text line;    /* that is being made */
};

static long long clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

int events__new(const struct selection *sel, const struct call_plan *plans,
		const struct events_opts *opts, struct events **ret)
{
	struct events *e = calloc(1, sizeof(*e));

	if (e) {
		e->sel = sel;
		e->plans = plans;
		e->opts = *opts;
		e->boot = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
		e->colour = use_colour(output__fd());
		e->terminal = isatty(output__fd());
		e->width = opts->brief ? output_width() : 0;
		e->labels = calloc(sel->cnt, sizeof(*e->labels));
		e->typed = typed__new();
	}
	if (!e || !e->labels || !e->typed) {
		events__free(e);
		return no_memory();
	}
	*ret = e;
	return 0;
}

int events__load_symbols(struct events *e)
{
	return e->opts.stack ? ksyms__load(&e->ksyms) : 0;
}

void events__free(struct events *e)
{
	size_t i;

	if (!e)
		return;
	for (i = 0; e->labels && i < e->sel->cnt; i++)
		free(e->labels[i]);
	free(e->labels);
	text__fini(&e->line);
	json_forms__free(&e->forms);
	typed__free(e->typed);
	ksyms__free(e->ksyms);
	free(e);
}

/*
 * Where a call came from, innermost first. Frames of the tracing itself are left out: the program's
 * and the trampoline's, which come before the function's. The function has no frame if the
 * trampoline was jumped to (Linux 7.3, at exit): then its start is shown.
 */
static int clean_stack(const struct selection *sel, size_t target, const unsigned long long *stack,
		       int cnt, unsigned long long frames[TRACE_STACK_MAX + 1])
{
	/* a probe has no trampoline; an inlined call has no frame */
	unsigned long long addr = selection__site(sel, target) ? 0 : sel->targets[target]->addr;
	int i, n = 0;

	for (i = 0; addr && i < cnt; i++)
		if (stack[i] >= addr && stack[i] < addr + ENTRY_MAX)
			break;
	if (addr && i >= cnt) {
		frames[n++] = addr;
		i = TRACING_FRAMES;
	} else if (!addr) {
		i = 0;
	}
	for (; i < cnt; i++)
		frames[n++] = stack[i];
	return n;
}

static void frame_text(const struct ksyms *ksyms, unsigned long long addr, bool sizes, char *buf,
		       size_t size)
{
	unsigned long long sym_size;
	const struct ksym *sym = ksyms__at(ksyms, addr, &sym_size);
	char of[32] = "";

	if (sizes)
		snprintf(of, sizeof(of), "/0x%llx", sym ? sym_size : 0);
	if (!sym || ksyms->hidden)
		snprintf(buf, size, "%#llx", addr);
	else
		snprintf(buf, size, "%s+0x%llx%s%s%s%s", sym->name, addr - sym->addr, of,
			 sym->module ? " [" : "", sym->module ?: "", sym->module ? "]" : "");
}

/*
 * The callers of a function or inlined call, as "caller+0x1f < its caller+0x2a ...". @stack is
 * padded with 0. The text is to be released with free(); NULL without memory.
 */
static char *stack_text(const struct selection *sel, const struct ksyms *ksyms, size_t target,
			const unsigned long long stack[TRACE_STACK_MAX])
{
	unsigned long long frames[TRACE_STACK_MAX + 1];
	/* an inlined call is in the first function of its stack */
	int i, first = !selection__call(sel, target), cnt = 0;
	struct text text = {};
	char frame[LABEL_MAX];

	while (cnt < TRACE_STACK_MAX && stack[cnt])
		cnt++;
	cnt = clean_stack(sel, target, stack, cnt, frames);
	for (i = first; i < cnt; i++) {
		frame_text(ksyms, frames[i], false, frame, sizeof(frame));
		text__string(&text, i > first ? " < " : "");
		text__string(&text, frame);
	}
	text__char(&text, '\0');
	return text.data;
}

static void print_stack(const struct events *e, const struct call *call)
{
	unsigned long long frames[TRACE_STACK_MAX + 1];
	int i, cnt = clean_stack(e->sel, call->event->target, call->stack, call->stack_cnt, frames);
	char text[LABEL_MAX];

	for (i = 0; i < cnt; i++) {
		frame_text(e->ksyms, frames[i], true, text, sizeof(text));
		fprintf(output(), "        %s\n", text);
	}
}

static void print_bytes(const char *text, size_t len)
{
	fwrite_unlocked(text, 1, len, output());
}

static void print_text(struct events *e)
{
	if (e->line.failed)
		complain("out of memory");
	else
		print_bytes(e->line.data, e->line.len);
	text__clear(&e->line);
}

/*
 * Print a line, cut to the terminal's width: what is behind @tail stays, unless it is
 * most of the line. The label is coloured.
 */
static void print_line(const struct events *e, size_t width, size_t label_len, size_t tail)
{
	size_t len = e->line.len, at = e->label_at, tail_len = len - tail, end;
	bool cut = width && len > width;
	const char *text = e->line.data;

	if (cut) {
		if (tail_len > width / 2)
			tail_len = 0;
		end = strlen(CUT) + tail_len;
		len = width < at + end ? at : width - end;
	}
	if (label_len > len - at)
		label_len = len - at;
	print_bytes(text, at);
	print_bytes(CYAN, e->colour ? strlen(CYAN) : 0);
	print_bytes(text + at, label_len);
	print_bytes(PLAIN, e->colour ? strlen(PLAIN) : 0);
	print_bytes(text + at + label_len, len - at - label_len);
	if (cut) {
		print_bytes(CUT, strlen(CUT));
		print_bytes(text + e->line.len - tail_len, tail_len);
	}
	fputc('\n', output());
}

static void put_time(struct events *e, const struct trace_event *event)
{
	long long ns = e->boot + event->time;
	time_t s = ns / NSEC_PER_SEC;
	struct tm tm = {};

	localtime_r(&s, &tm);
	text__printf(&e->line, "%02d:%02d:%02d.%06lld [%03u]  ", tm.tm_hour, tm.tm_min, tm.tm_sec,
		     ns % NSEC_PER_SEC / 1000, event->cpu);
}

/* As "%-15s %7u  ", or without padding. A task chooses its name itself. */
static void put_task(struct text *to, const struct trace_event *event, bool pad)
{
	char number[DIGITS_MAX], *end = digits_decimal(number, event->tid);
	size_t digits = end - number, column = COMM_END, len, begin = to->len;

	text__escaped(to, event->comm, sizeof(event->comm), 0);
	len = to->len - begin;
	if (column < len || !pad)
		column = len;
	column += 1 + (digits < TID_LEN && pad ? TID_LEN - digits : 0);
	text__bytes(to, SPACES, column - len);
	text__bytes(to, number, digits);
	text__string(to, "  ");
}

/* Is a value known? An argument at a probe may not be. */
static bool is_known(const struct events *e, const struct call *call, const struct shown *shown)
{
	const struct probe_site *site = selection__site(e->sel, call->event->target);
	int value = shown->number >= 0 ? shown->number : shown->data;

	return !site || value < 0 || probe_site__has(site, &call->plan->plan.values[value]);
}

static void put_value(struct events *e, const struct call *call, const struct shown *shown)
{
	bool known = is_known(e, call, shown);

	if (known && typed__is_behind(call, shown))
		text__char(&e->line, '*');
	text__string(&e->line, shown->name);
	text__char(&e->line, '=');
	text__string(&e->line,
		     known ? typed__text(e->typed, call, shown, e->opts.brief) : "<unavailable>");
}

/* How long the call took, as " in 1.5 ms". */
static void put_duration(unsigned long long ns, struct text *to)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double value = ns;
	int unit = 0;

	for (; value >= 1000 && unit < 3; unit++)
		value /= 1000;
	text__printf(to, " in %.*f %s", unit ? 1 : 0, value, units[unit]);
}

/* The function's label in a line, or its members in an object. */
static const char *get_label(const struct events *e, size_t target)
{
	char label[LABEL_MAX];
	struct text members = {};

	if (e->labels[target])
		return e->labels[target];
	if (e->opts.json) {
		json_function(&members, e->sel->targets[target]);
		if (!members.failed)
			e->labels[target] = strndup(members.data, members.len);
		text__fini(&members);
	} else {
		fentry_target__label(e->sel->targets[target], label);
		e->labels[target] = strdup(label);
	}
	return e->labels[target] ?: "?";
}

/* Strings and short forms are what people look for. */
static bool is_string(const struct call *call, const struct shown *shown)
{
	return shown->data >= 0 && call->plan->plan.values[shown->data].kind == TRACE_STRING;
}

/* Put those values that are strings, or the others. */
static void put_values(struct events *e, const struct call *call, bool strings, bool others)
{
	const struct call_plan *plan = call->plan;
	size_t i;

	for (i = 0; i < plan->cnt; i++) {
		if (!(is_string(call, &plan->shown[i]) ? strings : others))
			continue;
		if (!e->line.failed && e->line.data[e->line.len - 1] != '(')
			text__string(&e->line, ", ");
		put_value(e, call, &plan->shown[i]);
	}
}

/*
 * Put everything but the line's end. Return where the arguments end. If the line is going to be
 * cut, strings come first, and the time leaves no room for columns.
 */
static size_t put_line(struct events *e, const struct call *call, const char *label, bool cut)
{
	const struct trace_event *event = call->event;
	const struct fentry_inlined_call *inlined = selection__call(e->sel, event->target);
	const struct call_plan *plan = call->plan;
	struct text *to = &e->line;
	char where[LABEL_MAX];
	size_t tail;

	if (e->opts.time)
		put_time(e, event);
	put_task(to, event, !(cut && e->opts.time));
	e->label_at = to->len;
	text__string(to, label);
	text__char(to, '(');
	put_values(e, call, true, !cut);
	if (cut)
		put_values(e, call, false, true);
	tail = to->len;
	text__char(to, ')');
	if (plan->has_ret) {
		text__string(to, " = ");
		text__string(to, typed__text(e->typed, call, &plan->ret, e->opts.brief));
	}
	if (event->duration)
		put_duration(event->duration, to);
	if (inlined) {
		fentry_inlined_call__where(inlined, where, sizeof(where));
		text__string(to, " in ");
		text__string(to, where);
	}
	return tail;
}

static void print_plain(struct events *e, const struct call *call)
{
	const char *label = get_label(e, call->event->target);
	size_t width = e->terminal && e->opts.brief ? output_width() : e->width;
	size_t tail = put_line(e, call, label, false);

	if (width && e->line.len > width) {
		text__clear(&e->line);
		tail = put_line(e, call, label, true);
	}
	/* lines may be coloured or cut */
	if ((e->colour || e->terminal || e->width) && !e->line.failed) {
		print_line(e, width, strlen(label), tail);
		text__clear(&e->line);
	} else {
		text__char(&e->line, '\n');
		print_text(e);
	}
	if (e->opts.stack)
		print_stack(e, call);
}

static void put_json_stack(struct events *e, const struct call *call)
{
	unsigned long long frames[TRACE_STACK_MAX + 1];
	int i, cnt = clean_stack(e->sel, call->event->target, call->stack, call->stack_cnt, frames);
	char text[LABEL_MAX];

	json_open(&e->line, "stack", '[');
	for (i = 0; i < cnt; i++) {
		frame_text(e->ksyms, frames[i], true, text, sizeof(text));
		json_text(&e->line, NULL, text);
	}
	json_close(&e->line, ']');
}

static void put_json_values(struct events *e, const struct call *call)
{
	struct text *to = &e->line;
	size_t i;

	json_open(to, e->opts.print ? "values" : "args", '[');
	for (i = 0; i < call->plan->cnt; i++) {
		json_open(to, NULL, '{');
		json_text(to, "name", call->plan->shown[i].name);
		typed__json(&e->forms, to, call, &call->plan->shown[i], "value", "address");
		json_close(to, '}');
	}
	json_close(to, ']');
}

static void print_json(struct events *e, const struct call *call)
{
	const struct trace_event *event = call->event;
	const struct fentry_inlined_call *inlined = selection__call(e->sel, event->target);
	struct text *to = &e->line;

	json_open(to, NULL, '{');
	json_key(to, "time");
	json_put_number(to, event->time, false);
	json_number(to, "cpu", event->cpu);
	json_key(to, "comm");
	json_put_bytes(to, event->comm, sizeof(event->comm));
	json_number(to, "pid", event->pid);
	json_number(to, "tid", event->tid);
	text__char(to, ',');
	text__string(to, get_label(e, event->target));
	put_json_values(e, call);
	if (call->plan->has_ret)
		typed__json(&e->forms, to, call, &call->plan->ret, "return", "return_address");
	if (inlined) {
		json_open(to, "inlined", '{');
		json_inlined_call(to, inlined);
		json_close(to, '}');
	}
	if (event->duration) {
		json_key(to, "duration");
		json_put_number(to, event->duration, false);
	}
	if (e->opts.stack)
		put_json_stack(e, call);
	text__string(to, "}\n");
	print_text(e);
}

void events__print(void *ctx, const struct trace_event *event, size_t size)
{
	struct events *e = ctx;
	struct call call;

	if (!call__init(&call, &e->plans[event->target], event, size))
		return;
	if (e->opts.json)
		print_json(e, &call);
	else
		print_plain(e, &call);
}

#define COLUMNS_MAX (9 + TRACE_PARTS)

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
	int i, diff = 0;

	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	for (i = 0; i < TRACE_PARTS && !diff; i++)
		diff = strcmp(x->keys[i] ?: "", y->keys[i] ?: "");
	return diff;
}

static bool add_functions(const struct counts *c, struct rows *ret)
{
	unsigned long long calls;
	size_t i;

	for (i = 0; i < c->sel->cnt; i++)
		if (session__count(c->session, i, &calls) && (calls || c->verbose) &&
		    !add_count(ret, i, calls))
			return false;
	return true;
}

static bool is_text(const struct counts *c, const struct trace_key *key, unsigned int i)
{
	enum trace_by by = c->keys[i].by;

	return by == TRACE_BY_COMM || by == TRACE_BY_STACK ||
	       (by == TRACE_BY_VALUE && c->plans[key->target].keys[i].data >= 0);
}

/* A string that is no address of the network. */
static char *string_text(const struct counts *c, const char *string)
{
	struct text text = {};

	if (c->json) /* JSON has its own escapes */
		return strndup(string, TRACE_STRING_SIZE);
	text__escaped(&text, string, TRACE_STRING_SIZE, 0);
	text__char(&text, '\0');
	if (!text.failed)
		return text.data;
	text__fini(&text);
	return NULL;
}

/* A part of a key as text, in memory of its own. */
static char *key_text(struct typed *t, const struct counts *c, const struct trace_key *key,
		      unsigned int i)
{
	const struct call_plan *plan = &c->plans[key->target];
	const union trace_part *part = &key->parts[i];
	struct call call = { .plan = plan };
	struct shown shown = plan->keys[i];
	struct text text = {};
	char *number;

	if (c->keys[i].by == TRACE_BY_STACK)
		return stack_text(c->sel, c->ksyms, key->target, key->stack);
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
		if (c->json && shown.format == EXPR_BY_TYPE &&
		    btf_is_int(types__real(plan->btf, shown.type)) &&
		    types__is_signed(types__real(plan->btf, shown.type)))
			shown.format = EXPR_DECIMAL; /* not the name of an errno */
		return strdup(typed__text(t, &call, &shown, true));
	}
	return asprintf(&number, "%llu", part->number) < 0 ? NULL : number;
}

static bool add_key(struct typed *t, const struct counts *c, const struct trace_key *key,
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

static bool add_keys(const struct counts *c, struct rows *ret)
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

/* In a table for people the function's cell says where an inlined call is. */
static bool has_call_columns(const struct counts *c)
{
	return c->json && c->with_calls;
}

static int add_row(const struct counts *c, struct table *t, const struct row *row)
{
	const struct fentry_target *target = c->sel->targets[row->target];
	const struct fentry_inlined_call *call = selection__call(c->sel, row->target);
	unsigned long long at = call ? call->addr : target->addr;
	char count[32], object[16], id[16], addr[32], label[2 * LABEL_MAX + 4];
	const char *cells[COLUMNS_MAX], **cell = cells;
	unsigned int i;
	char line[16];

	*cell++ = count;
	for (i = 0; i < c->key_cnt; i++)
		*cell++ = row->keys[i] ?: c->json ? NULL : "<fault>";
	if (c->json)
		*cell++ = target->obj_id ? object : NULL;
	*cell++ = fentry_target__by_probe(target) ? NULL : id;
	*cell++ = at ? addr : NULL;
	*cell++ = label;
	snprintf(count, sizeof(count), "%llu", row->calls);
	snprintf(object, sizeof(object), "%u", target->obj_id);
	snprintf(id, sizeof(id), "%u", target->type_id);
	snprintf(addr, sizeof(addr), "%016llx", at);
	fentry_target__label(target, label);
	if (call && !c->json) {
		strcat(label, " in ");
		fentry_inlined_call__where(call, label + strlen(label), LABEL_MAX);
	}
	if (has_call_columns(c)) {
		*cell++ = call ? call->caller : NULL;
		*cell++ = call ? call->symbol : NULL;
		*cell++ = call ? call->file : NULL;
		*cell++ = call ? line : NULL;
		snprintf(line, sizeof(line), "%u", call ? call->line : 0);
	}
	return table__add(t, cells);
}

/* Return how many there are. */
static size_t get_columns(const struct counts *c, const struct rows *r,
			  struct column columns[COLUMNS_MAX])
{
	static const char *const names[TRACE_PARTS] = { "by", "by2", "by3", "by4" };
	struct column *col = columns;
	unsigned int i;

	*col++ = (struct column){ .title = "COUNT", .key = "count", .number = true };
	for (i = 0; i < c->key_cnt; i++)
		*col++ = (struct column){ .title = c->keys[i].text,
					  .key = names[i],
					  .number = !r->has_text[i],
					  .cut = true };
	if (c->json)
		*col++ = (struct column){ .title = "OBJECT", .key = "object", .number = true };
	*col++ = (struct column){ .title = "BTF-ID", .key = "id", .number = true };
	*col++ = (struct column){ .title = "ADDRESS", .key = "address" };
	*col++ = (struct column){ .title = "FUNCTION", .key = "function", .cut = true };
	if (has_call_columns(c)) {
		*col++ = (struct column){ .title = "CALLER", .key = "caller" };
		*col++ = (struct column){ .title = "SYMBOL", .key = "symbol" };
		*col++ = (struct column){ .title = "FILE", .key = "file" };
		*col++ = (struct column){ .title = "LINE", .key = "line", .number = true };
	}
	return col - columns;
}

static bool print_rows(const struct counts *c, const struct rows *r, size_t max, size_t *lines)
{
	struct column columns[COLUMNS_MAX];
	size_t i, cnt = get_columns(c, r, columns);
	struct table *t = table__new(columns, cnt);
	bool ok = t;

	for (i = 0; ok && i < r->cnt && i < max; i++)
		ok = !add_row(c, t, &r->rows[i]);
	if (ok && c->json)
		table__print_json(t);
	else if (ok)
		*lines = table__print(t, max);
	table__free(t);
	return ok;
}

int counts__print(const struct counts *c, size_t max, size_t *lines)
{
	struct rows rows = {};
	unsigned int part;
	size_t i;
	bool ok;

	ok = c->key_cnt ? add_keys(c, &rows) : add_functions(c, &rows);
	if (rows.cnt)
		qsort(rows.rows, rows.cnt, sizeof(*rows.rows), cmp_row);
	ok = ok && print_rows(c, &rows, max, lines);
	for (i = 0; i < rows.cnt; i++)
		for (part = 0; part < c->key_cnt; part++)
			free(rows.rows[i].keys[part]);
	free(rows.rows);
	return ok ? 0 : no_memory();
}
