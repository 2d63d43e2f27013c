// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "commands/events.h"
#include "commands/stacks.h"
#include "commands/tree.h"
#include "attach/sites.h"
#include "output/json.h"
#include "output/stream.h"
#include "output/terminal.h"
#include "values/typed.h"

#define CYAN  "\033[36m"
#define PLAIN "\033[0m"

/* "comm tid  ", and what --time puts before it */
#define COMM_END     15
#define TID_LEN	     7
#define SPACES	     "                       "
#define CUT	     "..."
#define NSEC_PER_SEC 1000000000LL
#define BOOT_NOISE   1000000 /* ns between reading two clocks */

struct events {
	const struct tracer *tr;
	const struct trace_opts *opts;
	char **labels;	 /* of each target, or JSON; NULL until it is called */
	size_t label_at; /* column of the function in the line */
	long long boot;	 /* ns: wall-clock time of CLOCK_MONOTONIC's 0 */
	bool colour;
	bool terminal; /* whose width may change */
	int width;     /* of lines; 0: no limit */
	struct typed *typed;
	struct json_forms forms;
	struct text line;    /* that is being made */
	struct trees *trees; /* NULL without */
};

static long long clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

static void print_bytes(const char *text, size_t len)
{
	fwrite_unlocked(text, 1, len, output());
}

static void print_lines(void *ctx, const struct text *lines)
{
	(void)ctx;
	print_bytes(lines->data, lines->len);
}

static struct trees *new_trees(struct events *e)
{
	const struct trees_opts opts = {
		.json = e->opts->json,
		.some = e->opts->filter || e->opts->min_duration,
		.colour = e->colour,
		.width = e->width,
		.print = print_lines,
	};

	return trees__new(&opts);
}

int events__new(const struct tracer *tr, struct events **ret)
{
	struct events *e = calloc(1, sizeof(*e));

	if (e) {
		e->tr = tr;
		e->opts = &tr->opts;
		e->colour = use_colour(output__fd());
		e->terminal = isatty(output__fd());
		e->width = e->opts->brief ? output_width() : 0;
		e->labels = calloc(tr->sel.cnt, sizeof(*e->labels));
		e->typed = typed__new();
		e->trees = e->opts->tree ? new_trees(e) : NULL;
	}
	if (!e || !e->labels || !e->typed || (tr->opts.tree && !e->trees)) {
		events__free(e);
		return no_memory();
	}
	*ret = e;
	return 0;
}

void events__free(struct events *e)
{
	size_t i;

	if (!e)
		return;
	for (i = 0; e->labels && i < e->tr->sel.cnt; i++)
		free(e->labels[i]);
	free(e->labels);
	text__fini(&e->line);
	json_forms__free(&e->forms);
	typed__free(e->typed);
	trees__free(e->trees);
	free(e);
}

static void print_stack(const struct events *e, const struct call *call)
{
	struct frames frames;
	size_t i;

	stack__frames(e->tr->stacks, call->event->target, call->stack, call->stack_cnt, FRAME_SIZES,
		      &frames);
	for (i = 0; i < frames.cnt; i++)
		fprintf(output(), "        %s\n", frames.text[i]);
	frames__free(&frames);
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

/* Somebody may set the clock, and CLOCK_MONOTONIC stops in suspend. */
static void update_boot(struct events *e)
{
	long long boot = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);

	if (llabs(boot - e->boot) > BOOT_NOISE)
		e->boot = boot;
}

static void put_time(struct events *e, const struct trace_event *event)
{
	struct tm tm = {};
	long long ns;
	time_t s;

	update_boot(e);
	ns = e->boot + event->time;
	s = ns / NSEC_PER_SEC;
	localtime_r(&s, &tm);
	text__printf(&e->line, "%02d:%02d:%02d.%06lld [%03u]  ", tm.tm_hour, tm.tm_min, tm.tm_sec,
		     ns % NSEC_PER_SEC / 1000, event->cpu);
}

/* As "%-15s %7u  ", or without padding. A task chooses its name itself. */
static void put_task(struct text *to, const struct trace_event *event, bool pad)
{
	char number[DIGITS_MAX] = "-", *end = number + 1;
	size_t digits, column = COMM_END, len, begin = to->len;

	if (event->tid != TRACE_OUTSIDE)
		end = digits_decimal(number, event->tid);
	digits = end - number;

	text__escaped(to, event->comm, sizeof(event->comm), 0);
	len = to->len - begin;
	if (column < len || !pad)
		column = len;
	column += 1 + (digits < TID_LEN && pad ? TID_LEN - digits : 0);
	text__bytes(to, SPACES, column - len);
	text__bytes(to, number, digits);
	text__string(to, "  ");
}

/* Is a value known? An argument at a probe may not be, nor the length of one. */
static bool is_known(const struct events *e, const struct call *call, const struct shown *shown)
{
	const struct probe_site *site = selection__site(&e->tr->sel, call->event->target);
	const struct trace_value *values = call->plan->plan.values;
	int value = shown->number >= 0 ? shown->number : shown->data;
	int len = shown->data >= 0 ? values[shown->data].len - 1 : -1;

	return !site || ((value < 0 || probe_site__has(site, &values[value])) &&
			 (len < 0 || probe_site__has(site, &values[len])));
}

static void put_value(struct events *e, const struct call *call, const struct shown *shown)
{
	bool known = is_known(e, call, shown);

	if (known && typed__is_behind(call, shown))
		text__char(&e->line, '*');
	text__string(&e->line, shown->label ?: shown->name);
	if (shown->label || *shown->name) /* variable arguments have no name */
		text__char(&e->line, '=');
	text__string(&e->line,
		     known ? typed__text(e->typed, call, shown, e->opts->brief) : "<unavailable>");
}

/* A label's unit as the user wrote it, if that is shorter. */
static void shorten_unit(const struct selection *sel, const struct fentry_target *target,
			 char label[LABEL_MAX])
{
	char *unit = strchr(label, '@');
	size_t i;

	for (i = 0; unit && i < sel->spec_cnt; i++) {
		const struct fentry_spec *spec = &sel->specs[i];

		if (!spec->unit || strpbrk(spec->unit, "*?[") ||
		    strlen(spec->unit) > strlen(unit + 1) || !fentry_spec__match(spec, target))
			continue;
		strcpy(unit + 1, spec->unit);
		return;
	}
}

/* The function's label in a line, or its members in an object. */
static const char *get_label(const struct events *e, size_t target)
{
	char label[LABEL_MAX];
	struct text members = {};

	if (e->labels[target])
		return e->labels[target];
	if (e->opts->json) {
		json_function(&members, e->tr->sel.targets[target]);
		json_text(&members, "traced_by", pair__by(session__pair(e->tr->session), target));
		if (!members.failed)
			e->labels[target] = strndup(members.data, members.len);
		text__fini(&members);
	} else {
		fentry_target__label(e->tr->sel.targets[target], label);
		shorten_unit(&e->tr->sel, e->tr->sel.targets[target], label);
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

/* What is known when the call has returned. */
static void put_end(struct events *e, const struct call *call)
{
	const struct call_plan *plan = call->plan;

	if (plan->has_ret) {
		text__string(&e->line, " = ");
		text__string(&e->line, typed__text(e->typed, call, &plan->ret, e->opts->brief));
	}
	if (call->event->duration) {
		text__string(&e->line, " in ");
		text__time(&e->line, call->event->duration);
	}
}

/*
 * How a line is made shorter. Of arguments, strings come first then, and the time leaves no room
 * for columns. Expressions stay as the user wrote them: all else goes before they are cut.
 */
enum room {
	WIDE,
	NARROW,
	EXPRESSIONS_ONLY,
};

/* Put everything but the line's end. Return where the arguments end. */
static size_t put_line(struct events *e, const struct call *call, const char *label, enum room room)
{
	const struct trace_event *event = call->event;
	const struct fentry_inlined_call *inlined = selection__call(&e->tr->sel, event->target);
	struct text *to = &e->line;
	char where[LABEL_MAX];
	bool reorder = room != WIDE && !e->opts->print;
	size_t tail;

	if (e->opts->time)
		put_time(e, event);
	if (room != EXPRESSIONS_ONLY)
		put_task(to, event, room == WIDE || !(e->opts->time || e->opts->print));
	e->label_at = to->len;
	text__bytes(to, label, room == EXPRESSIONS_ONLY ? strcspn(label, "@") : strlen(label));
	text__char(to, '(');
	put_values(e, call, true, !reorder);
	if (reorder)
		put_values(e, call, false, true);
	tail = to->len;
	text__char(to, ')');
	put_end(e, call);
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
	size_t width = e->terminal && e->opts->brief ? output_width() : e->width;
	size_t tail = put_line(e, call, label, WIDE);
	enum room room = WIDE, last = e->opts->print ? EXPRESSIONS_ONLY : NARROW;

	while (width && e->line.len > width && room < last) {
		text__clear(&e->line);
		tail = put_line(e, call, label, ++room);
	}
	/* lines may be coloured or cut */
	if ((e->colour || e->terminal || e->width) && !e->line.failed) {
		print_line(e, width, strcspn(e->line.data + e->label_at, "("), tail);
		text__clear(&e->line);
	} else {
		text__char(&e->line, '\n');
		output__print(&e->line);
	}
	if (e->opts->stack)
		print_stack(e, call);
}

static void put_json_stack(struct events *e, const struct call *call)
{
	struct frames frames;
	size_t i;

	stack__frames(e->tr->stacks, call->event->target, call->stack, call->stack_cnt, FRAME_SIZES,
		      &frames);
	json_open(&e->line, "stack", '[');
	for (i = 0; i < frames.cnt; i++)
		json_text(&e->line, NULL, frames.text[i]);
	frames__free(&frames);
	json_close(&e->line, ']');
}

static void put_json_values(struct events *e, const struct call *call)
{
	struct text *to = &e->line;
	size_t i;

	json_open(to, e->opts->print ? "values" : "args", '[');
	for (i = 0; i < call->plan->cnt; i++) {
		json_open(to, NULL, '{');
		json_text(to, "name", call->plan->shown[i].name);
		typed__json(&e->forms, to, call, &call->plan->shown[i], "value", "address");
		json_close(to, '}');
	}
	json_close(to, ']');
}

static void put_json_task(struct text *to, const char *key, unsigned int id)
{
	if (id == TRACE_OUTSIDE)
		json_text(to, key, NULL);
	else
		json_number(to, key, id);
}

/* What is known when the call begins. */
static void put_json_begin(struct events *e, const struct call *call)
{
	const struct trace_event *event = call->event;
	struct text *to = &e->line;

	json_key(to, "time");
	json_put_number(to, event->time, false);
	json_number(to, "cpu", event->cpu);
	json_key(to, "comm");
	json_put_bytes(to, event->comm, sizeof(event->comm));
	put_json_task(to, "pid", event->pid);
	put_json_task(to, "tid", event->tid);
	text__char(to, ',');
	text__string(to, get_label(e, event->target));
	put_json_values(e, call);
}

static void put_json_end(struct events *e, const struct call *call)
{
	struct text *to = &e->line;

	if (call->plan->has_ret)
		typed__json(&e->forms, to, call, &call->plan->ret, "return", "return_address");
	if (call->event->duration) {
		json_key(to, "duration");
		json_put_number(to, call->event->duration, false);
	}
}

static void print_json(struct events *e, const struct call *call)
{
	const struct fentry_inlined_call *inlined =
		selection__call(&e->tr->sel, call->event->target);
	struct text *to = &e->line;

	json_open(to, NULL, '{');
	put_json_begin(e, call);
	put_json_end(e, call);
	if (inlined) {
		json_open(to, "inlined", '{');
		json_inlined_call(to, inlined);
		json_close(to, '}');
	}
	if (e->opts->stack)
		put_json_stack(e, call);
	text__string(to, "}\n");
	output__print(&e->line);
}

/* Members of an object, or of a line what is behind its prefix. Return the length of that. */
static size_t put_part(struct events *e, const struct call *call)
{
	const struct trace_event *event = call->event;
	size_t prefix;

	if (e->opts->json) {
		json_open(&e->line, NULL, '{');
		(event->returns ? put_json_end : put_json_begin)(e, call);
		return 1;
	}
	if (e->opts->time)
		put_time(e, event);
	put_task(&e->line, event, true);
	prefix = e->line.len;
	if (event->returns) {
		put_end(e, call);
	} else {
		text__string(&e->line, get_label(e, event->target));
		text__char(&e->line, '(');
		put_values(e, call, true, true);
	}
	return prefix;
}

/* A tree takes the call from where it begins to where it returns. */
static void take_part(struct events *e, const struct call *call)
{
	const struct trace_event *event = call->event;
	size_t prefix = put_part(e, call), bracket = e->opts->json ? 1 : 0;
	const struct tree_event part = {
		.task = event->task,
		.start = event->start,
		.lost = event->lost,
		.target = event->target,
		.wanted =
			event->returns && event->wanted && event->duration >= e->opts->min_duration,
		.text = e->line.data + bracket,
		.len = e->line.len - bracket,
		.prefix = prefix - bracket,
		.label = event->returns || bracket ? 0 : strlen(get_label(e, event->target)),
	};

	if (e->line.failed || !(event->returns ? trees__end : trees__begin)(e->trees, &part))
		complain("out of memory");
	text__clear(&e->line);
}

void events__finish(struct events *e)
{
	unsigned long long dropped = e->trees ? trees__dropped(e->trees) : 0;

	if (e->trees && !trees__finish(e->trees))
		complain("out of memory");
	if (dropped)
		complain("%llu calls are in no tree, as theirs were too large", dropped);
}

void events__print(void *ctx, const struct trace_event *event, size_t size)
{
	struct events *e = ctx;
	size_t plan = event->target + (event->returns ? e->tr->sel.cnt : 0);
	struct call call;

	if (!call__init(&call, &e->tr->plans[plan], event, size))
		return;
	if (e->trees)
		take_part(e, &call);
	else if (e->opts->json)
		print_json(e, &call);
	else
		print_plain(e, &call);
}
