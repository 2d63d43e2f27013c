// SPDX-License-Identifier: GPL-2.0
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

struct events {
	const struct selection *sel;
	bool json, exit, stack, colour;
	struct typed *typed;
	struct ksyms *ksyms;		/* NULL without stacks */
};

int events__new(const struct selection *sel, bool json, bool exit, bool stack,
		struct events **ret)
{
	struct events *e = calloc(1, sizeof(*e));
	int status = 0;

	if (e)
		e->typed = typed__new();
	if (!e || !e->typed) {
		free(e);
		complain("out of memory");
		return EXIT_FAILED;
	}
	e->sel = sel;
	e->json = json;
	e->exit = exit;
	e->stack = stack;
	e->colour = use_colour(stdout);
	if (stack)
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

static void print_plain(const struct events *e, struct typed_call *call)
{
	const struct trace_event *event = call->event;
	const struct fentry_target *target = e->sel->targets[event->target];
	char label[LABEL_MAX];
	const char *comma = "";

	print_label(e->sel->idx, target, label);
	printf("%-15s %7u  %s%s%s(", event->comm, event->tid,
	       e->colour ? CYAN : "", label, e->colour ? PLAIN : "");
	for (; typed_call__next(call); comma = ", ")
		printf("%s%s=%s", comma, call->value.name, call->value.text);
	putchar(')');
	if (e->exit && typed_call__return(call))
		printf(" = %s", call->value.text);
	putchar('\n');
	if (e->stack)
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
	if (e->exit && typed_call__return(call)) {
		fputs(",\"return\":", stdout);
		print_json_value(&call->value);
	}
	if (e->stack)
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
		.btf = fentry_index__btf(e->sel->idx, target),
		.type_id = target->type_id,
		.plan = plan,
		.event = event,
	};

	if (e->json)
		print_json(e, &call);
	else
		print_plain(e, &call);
}
