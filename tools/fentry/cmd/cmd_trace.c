// SPDX-License-Identifier: GPL-2.0-only
/* fentry trace: attach, report until told to stop, detach. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "events.h"
#include "output.h"
#include "session.h"
#include "table.h"

static const struct column count_columns[] = {
	{ "COUNT", "count", true },
	{ "BTF-ID", "id", true },
	{ "ADDRESS", "address", false },
	{ "FUNCTION", "function", false },
};
#define COLUMN_CNT (sizeof(count_columns) / sizeof(count_columns[0]))

struct trace_opts {
	struct session_opts session;
	bool json, verbose;
	double seconds;			/* 0: no limit */
	char **command;			/* NULL: none */
};

struct tracer {
	const struct trace_opts *opts;
	struct selection sel;
	struct session *session;
	struct events *events;		/* NULL if calls are only counted */
	int live_lines;			/* of the table on the terminal */
};

static int parse(int *argc, char **argv, struct trace_opts *ret)
{
	const char *duration = NULL;
	const struct opt table[] = {
		{ .name = "count", .flag = &ret->session.count },
		{ .name = "exit", .flag = &ret->session.exit },
		{ .name = "stack", .flag = &ret->session.stack },
		{ .name = "json", .flag = &ret->json },
		{ .name = "verbose", .letter = 'v', .flag = &ret->verbose },
		{ .name = "duration", .value = &duration },
		{}
	};
	int status;

	status = parse_options("trace", argc, argv, table, &ret->command);
	if (!status)
		status = parse_seconds("trace", duration, &ret->seconds);
	if (status)
		return status;
	if (!*argc)
		return usage_error("trace: which function?");
	if (ret->session.count && (ret->session.stack || ret->verbose))
		return usage_error("trace: --%s is for calls that are printed, but --count only counts them",
				   ret->verbose ? "verbose" : "stack");
	ret->session.brief = !ret->json && !ret->verbose;
	return 0;
}

static int add_count(const struct tracer *tr, struct table *t, size_t i)
{
	const struct fentry_target *target = tr->sel.targets[i];
	char count[32], id[16], addr[32], label[LABEL_MAX];
	const char *cells[COLUMN_CNT] = {
		count, id, target->addr ? addr : NULL, label,
	};
	unsigned long long calls;

	if (!session__count(tr->session, i, &calls))
		return 0;
	snprintf(count, sizeof(count), "%llu", calls);
	snprintf(id, sizeof(id), "%u", target->type_id);
	snprintf(addr, sizeof(addr), "%016llx",
		 (unsigned long long)target->addr);
	fentry_target__label(target, label);
	return table__add(t, cells);
}

/* Print the counts of at most @max functions, the first ones that were called. */
static int print_counts(const struct tracer *tr, size_t max, int *lines)
{
	struct table *t = table__new(count_columns, COLUMN_CNT);
	bool all = max >= session__attached(tr->session);
	unsigned long long calls;
	size_t i, n = 0;
	int err = t ? 0 : -1;

	for (i = 0; !err && i < tr->sel.cnt && n < max; i++) {
		if (!session__count(tr->session, i, &calls) ||
		    (!calls && !all))
			continue;
		err = add_count(tr, t, i);
		n++;
	}
	if (err)
		complain("out of memory");
	else if (tr->opts->json)
		table__print_json(t);
	else
		table__print(t);
	table__free(t);
	*lines = n + 1;
	return err ? EXIT_FAILED : 0;
}

static void erase_live(struct tracer *tr)
{
	erase_lines(tr->live_lines);
	tr->live_lines = 0;
}

static void on_tick(void *ctx)
{
	struct tracer *tr = ctx;

	erase_live(tr);
	print_counts(tr, output_rows() - 1, &tr->live_lines);
}

static void on_input(void *ctx)
{
	struct tracer *tr = ctx;

	session__consume(tr->session);
}

static void print_summary(const struct tracer *tr, const struct waiter *w)
{
	unsigned long long calls = 0, count, missed, dropped;
	size_t i;

	for (i = 0; i < tr->sel.cnt; i++)
		if (session__count(tr->session, i, &count))
			calls += count;
	waiter__summary(w, calls, session__attached(tr->session));
	session__losses(tr->session, &missed, &dropped);
	if (missed)
		complain("%llu calls came while the same program was running, and are not counted",
			 missed);
	if (dropped)
		complain("%llu calls came faster than they could be printed, and are not shown",
			 dropped);
}

static int run(struct tracer *tr, struct waiter *w)
{
	bool live = tr->opts->session.count && !tr->opts->json &&
		    isatty(STDOUT_FILENO);
	const struct waiter_events events = {
		.fd = session__poll_fd(tr->session),
		.on_input = on_input,
		.on_tick = live ? on_tick : NULL,
		.ctx = tr,
	};
	size_t attached = session__attached(tr->session);
	int lines, status;

	complain("tracing %zu function%s%s", attached, attached == 1 ? "" : "s",
		 tr->opts->command || tr->opts->seconds ? "" : ", end with ^C");
	status = output__begin();
	if (!status)
		status = waiter__start(w, tr->opts->seconds, tr->opts->command);
	if (!status && !waiter__interrupted(w))
		waiter__wait(w, &events);
	session__stop(tr->session);
	waiter__release(w);
	session__finish(tr->session);
	erase_live(tr);
	if (tr->opts->session.count)
		status = print_counts(tr, tr->sel.cnt, &lines) ?: status;
	status = output__end() ?: status;
	print_summary(tr, w);
	return status ?: waiter__status(w);
}

static int trace(struct tracer *tr, struct session_opts opts)
{
	const struct events_opts how = {
		.json = tr->opts->json,
		.exit = opts.exit,
		.stack = opts.stack,
		.brief = opts.brief,
	};
	struct waiter w;
	int status;

	status = waiter__init(&w);
	if (!status && !opts.count)
		status = events__new(&tr->sel, &how, &tr->events);
	opts.on_event = events__print;
	opts.ctx = tr->events;
	if (!status)
		status = session__start(&tr->sel, &opts, &w, &tr->session);
	if (!status)
		status = run(tr, &w);
	waiter__release(&w);		/* detaching may take a while */
	session__free(tr->session);
	events__free(tr->events);
	waiter__fini(&w);
	return status;
}

/* Arguments are in the kernel's memory; a counter isn't. */
static int check_lockdown(const struct trace_opts *opts)
{
	if (opts->session.count || !is_locked_down())
		return 0;
	complain("can't print calls: kernel lockdown (confidentiality) forbids programs to read kernel memory, where the arguments are; --count works");
	return EXIT_FAILED;
}

int cmd_trace(int argc, char **argv)
{
	struct trace_opts opts = {};
	struct tracer tr = { .opts = &opts };
	int status;

	status = parse(&argc, argv, &opts);
	if (status)
		return status;
	status = selection__init(&tr.sel, argv, argc, false);
	if (!status)
		status = check_lockdown(&opts);
	if (!status)
		status = trace(&tr, opts.session);
	selection__fini(&tr.sel);
	return status;
}
