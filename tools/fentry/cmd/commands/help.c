// SPDX-License-Identifier: GPL-2.0-only
/* fentry help, and COMMAND --help. */
#include <stdio.h>
#include <string.h>

#include "command.h"

/* Explained once, though several subcommands have it. */
enum {
	ABOUT_TASKS = 1,
	ABOUT_END = 2,
	ABOUT_JSON = 4,
	ABOUT_SPEC = 8,
	ABOUT_ALL = 15,
};

static const struct {
	const char *name, *usage, *text;
	unsigned int about;
} commands[] = {
	{ "list",
	  "fentry list [PATTERN]... [--ambiguous] [--renamed] [--changed]\n"
	  "                   [--untraceable] [--json]\n",
	  "list shows the kernel functions that BTF describes: address, BTF id, module, name,\n"
	  "compilation unit, number of inlined calls (both as far as known), C prototype.\n"
	  "  --ambiguous      only functions whose name others have, too\n"
	  "  --renamed        only functions that the compiler gave a suffix, such as foo.isra.0\n"
	  "  --changed        only functions that the compiler changed; shows their source, too\n"
	  "  --untraceable    instead, the functions that can't be traced, and why\n",
	  ABOUT_JSON | ABOUT_SPEC },
	{ "trace",
	  "fentry trace SPEC... [--exit] [--stack] [-v] [--print EXPR,...] [--if COND]\n"
	  "                    [--min-duration TIME] [--inlined [--best-effort] [--max-sites N]]\n"
	  "                    [--count] [--by KEY] [--time] [--json] [-o FILE] [TASKS]\n"
	  "                    [--duration SECS] [-- COMMAND [ARG]...]\n",
	  "trace attaches a BPF program to each function that SPEC means, and prints its\n"
	  "calls with task and arguments until ^C.\n"
	  "  --exit           print calls when they return, with the return value\n"
	  "  --stack          print where the call came from, too\n"
	  "  -v, --verbose    print the structures that arguments point to, too\n"
	  "  --print EXPR,... print these values instead of the arguments: members, elements and\n"
	  "                   what pointers point to, in C: 'path->dentry->d_name.name, flags:x'\n"
	  "  --if COND        only calls for which this is true: 'ret < 0 && len > 4096'\n"
	  "  --min-duration TIME  only calls that take this time at least, as 1.5ms; implies --exit\n"
	  "  --inlined        inlined calls, too, with those arguments that can be found; all or none;\n"
	  "                   SPEC may mean some of them: [name]@caller, [name@]file:line\n"
	  "  --best-effort    without those where the kernel allows no probe, or that aren't known\n"
	  "  --max-sites N    not more places than N (128)\n"
	  "  --count          count the calls instead; on a terminal, shown every second\n"
	  "  --by KEY         count them by this: comm, pid, tid, uid, cpu, or an expression\n"
	  "  --time           begin lines with the time and the CPU\n"
	  "  -o, --output FILE  write what is printed to a file\n",
	  ABOUT_ALL },
	{ "latency",
	  "fentry latency SPEC... [--count N] [--min-duration TIME] [--json] [TASKS]\n"
	  "                    [--duration SECS] [-- COMMAND [ARG]...]\n",
	  "latency measures how long calls take, and prints a histogram for each function; on\n"
	  "a terminal every second.\n"
	  "  --count N        end after N calls in all\n"
	  "  --min-duration TIME  only calls that take this time at least, as 1.5ms\n",
	  ABOUT_ALL },
	{ "run",
	  "fentry run OBJ.bpf.o [--target PROG=SPEC]... [--best-effort] [--max-sites N]\n"
	  "                    [--duration SECS] [-- COMMAND [ARG]...]\n",
	  "run loads a BPF object, whose sections may be named \"fentry/SPEC\", attaches its\n"
	  "programs, and prints what they write with bpf_printk().\n"
	  "  --target PROG=SPEC  attach this program to SPEC instead\n"
	  "  --best-effort    of \"fentry.inlined/SPEC\", only calls that can be attached to\n"
	  "  --max-sites N    and not more than N (128)\n",
	  ABOUT_END | ABOUT_SPEC },
	{ "resolve", "fentry resolve SPEC... [--json]\n",
	  "resolve prints 'object:id address module name unit', '-' for what isn't known.\n",
	  ABOUT_JSON | ABOUT_SPEC },
	{ "explain", "fentry explain SPEC [--json]\n",
	  "explain says whether the functions of a name can be traced, how the source declares\n"
	  "them, what became of each parameter, and where calls are inlined.\n",
	  ABOUT_JSON | ABOUT_SPEC },
};

static void print_about(unsigned int about)
{
	if (about & ABOUT_TASKS)
		fputs("  --pid, --comm, --uid, --cgroup X  (TASKS) only calls by this process, command,\n"
		      "                   user, or the tasks in this cgroup\n",
		      stdout);
	if (about & ABOUT_END)
		fputs("  --duration SECS  end after this time (a decimal fraction is fine)\n"
		      "  -- COMMAND       run a command, and end when it ends\n",
		      stdout);
	if (about & ABOUT_JSON)
		fputs("  --json           print JSON: an array, or with trace an object for each call\n",
		      stdout);
	if (about & ABOUT_SPEC)
		fputs("\n"
		      "SPEC and PATTERN are [module:]name[@path] or '[module:]#id'. The name may be a glob,\n"
		      "path is the tail of a compilation unit's path: bpf_iter_detach_map@map_iter.c\n",
		      stdout);
	fputs("\n"
	      "Calls that the compiler inlined are known from files that btfaddr --inline writes, in\n"
	      "/lib/modules/RELEASE/btf or the folder of --inline PATH: vmlinux.inline, MODULE.inline;\n"
	      "PATH may also be one of these files.\n"
	      "\n"
	      "Exit status: 0 success, 1 failure, 2 wrong usage, 3 nothing matches,\n"
	      "4 several functions match a name that is no glob.\n",
	      stdout);
}

void print_help(void)
{
	size_t i, cnt = sizeof(commands) / sizeof(commands[0]);

	for (i = 0; i < cnt; i++)
		printf("%s%s", i ? "       " : "usage: ", commands[i].usage);
	fputs("       fentry help | COMMAND --help | --version\n"
	      "       fentry --inline PATH COMMAND ...\n\n",
	      stdout);
	for (i = 0; i < cnt; i++)
		fputs(commands[i].text, stdout);
	fputs("What several of them take:\n", stdout);
	print_about(ABOUT_ALL);
}

bool print_help_of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(commands[i].name, name))
			continue;
		printf("usage: %s\n%s", commands[i].usage, commands[i].text);
		print_about(commands[i].about);
		return true;
	}
	return false;
}
