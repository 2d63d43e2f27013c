// SPDX-License-Identifier: GPL-2.0-only
/* fentry trace: attach, report until told to stop, detach. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "commands/counts.h"
#include "commands/events.h"
#include "attach/modules.h"
#include "output/output.h"
#include "commands/reports.h"
#include "attach/session.h"
#include "attach/site_spec.h"

struct trace_opts {
	struct session_opts session;
	struct reports_opts reports;
	struct tasks_args tasks;
	struct inlined_opts inlined;
	const char *output; /* NULL: stdout */
	bool json, verbose, time;
	double seconds; /* 0: no limit */
	char **command; /* NULL: none */
};

struct tracer {
	const struct trace_opts *opts;
	struct modules modules; /* that were loaded before */
	struct selection sel;
	struct tasks tasks;
	struct call_plan *plans; /* of each function */
	struct session *session;
	struct events *events; /* NULL if calls are only counted */
	size_t live_lines;     /* of the table on the terminal */
};

/* As perf probe's limit. */
#define MAX_SITES 128

/* What is for calls that are printed has no meaning if they are only counted. */
static int check_combination(const struct trace_opts *opts)
{
	const char *option = opts->session.stack ? "stack" :
			     opts->reports.print ? "print" :
			     opts->time		 ? "time" :
						   NULL;

	if (opts->inlined.trace && opts->session.exit)
		return usage_error(
			"trace: --%s needs calls that return, and an inlined one doesn't",
			opts->session.min_duration ? "min-duration" : "exit");
	if (!opts->inlined.trace && opts->inlined.best_effort)
		return usage_error("trace: --best-effort is for --inlined");
	if (!opts->session.count || !option)
		return 0;
	return usage_error(
		"trace: --%s is for calls that are printed, but --count only counts them", option);
}

static int parse(int *argc, char **argv, struct trace_opts *ret)
{
	const char *duration = NULL, *min = NULL, *sites = NULL;
	const struct opt table[] = {
		{ .name = "count", .flag = &ret->session.count },
		{ .name = "exit", .flag = &ret->session.exit },
		{ .name = "stack", .flag = &ret->session.stack },
		{ .name = "json", .flag = &ret->json },
		{ .name = "verbose", .letter = 'v', .flag = &ret->verbose },
		{ .name = "duration", .value = &duration },
		{ .name = "min-duration", .value = &min },
		{ .name = "if", .value = &ret->reports.filter },
		{ .name = "print", .value = &ret->reports.print },
		{ .name = "by", .value = &ret->reports.by },
		{ .name = "time", .flag = &ret->time },
		{ .name = "inlined", .flag = &ret->inlined.trace },
		{ .name = "best-effort", .flag = &ret->inlined.best_effort },
		{ .name = "max-sites", .value = &sites },
		{ .name = "output", .letter = 'o', .value = &ret->output },
		TASKS_OPTIONS(&ret->tasks),
		{},
	};
	int status;

	status = parse_options("trace", argc, argv, table, &ret->command);
	if (!status)
		status = parse_seconds("trace", duration, &ret->seconds);
	if (!status)
		status = parse_min_duration("trace", min, &ret->session.min_duration);
	if (!status)
		status = parse_count("trace", "max-sites", "places", sites, &ret->inlined.max);
	if (status)
		return status;
	if (!*argc)
		return usage_error("trace: which function?");
	/* it isn't known before */
	ret->session.exit |= ret->session.min_duration != 0;
	ret->session.by = reports__by(ret->reports.by);
	ret->session.count |= ret->session.by != TRACE_BY_NOTHING;
	ret->reports.count = ret->session.count;
	ret->reports.exit = ret->session.exit;
	ret->reports.brief = !ret->json && !ret->verbose;
	return check_combination(ret);
}

static int print_counts(const struct tracer *tr, size_t max, size_t *lines)
{
	const struct counts_opts opts = {
		.sel = &tr->sel,
		.plans = tr->plans,
		.by = tr->opts->reports.by,
		.json = tr->opts->json,
		.zeroes = tr->opts->verbose,
	};

	return counts__print(tr->session, &opts, max, lines);
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
	print_counts(tr, output_rows(), &tr->live_lines);
}

static void on_input(void *ctx)
{
	struct tracer *tr = ctx;

	session__consume(tr->session);
}

static void print_summary(const struct tracer *tr, const struct waiter *w)
{
	unsigned long long calls = 0, count, missed, dropped;
	char of[COUNT_TEXT_MAX];
	size_t i;

	for (i = 0; i < tr->sel.cnt; i++)
		if (session__count(tr->session, i, &count))
			calls += count;
	count_text(session__attached(tr->session), session__inlined(tr->session), of);
	waiter__summary(w, calls, of);
	session__losses(tr->session, &missed, &dropped);
	if (missed)
		complain(
			"%llu calls came while the same program%s was running, and are not counted",
			missed, tr->opts->inlined.trace ? ", or another probe," : "");
	if (dropped)
		complain("%llu calls came faster than they could be printed, and are not shown",
			 dropped);
	if (tr->opts->inlined.trace)
		modules__complain_changes(&tr->modules, &tr->sel);
}

static int run(struct tracer *tr, struct waiter *w)
{
	bool live = tr->opts->session.count && !tr->opts->json && isatty(output_fd);
	const struct waiter_events events = {
		.fd = session__poll_fd(tr->session),
		.on_input = on_input,
		.on_tick = live ? on_tick : NULL,
		.ctx = tr,
	};
	char what[COUNT_TEXT_MAX];
	size_t lines;
	int status;

	count_text(session__attached(tr->session), session__inlined(tr->session), what);
	complain("tracing %s%s", what,
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
		status = print_counts(tr, SIZE_MAX, &lines) ?: status;
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
		.time = tr->opts->time,
		.brief = tr->opts->reports.brief,
		.print = tr->opts->reports.print,
	};
	struct waiter w;
	int status;

	status = waiter__init(&w);
	if (!status && !opts.count)
		status = events__new(&tr->sel, tr->plans, &how, &tr->events);
	opts.on_event = events__print;
	opts.ctx = tr->events;
	opts.plans = tr->plans;
	opts.tasks = &tr->tasks;
	opts.inlined = &tr->opts->inlined;
	if (!status)
		status = session__start(&tr->sel, &opts, &w, &tr->session);
	if (!status && tr->events)
		status = events__load_symbols(tr->events);
	if (!status)
		status = run(tr, &w);
	waiter__release(&w); /* detaching may take a while */
	session__free(tr->session);
	events__free(tr->events);
	waiter__fini(&w);
	return status;
}

/* Arguments are in the kernel's memory; a counter isn't. */
static int check_lockdown(const struct trace_opts *opts)
{
	bool reads =
		!opts->session.count || opts->reports.filter || opts->session.by == TRACE_BY_VALUE;

	if (!reads || !is_locked_down())
		return 0;
	complain(
		"can't print calls: kernel lockdown (confidentiality) forbids programs to read kernel memory, where the arguments are; --count works");
	return EXIT_FAILED;
}

/* What is printed may go to a file, while a command that is run keeps the standard output. */
static int redirect_output(const char *path)
{
	FILE *f = path ? fopen(path, "we") : stdout;

	if (!f) {
		complain("can't open %s: %s", path, strerror(errno));
		return EXIT_FAILED;
	}
	stdout = f;
	output_fd = fileno(f);
	return 0;
}

/* Of an inlined call not every argument is known, and a filter can't be true without. */
static void complain_filter(const struct tracer *tr)
{
	size_t i, unknown = 0;
	int v;

	for (i = 0; i < tr->sel.cnt; i++) {
		const struct inlined_site *site = selection__site(&tr->sel, i);
		const struct trace_plan *plan = &tr->plans[i].plan;

		for (v = 0; site && v < plan->filter_cnt; v++)
			if (!inlined_site__has(site, &plan->values[v]))
				break;
		unknown += site && v < plan->filter_cnt;
	}
	if (unknown)
		complain(
			"--if needs an argument that isn't known at %zu of %zu inlined calls: these may not be shown",
			unknown, tr->sel.site_cnt);
}

/* Find what the specifications mean. */
static int choose(struct selection *sel, char **specs, size_t cnt, const struct trace_opts *opts)
{
	size_t func_cnt = site_specs__split(specs, cnt);
	int status;

	if (func_cnt < cnt && !opts->inlined.trace)
		return usage_error("trace: '%s' is a place of inlined calls, for --inlined",
				   specs[func_cnt]);
	status = selection__init(sel, specs, func_cnt, opts->inlined.trace ? SELECT_INLINED : 0);
	if (!status && opts->inlined.trace)
		status = selection__add_inlined(sel, specs + func_cnt, cnt - func_cnt,
						&opts->inlined);
	if (!status)
		selection__complain_unseen(sel, specs, func_cnt);
	if (!status && !opts->inlined.trace)
		selection__complain_inlined(sel);
	return status;
}

int cmd_trace(int argc, char **argv)
{
	struct trace_opts opts = { .inlined.max = MAX_SITES };
	struct tracer tr = { .opts = &opts, .tasks.cgroup_fd = -1 };
	int status;

	status = parse(&argc, argv, &opts);
	if (status)
		return status;
	if (opts.inlined.trace)
		modules__read(&tr.modules);
	status = redirect_output(opts.output);
	if (!status)
		status = choose(&tr.sel, argv, argc, &opts);
	if (!status)
		status = check_lockdown(&opts);
	if (!status)
		status = tasks__init(&tr.tasks, "trace", &opts.tasks);
	if (!status)
		status = reports__make(&tr.sel, &opts.reports, &tr.plans);
	if (!status && opts.inlined.trace)
		complain_filter(&tr);
	if (!status)
		status = trace(&tr, opts.session);
	reports__free(tr.plans, tr.sel.cnt);
	tasks__fini(&tr.tasks);
	selection__fini(&tr.sel);
	modules__free(&tr.modules);
	return status;
}
