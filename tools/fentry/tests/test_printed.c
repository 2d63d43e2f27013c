// SPDX-License-Identifier: GPL-2.0-only
/* Tests which lines of trace_pipe count as printed by the user's program. */
#include "kernel/access.h"
#include "test.h"

#define OWN 4711

static const struct {
	const char *what, *line;
	bool before, wanted;
} cases[] = {
	{ "a program's line", "             cat-815     [001] d..31  5.900000: bpf_trace_printk: x",
	  false, true },
	{ "a line that this process caused",
	  "          fentry-4711    [001] d..31  5.900000: bpf_trace_printk: x", true, false },
	{ "a thread whose name looks like an id",
	  "         4711-my-815     [001] d..31  5.900000: bpf_trace_printk: x", false, true },
	{ "a thread whose name looks like a CPU",
	  "        x [00] y-4711    [001] d..31  5.900000: bpf_trace_printk: x", true, false },
	{ "a thread whose name looks like an id and a CPU",
	  "  x-4711 [000] y-815     [001] d..31  5.900000: bpf_trace_printk: x", false, true },
	{ "a thread without a name",
	  "           <...>-815     [012] d..31  5.900000: bpf_trace_printk: x", false, true },
	{ "the thread's process is there, too",
	  "             cat-815     (   815) [001] d..31  5.900000: bpf_trace_printk: x", false,
	  true },
	{ "this process, which is there, too",
	  "          fentry-4711    (  4711) [001] d..31  5.900000: bpf_trace_printk: x", true,
	  false },
	{ "other tracing", "             cat-815     [001] .....  5.900000: tracing_mark_write: x",
	  true, false },
	{ "other tracing of the same words",
	  "             cat-815     [001] .....  5.900000: tracing_mark_write: y: bpf_trace_printk",
	  true, false },
	{ "the next line of a text that is wanted", "second line", true, true },
	{ "the next line of a text that isn't wanted", "second line", false, false },
	{ "an empty line of a text", "", true, true },
};

int main(void)
{
	char text[] = "          a\nroot-815     [001] d..31  5.900000: bpf_trace_printk: x\n1\n\n";
	char *end = printed__end(text);

	report(end && !strcmp(end, "\n1\n\n"), "a name with a newline is in one line", text);
	report(end && printed__end(end + 1) == end + 2 && !printed__end(end + 4), "lines of a text",
	       text);
	for_each_in(c, cases)
		report(printed__is_wanted(c->line, OWN, c->before) == c->wanted, c->what, c->line);
	return failures > 0;
}
