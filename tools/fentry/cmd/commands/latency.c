// SPDX-License-Identifier: GPL-2.0-only
/* fentry latency: attach, measure until told to stop, print histograms. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/histogram.h"
#include "output/json.h"
#include "commands/meter.h"
#include "output/output.h"

struct latency_opts {
	bool json;
	struct meter_opts meter;
	struct tasks_args tasks;
	double seconds; /* 0: no limit */
	char **command; /* NULL: none */
};

struct latency {
	const struct latency_opts *opts;
	struct selection sel;
	struct tasks tasks;
	struct meter *meter;
	size_t live_lines; /* on the terminal */
};

static int parse(int *argc, char **argv, struct latency_opts *ret)
{
	const char *count = NULL, *duration = NULL, *min = NULL;
	const struct opt table[] = {
		{ .name = "count", .value = &count },
		{ .name = "json", .flag = &ret->json },
		{ .name = "duration", .value = &duration },
		{ .name = "min-duration", .value = &min },
		TASKS_OPTIONS(&ret->tasks),
		{},
	};
	int status;

	status = parse_options("latency", argc, argv, table, &ret->command);
	if (!status)
		status = parse_count("latency", "count", "calls", count, &ret->meter.limit);
	if (!status)
		status = parse_min_duration("latency", min, &ret->meter.min_duration);
	if (!status)
		status = parse_seconds("latency", duration, &ret->seconds);
	if (status)
		return status;
	return *argc ? 0 : usage_error("latency: which function?");
}

/* Print at most @max lines, of functions that were called if @called. */
static size_t print_plain(const struct latency *l, size_t max, bool called)
{
	char label[LABEL_MAX];
	struct histogram h;
	size_t i, lines = 0;

	for (i = 0; i < l->sel.cnt && lines < max; i++) {
		if (!meter__read(l->meter, i, &h) || (called && !h.count))
			continue;
		fentry_target__label(l->sel.targets[i], label);
		lines += histogram__print(&h, label, output_width(), max - lines, stdout);
	}
	return lines;
}

static void print_json(const struct latency *l)
{
	const char *comma = "";
	struct histogram h;
	size_t i;

	putchar('[');
	for (i = 0; i < l->sel.cnt; i++) {
		const struct fentry_target *target = l->sel.targets[i];

		if (!meter__read(l->meter, i, &h))
			continue;
		printf("%s\n{", comma);
		json_function(target);
		putchar(',');
		histogram__print_json(&h, stdout);
		putchar('}');
		comma = ",";
	}
	puts("\n]");
}

static void erase_live(struct latency *l)
{
	erase_lines(l->live_lines);
	l->live_lines = 0;
}

static void on_tick(void *ctx)
{
	struct latency *l = ctx;

	erase_live(l);
	l->live_lines = print_plain(l, output_rows(), true);
}

static void print_loss(unsigned long long calls, const char *what)
{
	if (calls)
		complain("not counted: %llu call%s %s", calls, calls == 1 ? "" : "s", what);
}

static void print_losses(const struct latency *l)
{
	struct meter_losses losses;

	meter__losses(l->meter, &losses);
	print_loss(losses.missed, "that returned while a program was running on the CPU");
	print_loss(losses.unpaired, "whose start wasn't seen");
	print_loss(losses.no_room, "that began when too many others hadn't returned");
	print_loss(losses.pending, "that began and wasn't seen to return");
}

static void print_summary(const struct latency *l, const struct waiter *w)
{
	unsigned long long calls = 0;
	char of[COUNT_TEXT_MAX];
	struct histogram h;
	size_t i;

	for (i = 0; i < l->sel.cnt; i++)
		if (meter__read(l->meter, i, &h))
			calls += h.count;
	count_text(meter__cnt(l->meter), 0, of);
	waiter__summary(w, calls, of);
	print_losses(l);
}

static int run(struct latency *l, struct waiter *w)
{
	bool live = !l->opts->json && isatty(output_fd);
	const struct waiter_events events = {
		.fd = meter__end_fd(l->meter),
		.on_tick = live ? on_tick : NULL,
		.ctx = l,
	};
	char what[COUNT_TEXT_MAX];
	int status;

	count_text(meter__cnt(l->meter), 0, what);
	complain("measuring %s%s", what,
		 l->opts->command || l->opts->seconds || l->opts->meter.limit ? "" :
										", end with ^C");
	status = output__begin();
	if (!status)
		status = waiter__start(w, l->opts->seconds, l->opts->command);
	if (!status && !waiter__interrupted(w))
		waiter__wait(w, &events);
	meter__stop(l->meter);
	waiter__release(w);
	erase_live(l);
	if (l->opts->json)
		print_json(l);
	else
		print_plain(l, SIZE_MAX, false);
	status = output__end() ?: status;
	print_summary(l, w);
	return status ?: waiter__status(w);
}

static int measure(struct latency *l)
{
	struct meter_opts opts = l->opts->meter;
	struct waiter w;
	int status;

	opts.tasks = &l->tasks;
	status = waiter__init(&w);
	if (!status)
		status = meter__start(&l->sel, &opts, &w, &l->meter);
	if (!status)
		status = run(l, &w);
	waiter__release(&w); /* detaching may take a while */
	meter__free(l->meter);
	waiter__fini(&w);
	return status;
}

int cmd_latency(int argc, char **argv)
{
	struct latency_opts opts = {};
	struct latency l = { .opts = &opts, .tasks.cgroup_fd = -1 };
	int status;

	status = parse(&argc, argv, &opts);
	if (status)
		return status;
	status = selection__init(&l.sel, argv, argc, 0);
	if (!status) {
		selection__complain_unseen(&l.sel, argv, argc);
		selection__complain_inlined(&l.sel);
	}
	if (!status)
		status = tasks__init(&l.tasks, "latency", &opts.tasks);
	if (!status)
		status = measure(&l);
	tasks__fini(&l.tasks);
	selection__fini(&l.sel);
	return status;
}
