// SPDX-License-Identifier: GPL-2.0-only
/* Tests how calls are nested when all is seen, and when events are lost. */
#include <stdlib.h>

#include "commands/tree.h"
#include "output/text.h"
#include "test.h"

#define TEXT_MAX 64

/*
 * Events are words: "1a" begins a call of a in task 1, "1-a" ends the innermost one of a, and "1*a"
 * ends one whose beginning wasn't seen. "1!" loses an event of task 1. With '+' behind it, an event
 * is wanted. '|' stands for the end of a line.
 */
static const struct {
	const char *what, *mode, *events, *lines; /* mode: json, wanted, or how many are kept */
} cases[] = {
	{ "calls inside a call", "", "1a 1b 1-b 1c 1-c 1-a",
	  "1 a() {|1   b() = b|1   c() = c|1 } a = a|" },
	{ "a recursion", "", "1a 1a 1-a 1-a", "1 a() {|1   a() = a|1 } a = a|" },
	{ "two tasks", "", "1a 2b 1c 2-b 1-c 1-a", "2 b() = b|1 a() {|1   c() = c|1 } a = a|" },
	{ "a call that began before the trace", "", "1*b 1a 1-a", "1 a() = a|" },
	{ "calls that don't return", "", "1a 1b",
	  "1 a() {|1   b(), not seen to return|1 } a, not seen to return|" },
	{ "the end of a call isn't seen: its calls may be later ones", "", "1a 1b 1c 1-c 1-a",
	  "1 a() {|1   b(), not seen to return|1   ... (calls were lost)|1   c() = c|"
	  "1 } a = a|" },
	{ "a loss in a call that is seen to return", "", "1a 1b 1! 1c 1-c 1-b 1-a",
	  "1 a() {|1   b() {|1     ... (calls were lost)|1     c() = c|1   } b = b|"
	  "1 } a = a|" },
	{ "a loss in a call that isn't", "", "1a 1b 1c 1-c 1! 1d 1-d 1-a",
	  "1 a() {|1   b() {|1     c() = c|1   } b, not seen to return|"
	  "1   ... (calls were lost)|1   d() = d|1 } a = a|" },
	{ "a loss in two of them", "", "1a 1b 1c 1! 1d 1-d 1-a",
	  "1 a() {|1   b() {|1     c(), not seen to return|1   } b, not seen to return|"
	  "1   ... (calls were lost)|1   d() = d|1 } a = a|" },
	{ "a loss at the end of a call", "", "1a 1! 1-a",
	  "1 a() {|1   ... (calls were lost)|1 } a = a|" },
	{ "a loss, and no return", "", "1a 1b 1-b 1! 1c 1-c",
	  "1 a() {|1   b() = b|1 } a, not seen to return|1 ... (calls were lost)|"
	  "1 c() = c|" },
	{ "a loss of another task", "", "1a 2b 2! 1c 2-b 1-c 1-a",
	  "2 b() {|2   ... (calls were lost)|2 } b = b|1 a() {|1   c() = c|1 } a = a|" },
	{ "the beginning of a call is lost", "", "1a 1! 1c 1-c 1*b 1-a",
	  "1 a() {|1   ... (calls were lost)|1   c() = c|1   ... (calls were lost)|"
	  "1 } a = a|" },
	{ "trees without a wanted call", "wanted", "1a 1b 1-b+ 1-a 1a 1c 1-c 1-a",
	  "1 a() {|1   b() = b|1 } a = a|" },
	{ "more calls than are kept", "2", "1a 1b 1-b 1c 1-c 1-a",
	  "1 a() {|1   b() = b|1   ... (calls were lost)|1 } a = a|" },
	{ "JSON", "json", "1a 1b 1-b 1! 1c 1-a",
	  "{'call':1,'parent':null,'f':'a','ret':'a'}|"
	  "{'call':2,'parent':1,'f':'b','ret':'b'}|"
	  "{'call':3,'parent':1,'f':'c','gap':true,'returned':false}|" },
};

struct player {
	struct trees *trees;
	bool json;
	unsigned long long now, starts[32], lost[10];
	char open[32];
	size_t open_cnt;
	struct text seen;
};

static void take(void *ctx, const struct text *lines)
{
	struct player *p = ctx;
	size_t i;

	for (i = 0; i < lines->len; i++)
		text__char(&p->seen, lines->data[i] == '\n' ? '|' :
				     lines->data[i] == '"'  ? '\'' :
							      lines->data[i]);
}

/* A task's number is the prefix of its lines. */
static void set_text(const struct player *p, struct tree_event *e, char text[TEXT_MAX],
		     const char *before, char name, const char *behind)
{
	e->prefix = p->json ? 0 : 2;
	e->len = sprintf(text, "%.*s%s%c%s", (int)e->prefix, (char[]){ '0' + e->task, ' ', 0 },
			 before, name, behind);
	e->text = text;
}

static bool begin(struct player *p, struct tree_event *e, const char *name)
{
	char text[TEXT_MAX];

	p->starts[p->open_cnt] = e->start = ++p->now;
	p->open[p->open_cnt++] = *name;
	e->label = 1;
	set_text(p, e, text, p->json ? "\"f\":\"" : "", *name, p->json ? "\"" : "(");
	return trees__begin(p->trees, e);
}

static bool end(struct player *p, struct tree_event *e, const char *name, bool known)
{
	size_t i = p->open_cnt;
	char text[TEXT_MAX];

	while (known && i && p->open[i - 1] != *name)
		i--;
	e->start = known && i ? p->starts[i - 1] : ++p->now;
	if (known && i)
		p->open[i - 1] = 0;
	set_text(p, e, text, p->json ? "\"ret\":\"" : " = ", *name, p->json ? "\"" : "");
	return trees__end(p->trees, e);
}

static bool play(struct player *p, const char *events)
{
	bool ok = true;

	for (; *events; events += strcspn(events, " "), events += *events == ' ') {
		unsigned int task = events[0] - '0';
		struct tree_event e = { .task = task, .lost = p->lost[task] };
		char what = events[1], name = what == '-' || what == '*' ? events[2] : what;

		e.target = name;
		e.wanted = events[strcspn(events, " +")] == '+';
		if (what == '!')
			p->lost[task]++;
		else if (what == '-' || what == '*')
			ok &= end(p, &e, &name, what == '-');
		else
			ok &= begin(p, &e, &name);
	}
	return ok & trees__finish(p->trees);
}

int main(void)
{
	for_each_in(c, cases) {
		struct player p = { .json = !strcmp(c->mode, "json") };
		struct trees_opts opts = {
			.json = p.json,
			.some = !strcmp(c->mode, "wanted"),
			.max = atoi(c->mode),
			.print = take,
			.ctx = &p,
		};
		bool ok;

		p.trees = trees__new(&opts);
		ok = p.trees && play(&p, c->events);
		text__char(&p.seen, '\0');
		report_text(ok ? p.seen.data : NULL, c->lines, c->what);
		trees__free(p.trees);
		text__fini(&p.seen);
	}
	return failures > 0;
}
