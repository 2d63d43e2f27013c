// SPDX-License-Identifier: GPL-2.0-only
/* Calls of traced functions, printed one by one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "ksyms.h"
#include "table.h"
#include "typed.h"

#define CYAN "\033[36m"
#define PLAIN "\033[0m"
/* The function's own frame: where its trampoline was called, near its start. */
#define ENTRY_MAX 16
#define TRACING_FRAMES 2

/* "comm tid  " */
#define LABEL_AT 25
#define CUT "..."

struct events {
	const struct selection *sel;
	struct events_opts opts;
	bool colour;
	struct typed *typed;
	struct ksyms *ksyms;		/* NULL without stacks */
	FILE *line;			/* writes to text */
	char *text;
	size_t size;
};

int events__new(const struct selection *sel, const struct events_opts *opts,
		struct events **ret)
{
	struct events *e = calloc(1, sizeof(*e));
	int status = 0;

	if (e) {
		e->typed = typed__new();
		e->line = open_memstream(&e->text, &e->size);
	}
	if (!e || !e->typed || !e->line) {
		events__free(e);
		complain("out of memory");
		return EXIT_FAILED;
	}
	e->sel = sel;
	e->opts = *opts;
	e->colour = use_colour(stdout);
	if (opts->stack)
		status = ksyms__load(&e->ksyms);
	if (status)
		events__free(e);
	else
		*ret = e;
	return status;
}

void events__free(struct events *e)
{
	if (!e)
		return;
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
static int clean_stack(const struct events *e, const struct trace_event *event,
		       unsigned long long frames[TRACE_STACK_MAX + 1])
{
	unsigned long long addr = e->sel->targets[event->target]->addr;
	int i, n = 0, cnt = event->stack_size / (int)sizeof(event->stack[0]);

	for (i = 0; addr && i < cnt; i++)
		if (event->stack[i] >= addr && event->stack[i] < addr + ENTRY_MAX)
			break;
	if (addr && i >= cnt) {
		frames[n++] = addr;
		i = TRACING_FRAMES;
	} else if (!addr) {
		i = 0;
	}
	for (; i < cnt; i++)
		frames[n++] = event->stack[i];
	return n;
}

static void frame_text(const struct events *e, unsigned long long addr,
		       char *buf, size_t size)
{
	const struct ksym *sym = ksyms__at(e->ksyms, addr);

	if (!sym || e->ksyms->hidden)
		snprintf(buf, size, "%#llx", addr);
	else
		snprintf(buf, size, "%s+%#llx%s%s%s", sym->name,
			 addr - sym->addr, sym->module ? " [" : "",
			 sym->module ?: "", sym->module ? "]" : "");
}

static void print_stack(const struct events *e, const struct trace_event *event)
{
	unsigned long long frames[TRACE_STACK_MAX + 1];
	int i, cnt = clean_stack(e, event, frames);
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
	size_t width = e->opts.brief ? output_width() : 0;
	size_t len = strlen(e->text), keep = len;
	bool cut = width && len > width;

	if (cut && len - tail > width / 2)
		tail = len;
	if (cut)
		keep = width - (len - tail) - strlen(CUT);
	if (cut && width < LABEL_AT + len - tail + strlen(CUT))
		keep = LABEL_AT;
	if (label_len > keep - LABEL_AT)
		label_len = keep - LABEL_AT;
	printf("%.*s%s%.*s%s%.*s%s%s\n", LABEL_AT, e->text,
	       e->colour ? CYAN : "", (int)label_len, e->text + LABEL_AT,
	       e->colour ? PLAIN : "", (int)(keep - LABEL_AT - label_len),
	       e->text + LABEL_AT + label_len, cut ? CUT : "",
	       cut ? e->text + tail : "");
}

static void print_plain(const struct events *e, struct typed_call *call)
{
	const struct trace_event *event = call->event;
	const struct fentry_target *target = e->sel->targets[event->target];
	char label[LABEL_MAX];
	const char *comma = "";
	long tail;

	fentry_target__label(target, label);
	rewind(e->line);
	fprintf(e->line, "%-15s %7u  %s(", event->comm, event->tid, label);
	for (; typed_call__next(call); comma = ", ")
		fprintf(e->line, "%s%s=%s", comma, call->value.name,
			call->value.text);
	tail = ftell(e->line);
	fputc(')', e->line);
	if (e->opts.exit && typed_call__return(call))
		fprintf(e->line, " = %s", call->value.text);
	fputc('\0', e->line);
	if (!fflush(e->line))
		print_line(e, strlen(label), tail);
	if (e->opts.stack)
		print_stack(e, event);
}

static void print_json_value(const struct typed_value *value)
{
	if (value->number)
		fputs(value->text, stdout);
	else
		json_text(value->text);
}

static void print_json_stack(const struct events *e,
			     const struct trace_event *event)
{
	unsigned long long frames[TRACE_STACK_MAX + 1];
	int i, cnt = clean_stack(e, event, frames);
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

static void print_json(const struct events *e, struct typed_call *call)
{
	const struct trace_event *event = call->event;
	const struct fentry_target *target = e->sel->targets[event->target];
	const char *comma = "";

	printf("{\"time\":%llu,\"comm\":", event->time);
	json_text(event->comm);
	printf(",\"pid\":%u,\"tid\":%u,\"id\":%u,\"module\":", event->pid,
	       event->tid, target->type_id);
	json_text(target->module ?: "vmlinux");
	fputs(",\"function\":", stdout);
	json_text(target->name);
	fputs(",\"unit\":", stdout);
	json_text(target->unit);
	fputs(",\"args\":[", stdout);
	for (; typed_call__next(call); comma = ",") {
		printf("%s{\"name\":", comma);
		json_text(call->value.name);
		fputs(",\"value\":", stdout);
		print_json_value(&call->value);
		putchar('}');
	}
	putchar(']');
	if (e->opts.exit && typed_call__return(call)) {
		fputs(",\"return\":", stdout);
		print_json_value(&call->value);
	}
	if (e->opts.stack)
		print_json_stack(e, event);
	puts("}");
}

void events__print(void *ctx, const struct trace_event *event,
		   const struct trace_plan *plan)
{
	const struct events *e = ctx;
	const struct fentry_target *target = e->sel->targets[event->target];
	struct typed_call call = {
		.t = e->typed,
		.btf = target->btf,
		.type_id = target->type_id,
		.plan = plan,
		.event = event,
		.brief = e->opts.brief,
	};

	if (e->opts.json)
		print_json(e, &call);
	else
		print_plain(e, &call);
}
