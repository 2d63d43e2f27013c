// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "commands/tree.h"
#include "array.h"
#include "output/json.h"
#include "output/text.h"

#define CYAN   "\033[36m"
#define PLAIN  "\033[0m"
#define CUT    "..."
#define INDENT 2
#define NONE   SIZE_MAX
/* A call takes about 200 bytes. */
#define MAX_DEFAULT 65536

/* Bytes of the task's text. */
struct part {
	size_t at, len, prefix;
};

struct node {
	size_t parent; /* position; NONE: it is outermost */
	unsigned long long number, start;
	unsigned int target;
	bool returned;
	bool gap;     /* events were lost right before it */
	bool gap_end; /* and behind the last call that it made */
	size_t label;
	struct part begin, end;
};

/* The calls of a task, in the order in which they began: each comes before those that it makes. */
struct task {
	unsigned long long id, lost;
	struct node *nodes;
	size_t cnt;
	size_t innermost; /* that hasn't returned; NONE: there is none */
	bool gap;	  /* events were lost behind the last node */
	bool wanted;
	struct text text;
};

struct trees {
	struct trees_opts opts;
	struct task **tasks; /* by their ids */
	size_t task_cnt;
	unsigned long long number, dropped;
	struct text lines;
};

struct trees *trees__new(const struct trees_opts *opts)
{
	struct trees *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->opts = *opts;
	if (!t->opts.max)
		t->opts.max = MAX_DEFAULT;
	return t;
}

static void free_task(struct task *task)
{
	text__fini(&task->text);
	free(task->nodes);
	free(task);
}

void trees__free(struct trees *t)
{
	if (!t)
		return;
	while (t->task_cnt)
		free_task(t->tasks[--t->task_cnt]);
	free(t->tasks);
	text__fini(&t->lines);
	free(t);
}

static int cmp_task(const void *a, const void *b)
{
	const struct task *x = *(struct task *const *)a, *y = *(struct task *const *)b;

	return cmp_int(x->id, y->id);
}

/* The task's place in the array. */
static size_t find_task(const struct trees *t, unsigned long long id)
{
	const struct task key = { .id = id }, *at = &key;

	return lower_bound(&at, t->tasks, t->task_cnt, sizeof(*t->tasks), cmp_task);
}

static struct task *get_task(struct trees *t, const struct tree_event *e)
{
	size_t i = find_task(t, e->task);
	struct task *task;

	if (i < t->task_cnt && t->tasks[i]->id == e->task)
		return t->tasks[i];
	if (!ARRAY_GROW(t->tasks, t->task_cnt))
		return NULL;
	task = calloc(1, sizeof(*task));
	if (!task)
		return NULL;
	task->id = e->task;
	task->lost = e->lost;
	task->innermost = NONE;
	memmove(&t->tasks[i + 1], &t->tasks[i], (t->task_cnt++ - i) * sizeof(*t->tasks));
	t->tasks[i] = task;
	return task;
}

static void drop_task(struct trees *t, struct task *task)
{
	size_t i = find_task(t, task->id);

	memmove(&t->tasks[i], &t->tasks[i + 1], (--t->task_cnt - i) * sizeof(*t->tasks));
	free_task(task);
}

static struct part keep(struct task *task, const struct tree_event *e)
{
	struct part part = { task->text.len, e->len, e->prefix };

	text__bytes(&task->text, e->text, e->len);
	return part;
}

/* The first of a call's own calls that a gap is before, or NONE. */
static size_t first_behind_gap(const struct task *task, size_t i)
{
	size_t child;

	for (child = i + 1; child < task->cnt; child++)
		if (task->nodes[child].parent == i && task->nodes[child].gap)
			return child;
	return NONE;
}

/*
 * The end of a call wasn't seen. Which of the calls behind a gap in it are its own, and which came
 * later, nobody knows. They go to the call around it. Without a known gap, it may be anywhere.
 */
static void hoist(struct task *task, size_t i, bool known_gap)
{
	struct node *node = &task->nodes[i];
	size_t from = first_behind_gap(task, i), child;

	if (from == NONE && !node->gap_end && !known_gap)
		from = i + 1;
	for (child = from; child < task->cnt; child++) {
		if (task->nodes[child].parent != i)
			continue;
		task->nodes[child].parent = node->parent;
		task->nodes[child].gap |= child == from;
	}
	if (node->gap_end && node->parent != NONE)
		task->nodes[node->parent].gap_end = true;
	node->gap_end &= node->parent == NONE;
}

/*
 * The calls inside @outer (NONE: all) that haven't returned are behind us. @open: they may go on,
 * unless there was a gap.
 */
static void unwind(struct task *task, size_t outer, bool open)
{
	size_t i;

	if (task->gap && task->innermost != NONE)
		task->nodes[task->innermost].gap_end = true;
	task->gap = false;
	for (i = task->innermost; i != outer; i = task->nodes[i].parent)
		hoist(task, i, open);
	task->innermost = outer;
}

static void notice_losses(struct task *task, const struct tree_event *e)
{
	task->gap |= task->lost != e->lost;
	task->lost = e->lost;
}

bool trees__begin(struct trees *t, const struct tree_event *e)
{
	struct task *task = get_task(t, e);
	struct node *node;

	if (!task)
		return false;
	notice_losses(task, e);
	if (task->cnt >= t->opts.max) {
		t->dropped++;
		task->gap = true;
		return true;
	}
	if (!ARRAY_GROW(task->nodes, task->cnt))
		return false;
	node = &task->nodes[task->cnt];
	*node = (struct node){
		.parent = task->innermost,
		.start = e->start,
		.target = e->target,
		.gap = task->gap,
		.label = e->label,
		.begin = keep(task, e),
	};
	task->gap = false;
	task->wanted |= e->wanted;
	task->innermost = task->cnt++;
	return !task->text.failed;
}

/* The call of the task that this is the end of; NONE: its beginning wasn't seen. */
static size_t find_open(const struct task *task, const struct tree_event *e)
{
	size_t i = task->innermost;

	while (i != NONE &&
	       (task->nodes[i].start != e->start || task->nodes[i].target != e->target))
		i = task->nodes[i].parent;
	return i;
}

static void put_json(struct trees *t, struct task *task, size_t i)
{
	struct node *node = &task->nodes[i];
	struct text *to = &t->lines;

	node->number = ++t->number;
	json_open(to, NULL, '{');
	json_number(to, "call", node->number);
	json_key(to, "parent");
	if (node->parent == NONE)
		text__string(to, "null");
	else
		json_put_number(to, task->nodes[node->parent].number, false);
	text__char(to, ',');
	text__bytes(to, task->text.data + node->begin.at, node->begin.len);
	if (node->end.len) {
		text__char(to, ',');
		text__bytes(to, task->text.data + node->end.at, node->end.len);
	}
	if (node->gap)
		json_bool(to, "gap", true);
	if (!node->returned)
		json_bool(to, "returned", false);
	text__string(to, "}\n");
}

/* The prefix of a line, and the indentation of a call at this depth. */
static void put_prefix(struct trees *t, const struct task *task, const struct part *part,
		       size_t depth)
{
	text__bytes(&t->lines, task->text.data + part->at, part->prefix);
	while (depth--)
		text__string(&t->lines, "  ");
}

static void put_gap(struct trees *t, const struct task *task, const struct part *part, size_t depth)
{
	put_prefix(t, task, part, depth);
	text__string(&t->lines, "... (calls were lost)\n");
}

static void put_label(struct trees *t, const struct task *task, const struct node *node)
{
	const char *label = task->text.data + node->begin.at + node->begin.prefix;

	text__string(&t->lines, t->opts.colour ? CYAN : "");
	text__bytes(&t->lines, label, node->label);
	text__string(&t->lines, t->opts.colour ? PLAIN : "");
}

/* What is behind the arguments, or behind the calls that this one made. */
static size_t tail_of(const struct task *task, const struct node *node, const char **ret)
{
	*ret = ", not seen to return";
	if (!node->returned)
		return strlen(*ret);
	*ret = task->text.data + node->end.at + node->end.prefix;
	return node->end.len - node->end.prefix;
}

/* End the line that begins at @begin. If it's too wide even without arguments, its tail is cut. */
static void end_line(struct trees *t, size_t begin, size_t tail)
{
	size_t colours = t->opts.colour ? strlen(CYAN PLAIN) : 0, excess = t->lines.len - begin;

	excess -= excess > colours ? colours : excess;
	excess -= excess > t->opts.width ? t->opts.width : excess;
	if (t->opts.width && excess && !t->lines.failed) {
		excess += strlen(CUT);
		t->lines.len -= excess < tail ? excess : tail;
		text__string(&t->lines, CUT);
	}
	text__char(&t->lines, '\n');
}

/* The arguments are cut so that the line has its end. */
static void put_call(struct trees *t, const struct task *task, const struct node *node,
		     size_t depth, bool inner)
{
	size_t args = node->begin.prefix + node->label, len = node->begin.len - args, used, tail;
	size_t begin = t->lines.len;
	const char *end;

	tail = inner ? strlen(" {") : tail_of(task, node, &end);
	used = args + INDENT * depth + strlen(")") + tail;
	put_prefix(t, task, &node->begin, depth);
	put_label(t, task, node);
	args += node->begin.at;
	if (t->opts.width && used + len > t->opts.width) {
		used += strlen(CUT);
		len = used + 1 < t->opts.width ? t->opts.width - used : 1;
		text__bytes(&t->lines, task->text.data + args, len);
		text__string(&t->lines, CUT);
	} else {
		text__bytes(&t->lines, task->text.data + args, len);
	}
	text__char(&t->lines, ')');
	text__bytes(&t->lines, inner ? " {" : end, tail);
	end_line(t, begin, tail);
}

static void put_close(struct trees *t, const struct task *task, const struct node *node,
		      size_t depth)
{
	const struct part *part = node->returned ? &node->end : &node->begin;
	const char *end;
	size_t tail = tail_of(task, node, &end), begin;

	if (node->gap_end)
		put_gap(t, task, part, depth + 1);
	begin = t->lines.len;
	put_prefix(t, task, part, depth);
	text__string(&t->lines, "} ");
	put_label(t, task, node);
	text__bytes(&t->lines, end, tail);
	end_line(t, begin, tail);
}

static void put_lines(struct trees *t, const struct task *task)
{
	size_t i, depth = 0, outer = NONE;

	for (i = 0; i < task->cnt; i++) {
		const struct node *node = &task->nodes[i];
		bool inner = node->gap_end || (i + 1 < task->cnt && node[1].parent == i);

		for (; outer != node->parent; outer = task->nodes[outer].parent)
			put_close(t, task, &task->nodes[outer], --depth);
		if (node->gap)
			put_gap(t, task, &node->begin, depth);
		put_call(t, task, node, depth, inner);
		if (inner) {
			outer = i;
			depth++;
		}
	}
	for (; outer != NONE; outer = task->nodes[outer].parent)
		put_close(t, task, &task->nodes[outer], --depth);
}

/* Print the tree, and forget the task. Return: false without memory. */
static bool print_task(struct trees *t, struct task *task)
{
	bool ok = !task->text.failed;
	size_t i;

	if (ok && (task->wanted || !t->opts.some)) {
		for (i = 0; t->opts.json && i < task->cnt; i++)
			put_json(t, task, i);
		if (!t->opts.json)
			put_lines(t, task);
		ok = !t->lines.failed;
		if (ok)
			t->opts.print(t->opts.ctx, &t->lines);
		text__clear(&t->lines);
	}
	drop_task(t, task);
	return ok;
}

bool trees__end(struct trees *t, const struct tree_event *e)
{
	size_t i = find_task(t, e->task);
	struct task *task = i < t->task_cnt ? t->tasks[i] : NULL;
	struct node *node;

	/* it began before the trace, or its beginning was lost */
	if (!task || task->id != e->task)
		return true;
	notice_losses(task, e);
	i = find_open(task, e);
	if (i == NONE) {
		task->gap = true;
		return true;
	}
	unwind(task, i, false);
	node = &task->nodes[i];
	node->returned = true;
	node->end = keep(task, e);
	task->wanted |= e->wanted;
	task->innermost = node->parent;
	return node->parent != NONE || print_task(t, task);
}

bool trees__finish(struct trees *t)
{
	bool ok = true;

	while (t->task_cnt) {
		struct task *task = t->tasks[t->task_cnt - 1];

		unwind(task, NONE, true);
		ok &= print_task(t, task);
	}
	return ok;
}

unsigned long long trees__dropped(const struct trees *t)
{
	return t->dropped;
}
