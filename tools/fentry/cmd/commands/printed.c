// SPDX-License-Identifier: GPL-2.0-only
/*
 * What BPF programs print by bpf_printk(). All of them write into one buffer of the
 * kernel's, to which other tracing writes, too. A line of it:
 *
 *	           <...>-1234    [001] d..31  5678.901234: bpf_trace_printk: text
 *
 * A name may have any characters, so the thread's id is looked for from its end.
 */
#include <stdlib.h>
#include <string.h>

#include "commands/printed.h"

#define EVENT ": bpf_trace_printk: "

/* The CPU's number in brackets, which follows a thread's name and id. */
static const char *find_cpu(const char *line)
{
	const char *at = line;

	while ((at = strstr(at, " ["))) {
		size_t digits = strspn(at + 2, "0123456789");

		if (digits >= 3 && at[2 + digits] == ']')
			return at;
		at += 2;
	}
	return NULL;
}

bool printed__is_wanted(const char *line, int own, bool before)
{
	const char *cpu = find_cpu(line), *id = cpu, *event = strstr(line, EVENT);

	if (!cpu) /* of a text of several lines */
		return before;
	if (!event || event < cpu)
		return false;
	while (id > line && *id != '-')
		id--;
	return atoi(id + 1) != own;
}
