// SPDX-License-Identifier: GPL-2.0-only
/* fentry: list and trace kernel functions by identity. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "open_files.h"

static const char usage[] =
"usage: fentry list [PATTERN] [--ambiguous] [--renamed] [--changed]\n"
"                   [--untraceable] [--json]\n"
"       fentry trace SPEC... [--exit] [--stack] [-v] [--print EXPR,...] [--if COND]\n"
"                    [--count] [--by KEY] [--time] [--json] [-o FILE] [TASKS]\n"
"                    [--duration SECS] [-- COMMAND [ARG]...]\n"
"       fentry latency SPEC... [--count N] [--min-duration TIME] [--json] [TASKS]\n"
"                    [--duration SECS] [-- COMMAND [ARG]...]\n"
"       fentry run OBJ.bpf.o [--target PROG=SPEC]... [--duration SECS]\n"
"                    [-- COMMAND [ARG]...]\n"
"       fentry resolve SPEC... [--json]\n"
"       fentry explain NAME [--json]\n"
"       fentry help | --version\n"
"\n"
"list shows the kernel functions that BTF describes: address, BTF id, module, name,\n"
"compilation unit (of ambiguous names), C prototype.\n"
"  --ambiguous      only functions whose name others have, too\n"
"  --renamed        only functions that the compiler gave a suffix, such as foo.isra.0\n"
"  --changed        only functions that the compiler changed; shows their source, too\n"
"  --untraceable    instead, the functions that can't be traced, and why\n"
"trace attaches a BPF program to each function that SPEC means, and prints its\n"
"calls with task and arguments until ^C.\n"
"  --exit           print calls when they return, with the return value\n"
"  --stack          print where the call came from, too\n"
"  -v, --verbose    print the structures that arguments point to, too\n"
"  --print EXPR,... print these values instead of the arguments: members, elements and\n"
"                   what pointers point to, in C: 'path->dentry->d_name.name, flags:x'\n"
"  --if COND        only calls for which this is true: 'ret < 0 && len > 4096'\n"
"  --count          count the calls instead; on a terminal, shown every second\n"
"  --by KEY         count them by this: comm, pid, tid, uid, cpu, or an expression\n"
"  --time           begin lines with the time and the CPU\n"
"  -o, --output FILE  write what is printed to a file\n"
"  --pid, --comm, --uid, --cgroup X  (TASKS) only calls by this process, command,\n"
"                   user, or the tasks in this cgroup\n"
"  --duration SECS  end after this time (a decimal fraction is fine)\n"
"  -- COMMAND       run a command, and end when it ends\n"
"latency measures how long calls take, and prints a histogram for each function; on\n"
"a terminal every second. The other options are those of trace.\n"
"  --count N        end after N calls in all\n"
"  --min-duration TIME  only calls that take this time at least, as 1.5ms\n"
"run loads a BPF object, whose sections may be named \"fentry/SPEC\", attaches its\n"
"programs, and prints what they write with bpf_printk().\n"
"  --target PROG=SPEC  attach this program to SPEC instead\n"
"resolve prints 'object:id address module name unit', '-' for what isn't known.\n"
"explain says whether the functions of a name can be traced, how the source declares\n"
"them, and what became of each parameter.\n"
"--json prints JSON: an array, or with trace an object for each call.\n"
"\n"
"SPEC and PATTERN are [module:]name[@path] or '[module:]#id'. The name may be a glob,\n"
"path is the tail of a compilation unit's path: bpf_iter_detach_map@map_iter.c\n"
"\n"
"Exit status: 0 success, 1 failure, 2 wrong usage, 3 nothing matches,\n"
"4 several functions match a name that is no glob.\n";

static int cmd_help(int argc, char **argv)
{
	(void)argv;
	if (argc)
		return usage_error("help takes no arguments");
	fputs(usage, stdout);
	return 0;
}

static int cmd_version(int argc, char **argv)
{
	(void)argv;
	if (argc)
		return usage_error("--version takes no arguments");
	printf("fentry " FENTRY_VERSION ", libbpf %s\n", libbpf_version_string());
	return 0;
}

static const struct {
	const char *name;
	int (*func)(int argc, char **argv);
} commands[] = {
	{ "list", cmd_list },
	{ "trace", cmd_trace },
	{ "latency", cmd_latency },
	{ "run", cmd_run },
	{ "resolve", cmd_resolve },
	{ "explain", cmd_explain },
	{ "help", cmd_help },
	{ "--help", cmd_help },
	{ "-h", cmd_help },
	{ "--version", cmd_version },
};

/*
 * Output that went to a full disk or a closed pipe is lost, so the command has
 * failed.
 */
static int finish_output(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	complain("can't write the output: %s", strerror(errno));
	return status ?: EXIT_FAILED;
}

int main(int argc, char **argv)
{
	struct fentry_error error;
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	open_files__raise();
	libbpf_set_print(NULL);
	if (argc < 2)
		return usage_error("which command?");
	if (fentry_register(&error)) {
		complain("%s", error.msg);
		return EXIT_FAILED;
	}
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].name))
			return finish_output(commands[i].func(argc - 2, argv + 2));
	return usage_error("unknown command '%s'", argv[1]);
}
