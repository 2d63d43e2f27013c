// SPDX-License-Identifier: GPL-2.0-only
/*
 * fentry latency: attach, measure until told to stop, print histograms of how long calls take (see
 * latency.bpf.c).
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "attach/coming.h"
#include "attach/pair.h"
#include "attach/task_filter.h"
#include "bpf/latency.skel.h"
#include "commands/counts.h"
#include "commands/options.h"
#include "output/histogram.h"
#include "output/json.h"
#include "output/stream.h"
#include "output/terminal.h"

struct latency_opts {
	bool json, wait;
	unsigned long long limit;	 /* measure so many calls; 0: no limit */
	unsigned long long min_duration; /* ns; shorter ones are left out */
	const char *output;		 /* NULL: stdout */
	const char *by;			 /* NULL: by functions alone */
	struct tasks_args tasks;
	double seconds; /* 0: no limit */
	char **command; /* NULL: none */
};

struct latency {
	struct latency_opts opts;
	struct selection sel;
	struct tasks tasks;
	struct latency_bpf *skel;
	struct pair pair;
	enum trace_by by;
	struct histogram *parts; /* of each CPU, to read one function's */
	int cpu_cnt;
	size_t live_lines; /* on the terminal */
};

/* Load the skeleton with its programs on a function; without one, those for probes only. */
static int load_for(void *ctx, const struct fentry_target *target, struct fentry_error *error)
{
	struct latency *l = ctx;
	struct latency_bpf *skel = latency_bpf__open();
	struct fentry_binding bindings[2];
	size_t cnt;
	int err;

	if (!skel)
		return open_skeleton_failed(error);
	skel->rodata->limit = l->opts.limit;
	skel->rodata->min_duration = l->opts.min_duration;
	skel->rodata->by = l->by;
	bpf_map__set_autocreate(skel->maps.keyed, l->by);
	skel->rodata->tasks = l->tasks.filter;
	bpf_program__set_autoload(skel->progs.on_fork, l->tasks.filter.follow);
	bpf_map__set_autocreate(skel->maps.followed, l->tasks.filter.follow);
	bpf_map__set_max_entries(skel->maps.histograms, l->sel.cnt);
	skel->rodata->first_site = selection__first_site(&l->sel);
	l->pair.progs[PAIR_TRAMPOLINE].start = skel->progs.on_entry;
	l->pair.progs[PAIR_TRAMPOLINE].end = skel->progs.on_exit;
	l->pair.progs[PAIR_PROBE].start = skel->progs.on_site;
	l->pair.progs[PAIR_PROBE].end = skel->progs.on_return;
	l->pair.progs[PAIR_PROBE].session = skel->progs.on_session;
	cnt = pair__prepare(&l->pair, target, bindings);
	err = fentry_skeleton__load(skel->skeleton, l->sel.idx, bindings, cnt, error);
	if (err)
		latency_bpf__destroy(skel);
	else
		l->skel = skel;
	return err;
}

static int start(struct latency *l, struct waiter *w)
{
	int status;

	l->cpu_cnt = libbpf_num_possible_cpus();
	l->parts = calloc(l->cpu_cnt, sizeof(*l->parts));
	if (!l->parts)
		return no_memory();
	l->pair.sel = &l->sel;
	status = pair__load(&l->pair, true, load_for, l);
	if (!status)
		status = tasks__begin(&l->tasks, l->skel->maps.cgroups, l->skel->progs.on_fork,
				      &l->skel->links.on_fork);
	status = status ?: pair__attach(&l->pair, false, w);
	return status;
}

/* What was measured of a function, or of its calls with a key. */
struct row {
	struct latency_key key; /* the target alone without --by */
	struct histogram h;
};

struct rows {
	struct row *rows;
	size_t cnt;
};

static void merge(const struct latency *l, struct histogram *ret)
{
	int cpu;

	for (cpu = 0; cpu < l->cpu_cnt; cpu++)
		histogram__merge(ret, &l->parts[cpu]);
}

static bool read_keyed(const struct latency *l, struct rows *ret)
{
	int fd = bpf_map__fd(l->skel->maps.keyed);
	struct latency_key key, *last = NULL;

	for (; !bpf_map_get_next_key(fd, last, &key); last = &key) {
		if (bpf_map_lookup_elem(fd, &key, l->parts))
			continue;
		if (!ARRAY_GROW(ret->rows, ret->cnt))
			return false;
		ret->rows[ret->cnt] = (struct row){ .key = key };
		merge(l, &ret->rows[ret->cnt++].h);
	}
	return true;
}

static bool read_functions(const struct latency *l, struct rows *ret)
{
	int fd = bpf_map__fd(l->skel->maps.histograms);
	__u32 i;

	for (i = 0; i < l->sel.cnt; i++) {
		if (!pair__has(&l->pair, i) || bpf_map_lookup_elem(fd, &i, l->parts))
			continue;
		if (!ARRAY_GROW(ret->rows, ret->cnt))
			return false;
		ret->rows[ret->cnt] = (struct row){ .key.target = i };
		merge(l, &ret->rows[ret->cnt++].h);
	}
	return true;
}

/* In the order of the functions; of one function, the key with most calls first. */
static int cmp_row(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int diff = cmp_int(x->key.target, y->key.target) ?: cmp_int(y->h.count, x->h.count);

	return diff ?: memcmp(x->key.part.text, y->key.part.text, sizeof(x->key.part.text));
}

/* Read what has been measured so far. @ret->rows is to be released with free(). */
static void read_rows(const struct latency *l, struct rows *ret)
{
	*ret = (struct rows){};
	if (!(l->by ? read_keyed(l, ret) : read_functions(l, ret)))
		no_memory();
	if (ret->cnt)
		qsort(ret->rows, ret->cnt, sizeof(*ret->rows), cmp_row);
}

/* A heading, as "vfs_read" or "vfs_read, comm cat". */
static void put_heading(const struct latency *l, const struct latency_key *key, struct text *ret)
{
	char function[LABEL_MAX], number[32];

	text__clear(ret);
	fentry_target__label(l->sel.targets[key->target], function);
	text__string(ret, function);
	if (l->by) {
		text__string(ret, ", ");
		text__string(ret, l->opts.by);
		text__char(ret, ' ');
	}
	snprintf(number, sizeof(number), "%llu", key->part.number);
	if (key->failed)
		text__char(ret, '?');
	else if (l->by == TRACE_BY_COMM)
		text__escaped(ret, key->part.text, TRACE_COMM_LEN, 0);
	else if (l->by)
		text__string(ret, number);
	text__char(ret, '\0');
}

/* Print at most @max lines, of functions that were called if @called. */
static size_t print_plain(const struct latency *l, size_t max, bool called)
{
	struct text heading = {};
	struct text to = {};
	const struct row *row;
	struct rows rows;
	size_t lines = 0;

	read_rows(l, &rows);
	for (row = rows.rows; row < rows.rows + rows.cnt && lines < max; row++) {
		if (called && !row->h.count)
			continue;
		put_heading(l, &row->key, &heading);
		lines += histogram__put(&to, &row->h, heading.data ?: "", output_width(),
					max - lines);
	}
	free(rows.rows);
	text__fini(&heading);
	output__print(&to);
	text__fini(&to);
	return lines;
}

static void put_json_key(const struct latency *l, const struct latency_key *key, struct text *to)
{
	char comm[TRACE_COMM_LEN + 1] = {};

	memcpy(comm, key->part.text, TRACE_COMM_LEN);
	if (key->failed || l->by == TRACE_BY_COMM)
		json_text(to, "by", key->failed ? NULL : comm);
	else
		json_number(to, "by", key->part.number);
}

static void print_json(const struct latency *l)
{
	const char *line = "\n{";
	struct text to = {};
	const struct row *row;
	struct rows rows;

	read_rows(l, &rows);
	fputc('[', output());
	for_each(row, rows.rows, rows.cnt) {
		text__string(&to, line);
		json_function(&to, l->sel.targets[row->key.target]);
		if (l->by)
			put_json_key(l, &row->key, &to);
		json_text(&to, "traced_by", pair__by(&l->pair, row->key.target));
		json_histogram(&to, &row->h);
		json_close(&to, '}');
		output__print(&to);
		line = ",\n{";
	}
	free(rows.rows);
	text__fini(&to);
	fputs("\n]\n", output());
}

static void on_tick(void *ctx)
{
	struct latency *l = ctx;

	erase_lines(&l->live_lines);
	l->live_lines = print_plain(l, output_rows(), true);
}

static void print_summary(const struct latency *l, const struct waiter *w)
{
	bool *called = calloc(l->sel.cnt + 1, sizeof(*called));
	unsigned long long calls = 0;
	char of[COUNT_TEXT_MAX];
	struct rows rows;
	size_t i;

	read_rows(l, &rows);
	for (i = 0; i < rows.cnt; i++) {
		calls += rows.rows[i].h.count;
		if (called)
			called[rows.rows[i].key.target] |= rows.rows[i].h.count;
	}
	free(rows.rows);
	pair__text(&l->pair, of);
	waiter__summary(w, calls, of);
	if (called && !calls)
		selection__complain_uncalled(&l->sel, called);
	free(called);
	coming__complain(&l->sel);
	if (l->skel->bss->lost)
		complain("not counted: %llu calls, as there was room for %d keys",
			 l->skel->bss->lost, LATENCY_KEYS);
	pair__complain_losses(&l->pair, bpf_map__fd(l->skel->maps.cpus),
			      bpf_map__fd(l->skel->maps.buckets), 0);
}

static void measure(void *ctx, bool on)
{
	struct latency *l = ctx;

	pair__measure(&l->pair, &l->skel->bss->measuring, on);
}

static int wait_for_end(struct latency *l, struct waiter *w)
{
	bool live = !l->opts.json && isatty(output__fd());
	const struct waiter_events events = {
		.measure = measure,
		.fd = bpf_map__fd(l->skel->maps.ended),
		.on_tick = live ? on_tick : NULL,
		.ctx = l,
	};
	char what[COUNT_TEXT_MAX];
	int status;

	pair__text(&l->pair, what);
	complain("measuring %s%s", what,
		 l->opts.command || l->opts.seconds || l->opts.limit ? "" : ", end with ^C");
	status = waiter__run(w, l->opts.seconds, l->opts.command, &events);
	erase_lines(&l->live_lines);
	if (l->opts.json)
		print_json(l);
	else
		print_plain(l, SIZE_MAX, false);
	status = output__end() ?: status;
	print_summary(l, w);
	return status ?: waiter__status(w);
}

static int attach_and_wait(struct latency *l, struct waiter *w)
{
	int status;

	w->process_fd = l->tasks.process_fd;
	status = waiter__check(w) ?: start(l, w);
	status = status ?: waiter__empty_output(w, l->opts.output);
	status = status ?: wait_for_end(l, w);
	waiter__release(w); /* detaching may take a while */
	pair__detach(&l->pair);
	latency_bpf__destroy(l->skel);
	free(l->parts);
	return status;
}

#define OPTIONS struct latency_opts

static const struct opt options[] = {
	OPT(OPT_COUNT, limit, "count", "N", "end after N calls in all"),
	OPT_MIN_DURATION(""),
	OPT(OPT_TEXT, by, "by", "KEY", "a histogram for each of these: comm, pid, tid, uid or cpu"),
	OPT_OUTPUT,
	OPT_JSON,
	OPT_TASKS,
	OPT_WAIT,
	OPT_END,
	{},
};

static int run(int argc, char **argv)
{
	struct latency l = { .tasks.cgroup_fd = -1, .tasks.process_fd = -1 };
	bool exit = true;
	struct choice choice = { .exit = &exit };
	struct waiter w;
	int status;

	status = parse_options(&latency_command, &argc, argv, &l.opts);
	if (!status && !argc)
		status = usage_error("latency: which function?");
	if (!status && l.opts.by) {
		l.by = counts__by(l.opts.by);
		if (l.by == TRACE_BY_VALUE || l.by == TRACE_BY_STACK)
			status = usage_error(
				"latency: --by is comm, pid, tid, uid or cpu, not '%s': 'trace --by' counts by others",
				l.opts.by);
	}
	status = status ?: waiter__init(&w);
	if (status)
		return status;
	choice.w = l.opts.wait ? &w : NULL;
	status = output__redirect(l.opts.output);
	status = status ?: selection__choose(&l.sel, argv, argc, &choice);
	status = status ?: tasks__init(&l.tasks, "latency", &l.opts.tasks, l.opts.command);
	status = status ?: attach_and_wait(&l, &w);
	waiter__fini(&w);
	tasks__fini(&l.tasks);
	selection__fini(&l.sel);
	return status;
}

const struct command latency_command = {
	.name = "latency",
	.args = "SPEC...",
	.text = "latency measures how long calls take, and prints a histogram for each function; on\n"
		"a terminal every second.\n",
	.examples = "  fentry latency vfs_read --count 1000\n"
		    "  fentry latency s_next@kallsyms.c -- cat /proc/kallsyms\n",
	.options = options,
	.run = run,
};
