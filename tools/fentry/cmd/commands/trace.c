// SPDX-License-Identifier: GPL-2.0-only
/* fentry trace: attach, report until told to stop, detach. What is read of each call. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/coming.h"
#include "attach/session.h"
#include "commands/counts.h"
#include "commands/events.h"
#include "commands/options.h"
#include "commands/stacks.h"
#include "values/call.h"
#include "kernel/access.h"
#include "output/messages.h"
#include "output/stream.h"
#include "output/terminal.h"

#define MESSAGE_MAX 1024

static int parse_by(struct tracer *tr)
{
	const char *at = tr->opts.by;
	struct count_key *key;
	size_t len, word;

	for (; at; at = at[len] ? at + len + 1 : NULL) {
		if (tr->key_cnt == TRACE_PARTS)
			return usage_error("trace: --by '%s' has more than %d keys", tr->opts.by,
					   TRACE_PARTS);
		at += strspn(at, " \t");
		len = word = strcspn(at, ",");
		while (word && strchr(" \t", at[word - 1]))
			word--;
		key = &tr->keys[tr->key_cnt++];
		key->text = strndup(at, word);
		if (!key->text)
			return no_memory();
		key->by = counts__by(key->text);
		tr->by_stack |= key->by == TRACE_BY_STACK;
	}
	return 0;
}

/* @p: all zero */
static void set_scope(struct call_plan *p, const struct fentry_target *t, bool exit, bool brief)
{
	p->scope = (struct expr_scope){ t->btf, t->type_id, exit };
	p->brief = brief;
}

/* Return whether the keys fit; else @failed is the one that doesn't. */
static bool plan_keys(const struct tracer *tr, struct call_plan *ret, const char **failed,
		      struct expr_error *error)
{
	unsigned int i;

	for (i = 0; i < tr->key_cnt; i++) {
		*failed = tr->keys[i].text;
		if (tr->keys[i].by != TRACE_BY_VALUE)
			ret->plan.keys[i] = tr->keys[i].by;
		else if (!call_plan__key(ret, i, *failed, error))
			return false;
	}
	return true;
}

static void explain(const char *option, const char *text, const struct expr_error *error,
		    char *message)
{
	snprintf(message, MESSAGE_MAX, "%s '%s', column %d: %s%s", option, text, error->column,
		 error->msg, strcmp(option, "--by") ? "" : "; or comm, pid, tid, uid, cpu, stack");
}

/* Return whether the expressions fit; else @message says why not. */
static bool make_plan(const struct tracer *tr, const struct fentry_target *t, struct call_plan *ret,
		      char *message)
{
	const struct trace_opts *opts = &tr->opts;
	const char *option = "--if", *text = opts->filter;
	struct expr_error error;
	bool ok;

	/* most pages of memory for plans stay untouched then */
	if (opts->count && !opts->by && !text)
		return true;
	set_scope(ret, t, opts->exit, opts->brief);
	ok = !text || call_plan__filter(ret, text, &error);
	if (ok && opts->by) {
		option = "--by";
		ok = plan_keys(tr, ret, &text, &error);
	}
	if (ok && opts->count)
		return true;
	if (ok)
		call_plan__return(ret);
	if (ok && opts->print) {
		option = "--print";
		text = opts->print;
		ok = call_plan__print(ret, text, &error);
	} else if (ok && call_plan__args(ret)) {
		snprintf(message, MESSAGE_MAX, "out of memory");
		return false;
	}
	if (!ok)
		explain(option, text, &error, message);
	return ok;
}

/*
 * A tree's calls have their arguments where they begin. Where they return, they have the value, and
 * --if is tested: a function that it doesn't fit has no call that is wanted.
 */
static int make_tree_plans(struct tracer *tr)
{
	size_t i, cnt = tr->sel.cnt, fits = 0;
	const char *text = tr->opts.filter;
	char first[MESSAGE_MAX] = "";
	struct expr_error error;

	tr->plans = calloc(2 * cnt, sizeof(*tr->plans));
	if (!tr->plans)
		return no_memory();
	for (i = 0; i < cnt; i++) {
		const struct fentry_target *t = tr->sel.targets[i];
		struct call_plan *end = &tr->plans[cnt + i];

		set_scope(&tr->plans[i], t, true, tr->opts.brief);
		set_scope(end, t, true, tr->opts.brief);
		if (call_plan__args(&tr->plans[i]))
			return no_memory();
		if (text && call_plan__filter(end, text, &error)) {
			fits++;
		} else if (text) {
			*end = (struct call_plan){};
			set_scope(end, t, true, tr->opts.brief);
			if (!first[0])
				explain("--if", text, &error, first);
		}
		call_plan__return(end);
	}
	if (text && !fits)
		return usage_error("trace: %s", first);
	if (text && fits < cnt)
		complain("%zu of %zu functions can't be what --if looks for: %s", cnt - fits, cnt,
			 first);
	return 0;
}

/* Is the return value of a function in the condition? */
static bool filters_return(const char *text, const struct selection *sel)
{
	bool found = false;
	size_t i;
	int v;

	for (i = 0; strstr(text, "ret") && i < sel->cnt && !found; i++) {
		struct call_plan plan = {};
		struct expr_error error;

		set_scope(&plan, sel->targets[i], true, true);
		if (!call_plan__filter(&plan, text, &error))
			continue;
		for (v = 0; v < plan.plan.filter_cnt; v++)
			found |= plan.plan.values[v].slot == TRACE_RETURN;
	}
	return found;
}

/* Leave out functions that an expression doesn't fit. It must fit one. */
static int make_plans(struct tracer *tr)
{
	char first[MESSAGE_MAX] = "", message[MESSAGE_MAX];
	struct selection *sel = &tr->sel;
	size_t i, n = 0, cnt = sel->cnt;

	tr->plans = calloc(cnt, sizeof(*tr->plans));
	if (!tr->plans)
		return no_memory();
	for (i = 0; i < cnt; i++) {
		if (make_plan(tr, sel->targets[i], &tr->plans[n], message)) {
			if (sel->site_of)
				sel->site_of[n] = sel->site_of[i];
			sel->targets[n++] = sel->targets[i];
			continue;
		}
		if (!first[0])
			strcpy(first, message);
		call_plan__fini(&tr->plans[n]);
		tr->plans[n] = (struct call_plan){};
	}
	sel->cnt = n;
	if (!n)
		return usage_error("trace: %s", first);
	if (n < cnt)
		complain("left out %zu of %zu functions that an expression doesn't fit: %s",
			 cnt - n, cnt, first);
	return 0;
}

static void free_plans(struct tracer *tr)
{
	size_t i;

	for (i = 0; tr->plans && i < tr->sel.cnt * (tr->opts.tree ? 2 : 1); i++)
		call_plan__fini(&tr->plans[i]);
	free(tr->plans);
}

static void free_keys(struct tracer *tr)
{
	while (tr->key_cnt)
		free(tr->keys[--tr->key_cnt].text);
	stacks__free(tr->stacks);
}

/* Some options say how calls are printed, and mean nothing if calls are only counted. */
static int check_combination(const struct trace_opts *opts)
{
	const char *option = opts->stack ? "stack" :
			     opts->print ? "print" :
			     opts->time	 ? "time" :
					   NULL;

	if (opts->inlined && opts->exit)
		return usage_error(
			"trace: --%s needs calls that return, and an inlined one doesn't",
			opts->tree	   ? "tree" :
			opts->min_duration ? "min-duration" :
					     "exit");
	if (opts->tree && (opts->count || opts->stack || opts->print))
		return usage_error("trace: --tree prints calls with their arguments, not --%s",
				   opts->by    ? "by" :
				   opts->count ? "count" :
				   opts->stack ? "stack" :
						 "print");
	if (!opts->count || !option)
		return 0;
	return usage_error(
		"trace: --%s is for calls that are printed, but --count only counts them", option);
}

static void on_tick(void *ctx)
{
	struct tracer *tr = ctx;

	erase_lines(&tr->live_lines);
	counts__print(tr, output_rows(), &tr->live_lines);
}

static void on_input(void *ctx)
{
	struct tracer *tr = ctx;

	session__consume(tr->session);
}

/* Are there calls that aren't counted? */
static bool filters_calls(const struct trace_opts *opts)
{
	const struct tasks_args *t = &opts->tasks;

	return opts->filter || opts->min_duration || t->pid || t->comm || t->uid || t->cgroup ||
	       t->follow;
}

static void print_summary(const struct tracer *tr, const struct waiter *w)
{
	bool *called = calloc(tr->sel.cnt + 1, sizeof(*called));
	unsigned long long calls = 0, count;
	char of[COUNT_TEXT_MAX];
	size_t i;

	for (i = 0; i < tr->sel.cnt; i++) {
		count = 0;
		if (session__count(tr->session, i, &count))
			calls += count;
		if (called)
			called[i] = count;
	}
	pair__text(session__pair(tr->session), of);
	waiter__summary(w, calls, of);
	if (called && !filters_calls(&tr->opts))
		selection__complain_uncalled(&tr->sel, called);
	session__complain_losses(tr->session);
	selection__complain_changes(&tr->sel);
	coming__complain(&tr->sel);
	free(called);
}

static void measure(void *ctx, bool on)
{
	struct tracer *tr = ctx;

	session__measure(tr->session, on);
}

static int wait_for_end(struct tracer *tr, struct waiter *w)
{
	bool live = tr->opts.count && !tr->opts.json && !tr->opts.folded && isatty(output__fd());
	const struct waiter_events events = {
		.measure = measure,
		.fd = session__poll_fd(tr->session),
		.on_input = on_input,
		.on_tick = live ? on_tick : NULL,
		.ctx = tr,
	};
	char what[COUNT_TEXT_MAX];
	size_t lines;
	int status;

	pair__text(session__pair(tr->session), what);
	complain("tracing %s%s", what, tr->opts.command || tr->opts.seconds ? "" : ", end with ^C");
	status = waiter__run(w, tr->opts.seconds, tr->opts.command, &events);
	session__finish(tr->session);
	if (tr->events)
		events__finish(tr->events);
	erase_lines(&tr->live_lines);
	if (tr->opts.count)
		status = counts__print(tr, SIZE_MAX, &lines) ?: status;
	status = output__end() ?: status;
	print_summary(tr, w);
	return status ?: waiter__status(w);
}

static int start(struct tracer *tr, struct waiter *w)
{
	const struct trace_opts *opts = &tr->opts;
	struct session_opts session = {
		.count = opts->count,
		.exit = opts->exit,
		/* a tree has its shorter calls, too */
		.min_duration = opts->tree ? 0 : opts->min_duration,
		.tree = opts->tree,
		.stack = opts->stack,
		.part_cnt = tr->key_cnt,
		.buffer = opts->buffer,
		.by_stack = tr->by_stack,
		.tasks = &tr->tasks,
		.best_effort = opts->best_effort || !opts->inlined,
		.plans = tr->plans,
		.on_event = events__print,
	};
	int status = 0;

	if (!opts->count)
		status = events__new(tr, &tr->events);
	session.ctx = tr->events;
	status = status ?: session__start(&tr->sel, &session, w, &tr->session);
	if (!status && (opts->stack || tr->by_stack))
		status = stacks__load(&tr->sel, &tr->stacks);
	return status;
}

static int trace(struct tracer *tr, struct waiter *w)
{
	int status;

	w->process_fd = tr->tasks.process_fd;
	status = waiter__check(w) ?: start(tr, w);
	status = status ?: waiter__empty_output(w, tr->opts.output);
	status = status ?: wait_for_end(tr, w);
	waiter__release(w); /* detaching may take a while */
	session__free(tr->session);
	events__free(tr->events);
	return status;
}

/* Lockdown keeps programs from the kernel's memory, where arguments are. Counting works. */
static int check_lockdown(const struct tracer *tr)
{
	bool reads = !tr->opts.count || tr->opts.filter;
	unsigned int i;

	for (i = 0; i < tr->key_cnt; i++)
		reads |= tr->keys[i].by == TRACE_BY_VALUE;
	if (!reads || !is_locked_down())
		return 0;
	return failure(
		"can't %s: kernel lockdown (confidentiality) forbids programs to read kernel memory, where the arguments are; %s",
		tr->opts.filter ? "test --if" :
		tr->opts.count	? "count by an expression" :
				  "print calls",
		tr->opts.count ? "--count alone works, and --by a word" : "--count works");
}

/* Complain of probes where the filter isn't true because an argument isn't known. */
static void complain_filter(const struct tracer *tr)
{
	size_t i, unknown = 0;
	int v;

	for (i = 0; i < tr->sel.cnt; i++) {
		const struct probe_site *site = selection__site(&tr->sel, i);
		const struct trace_plan *plan =
			&tr->plans[i + (tr->opts.tree ? tr->sel.cnt : 0)].plan;

		for (v = 0; site && v < plan->filter_cnt; v++)
			if (!probe_site__has(site, &plan->values[v]))
				break;
		unknown += site && v < plan->filter_cnt;
	}
	if (unknown)
		complain(
			"--if needs an argument that isn't known at %zu of %zu %s: these may not be shown",
			unknown, tr->sel.site_cnt, tr->opts.inlined ? "inlined calls" : "probes");
}

/* Find what the specifications mean. */
static int choose(struct tracer *tr, char **texts, size_t cnt, struct waiter *w)
{
	const struct choice choice = {
		.cmd = "trace",
		.w = tr->opts.wait ? w : NULL,
		.exit = &tr->opts.exit,
		.implies_exit = filters_return,
		.condition = tr->opts.filter,
		.inlined = tr->opts.inlined,
		.best_effort = tr->opts.best_effort,
	};

	return selection__choose(&tr->sel, texts, cnt, &choice);
}

#define OPTIONS struct trace_opts

static const struct opt options[] = {
	FLAG(exit, "print calls when they return, with the return value"),
	FLAG(tree, "print calls inside those that made them, when the outermost one returns;\n"
		   "with --if and --min-duration, all calls around and inside such a one"),
	FLAG(stack, "print where the call came from, too"),
	FLAG(verbose, "print the structures that arguments point to, too", .letter = 'v'),
	OPT(OPT_TEXT, print, "print", "EXPR,...",
	    "print these values instead of the arguments: members, elements and\n"
	    "what pointers point to, in C: 'path->dentry->d_name.name, buf:s[count]'"),
	OPT(OPT_TEXT, filter, "if", "COND",
	    "only calls for which this is true: 'len > 4096'; with 'ret < 0' and the\n"
	    "like, implies --exit"),
	OPT_MIN_DURATION("; implies --exit"),
	FLAG(inlined, "inlined calls, too, with those arguments that can be found; all or none;\n"
		      "SPEC may mean some of them: [name]@caller, [name@]file:line"),
	OPT(OPT_FLAG, best_effort, "best-effort", NULL,
	    "leave out each SPEC without a function; with --inlined also calls that\n"
	    "aren't known, or where the kernel allows no probe"),
	FLAG(count, "count the calls instead; on a terminal, shown every second", .letter = 'c'),
	OPT(OPT_TEXT, by, "by", "KEY,...",
	    "count them by these: comm, pid, tid, uid, cpu, stack, or expressions"),
	FLAG(folded, "with --by stack: lines for flame graphs, 'caller;function COUNT'"),
	FLAG(time, "begin lines with the time and the CPU"),
	OPT_OUTPUT,
	OPT(OPT_SIZE, buffer, "buffer", "SIZE", "room for calls until they are printed (4M)"),
	OPT_JSON,
	OPT_TASKS,
	OPT_WAIT,
	OPT_END,
	{},
};

static int parse(struct tracer *tr, int *argc, char **argv)
{
	struct trace_opts *opts = &tr->opts;
	int i, status;

	status = parse_options(&trace_command, argc, argv, opts);
	if (status)
		return status;
	if (!*argc)
		return usage_error("trace: which function?");
	for (i = 0; opts->count && i < *argc; i++)
		if (argv[i][0] && !argv[i][strspn(argv[i], "0123456789")])
			return usage_error(
				"trace: --count takes no number: latency --count N ends after N calls; '%s' is no function",
				argv[i]);
	/* how long a call takes is known at its end */
	opts->exit |= opts->min_duration != 0 || opts->tree;
	opts->count |= opts->by != NULL;
	opts->brief = !opts->json && !opts->verbose;
	status = check_combination(opts) ?: parse_by(tr);
	if (!status && opts->folded && (!tr->by_stack || opts->json))
		return usage_error("trace: --folded is for --by stack, without --json");
	return status;
}

static int run(int argc, char **argv)
{
	struct tracer tr = { .tasks.cgroup_fd = -1, .tasks.process_fd = -1 };
	struct waiter w;
	int status;

	status = parse(&tr, &argc, argv) ?: waiter__init(&w);
	if (status) {
		free_keys(&tr);
		return status;
	}
	status = output__redirect(tr.opts.output);
	status = status ?: choose(&tr, argv, argc, &w);
	status = status ?: check_lockdown(&tr);
	status = status ?: tasks__init(&tr.tasks, "trace", &tr.opts.tasks, tr.opts.command);
	if (!status)
		status = tr.opts.tree ? make_tree_plans(&tr) : make_plans(&tr);
	if (!status)
		complain_filter(&tr);
	status = status ?: trace(&tr, &w);
	waiter__fini(&w);
	free_plans(&tr);
	free_keys(&tr);
	tasks__fini(&tr.tasks);
	selection__fini(&tr.sel);
	return status;
}

const struct command trace_command = {
	.name = "trace",
	.args = "SPEC...",
	.text = "trace attaches a BPF program to each function that SPEC means, and prints its\n"
		"calls with task and arguments until ^C.\n",
	.examples = "  fentry trace do_sys_openat2 --exit --if 'ret < 0'\n"
		    "  fentry trace s_next@kallsyms.c --by comm -- cat /proc/kallsyms\n",
	.options = options,
	.run = run,
};
