// SPDX-License-Identifier: GPL-2.0-only
/* Calls of traced functions, printed one by one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "events.h"
#include "inlined.h"
#include "json.h"
#include "ksyms.h"
#include "typed.h"

#define CYAN "\033[36m"
#define PLAIN "\033[0m"
/* The function's own frame: where its trampoline was called, near its start. */
#define ENTRY_MAX 16
#define TRACING_FRAMES 2

/* "comm tid  ", and what --time puts before it */
#define LABEL_AT 25
#define TIME_LEN 23
#define CUT "..."
#define NSEC_PER_SEC 1000000000LL

struct events {
	const struct selection *sel;
	const struct call_plan *plans;
	struct events_opts opts;
	char **labels;			/* of each target; NULL until it is called */
	size_t label_at;		/* column of the function */
	struct timespec boot;		/* wall-clock time of CLOCK_MONOTONIC's 0 */
	bool colour;
	bool terminal;			/* whose width may change */
	int width;			/* of lines; 0: no limit */
	struct typed *typed;
	struct ksyms *ksyms;		/* NULL without stacks */
	FILE *line;			/* writes to text; NULL: lines go out as they are */
	char *text;
	size_t size;
};

/* What to add to an event's time. */
static struct timespec time_of_boot(void)
{
	struct timespec now, since;

	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_MONOTONIC, &since);
	now.tv_sec -= since.tv_sec;
	now.tv_nsec -= since.tv_nsec;
	if (now.tv_nsec < 0) {
		now.tv_sec--;
		now.tv_nsec += NSEC_PER_SEC;
	}
	return now;
}

/* Are lines coloured or cut? */
static bool is_dressed(const struct events *e)
{
	return e->colour || e->terminal || e->width;
}

int events__new(const struct selection *sel, const struct call_plan *plans,
		const struct events_opts *opts, struct events **ret)
{
	struct events *e = calloc(1, sizeof(*e));

	if (e) {
		e->sel = sel;
		e->plans = plans;
		e->opts = *opts;
		e->label_at = LABEL_AT + (opts->time ? TIME_LEN : 0);
		e->boot = time_of_boot();
		e->colour = use_colour(stdout);
		e->terminal = isatty(output_fd);
		e->width = opts->brief ? output_width() : 0;
		e->labels = calloc(sel->cnt, sizeof(*e->labels));
		e->typed = typed__new();
		if (is_dressed(e))
			e->line = open_memstream(&e->text, &e->size);
	}
	if (!e || !e->labels || !e->typed || (is_dressed(e) && !e->line)) {
		events__free(e);
		complain("out of memory");
		return EXIT_FAILED;
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
	if (e->line)
		fclose(e->line);
	free(e->text);
	typed__free(e->typed);
	ksyms__free(e->ksyms);
	free(e);
}

/*
 * Where a call came from, innermost first. Frames of the tracing itself are left out:
 * the program's and the trampoline's, which come before the function's. That has none
 * if the trampoline was jumped to (Linux 7.3, at exit): then it's where it begins.
 */
static int clean_stack(const struct events *e, const struct call *call,
		       unsigned long long frames[TRACE_STACK_MAX + 1])
{
	size_t target = call->event->target;
	/* an inlined call has no trampoline, and no frame */
	unsigned long long addr = selection__site(e->sel, target) ? 0 :
				  e->sel->targets[target]->addr;
	int i, n = 0, cnt = call->stack_cnt;

	for (i = 0; addr && i < cnt; i++)
		if (call->stack[i] >= addr && call->stack[i] < addr + ENTRY_MAX)
			break;
	if (addr && i >= cnt) {
		frames[n++] = addr;
		i = TRACING_FRAMES;
	} else if (!addr) {
		i = 0;
	}
	for (; i < cnt; i++)
		frames[n++] = call->stack[i];
	return n;
}

static void frame_text(const struct events *e, unsigned long long addr,
		       char *buf, size_t size)
{
	unsigned long long sym_size;
	const struct ksym *sym = ksyms__at(e->ksyms, addr, &sym_size);

	if (!sym || e->ksyms->hidden)
		snprintf(buf, size, "%#llx", addr);
	else
		snprintf(buf, size, "%s+0x%llx/0x%llx%s%s%s", sym->name,
			 addr - sym->addr, sym_size, sym->module ? " [" : "",
			 sym->module ?: "", sym->module ? "]" : "");
}

static void print_stack(const struct events *e, const struct call *call)
{
	unsigned long long frames[TRACE_STACK_MAX + 1];
	int i, cnt = clean_stack(e, call, frames);
	char text[LABEL_MAX];

	for (i = 0; i < cnt; i++) {
		frame_text(e, frames[i], text, sizeof(text));
		printf("        %s\n", text);
	}
}

/*
 * Print a line, cut to the terminal's width: what is behind @tail stays, unless it is
 * most of the line. The label is coloured.
 */
static void print_line(const struct events *e, size_t label_len, size_t tail)
{
	size_t width = e->terminal && e->opts.brief ? output_width() : e->width;
	size_t len = strlen(e->text), keep = len;
	bool cut = width && len > width;
	size_t at = e->label_at;

	if (cut && len - tail > width / 2)
		tail = len;
	if (cut)
		keep = width - (len - tail) - strlen(CUT);
	if (cut && width < at + len - tail + strlen(CUT))
		keep = at;
	if (label_len > keep - at)
		label_len = keep - at;
	printf("%.*s%s%.*s%s%.*s%s%s\n", (int)at, e->text,
	       e->colour ? CYAN : "", (int)label_len, e->text + at,
	       e->colour ? PLAIN : "", (int)(keep - at - label_len),
	       e->text + at + label_len, cut ? CUT : "",
	       cut ? e->text + tail : "");
}

/* The wall-clock time and the CPU. */
static void put_time(const struct events *e, const struct trace_event *event, FILE *to)
{
	long long ns = e->boot.tv_nsec + event->time % NSEC_PER_SEC;
	time_t s = e->boot.tv_sec + event->time / NSEC_PER_SEC + ns / NSEC_PER_SEC;
	struct tm tm = {};

	localtime_r(&s, &tm);
	fprintf(to, "%02d:%02d:%02d.%06lld [%03u]  ", tm.tm_hour, tm.tm_min,
		tm.tm_sec, ns % NSEC_PER_SEC / 1000, event->cpu);
}

/* Of an inlined call, not everything is known. */
static bool is_known(const struct events *e, const struct call *call, const struct shown *shown)
{
	const struct inlined_site *site = selection__site(e->sel, call->event->target);
	int value = shown->number >= 0 ? shown->number : shown->data;

	return !site || value < 0 ||
	       inlined_site__has(site, &call->plan->plan.values[value]);
}

static void put_value(const struct events *e, const struct call *call,
		      const struct shown *shown, FILE *to)
{
	bool known = is_known(e, call, shown);

	if (known && typed__is_behind(call, shown))
		fputc('*', to);
	fputs(shown->name, to);
	fputc('=', to);
	fputs(known ? typed__text(e->typed, call, shown, e->opts.brief) : "<unavailable>", to);
}

/* How long the call took, as " in 1.5 ms". */
static void put_duration(unsigned long long ns, FILE *to)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double value = ns;
	int unit = 0;

	for (; value >= 1000 && unit < 3; unit++)
		value /= 1000;
	fprintf(to, " in %.*f %s", unit ? 1 : 0, value, units[unit]);
}

static const char *get_label(const struct events *e, size_t target)
{
	char label[LABEL_MAX];

	if (!e->labels[target]) {
		fentry_target__label(e->sel->targets[target], label);
		e->labels[target] = strdup(label);
	}
	return e->labels[target] ?: "?";
}

static void print_plain(const struct events *e, const struct call *call)
{
	const struct trace_event *event = call->event;
	const struct inlined_site *site = selection__site(e->sel, event->target);
	const char *label = get_label(e, event->target);
	const struct call_plan *plan = call->plan;
	FILE *to = e->line ?: stdout;
	char where[LABEL_MAX];
	long tail = 0;
	size_t i;

	if (e->line)
		rewind(e->line);
	if (e->opts.time)
		put_time(e, event, to);
	fprintf(to, "%-15s %7u  %s(", event->comm, event->tid, label);
	for (i = 0; i < plan->cnt; i++) {
		if (i)
			fputs(", ", to);
		put_value(e, call, &plan->shown[i], to);
	}
	if (e->line)
		tail = ftell(e->line);
	fputc(')', to);
	if (plan->has_ret) {
		fputs(" = ", to);
		fputs(typed__text(e->typed, call, &plan->ret, e->opts.brief), to);
	}
	if (event->duration)
		put_duration(event->duration, to);
	if (site) {
		fentry_inlined_call__where(site->call, where, sizeof(where));
		fprintf(to, " in %s", where);
	}
	fputc(e->line ? '\0' : '\n', to);
	if (e->line && !fflush(e->line))
		print_line(e, strlen(label), tail);
	if (e->opts.stack)
		print_stack(e, call);
}

static void print_json_stack(const struct events *e, const struct call *call)
{
	unsigned long long frames[TRACE_STACK_MAX + 1];
	int i, cnt = clean_stack(e, call, frames);
	char text[LABEL_MAX];
	const char *comma = "";

	fputs(",\"stack\":[", stdout);
	for (i = 0; i < cnt; i++, comma = ",") {
		frame_text(e, frames[i], text, sizeof(text));
		fputs(comma, stdout);
		json_text(text);
	}
	putchar(']');
}

static void print_json_values(const struct call *call)
{
	size_t i;

	for (i = 0; i < call->plan->cnt; i++) {
		fputs(i ? ",{\"name\":" : "{\"name\":", stdout);
		json_text(call->plan->shown[i].name);
		putchar(',');
		typed__json(call, &call->plan->shown[i], "value", "address");
		putchar('}');
	}
}

static void print_json(const struct events *e, const struct call *call)
{
	const struct trace_event *event = call->event;
	const struct inlined_site *site = selection__site(e->sel, event->target);

	fputs("{\"time\":", stdout);
	json_number(event->time, false);
	printf(",\"cpu\":%u,\"comm\":", event->cpu);
	json_text(event->comm);
	printf(",\"pid\":%u,\"tid\":%u", event->pid, event->tid);
	putchar(',');
	json_function(e->sel->targets[event->target]);
	fputs(e->opts.print ? ",\"values\":[" : ",\"args\":[", stdout);
	print_json_values(call);
	putchar(']');
	if (call->plan->has_ret) {
		putchar(',');
		typed__json(call, &call->plan->ret, "return", "return_address");
	}
	if (site) {
		fputs(",\"inlined\":{", stdout);
		inlined_call__json(site->call);
		printf(",\"address\":\"%016llx\"}", (unsigned long long)site->call->addr);
	}
	if (event->duration) {
		fputs(",\"duration\":", stdout);
		json_number(event->duration, false);
	}
	if (e->opts.stack)
		print_json_stack(e, call);
	puts("}");
}

void events__print(void *ctx, const struct trace_event *event, size_t size)
{
	const struct events *e = ctx;
	struct call call;

	if (!call__init(&call, &e->plans[event->target], event, size))
		return;
	if (e->opts.json)
		print_json(e, &call);
	else
		print_plain(e, &call);
}
