// SPDX-License-Identifier: GPL-2.0-only
/* fentry: list and trace kernel functions by identity. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "kernel/open_files.h"

static int cmd_help(int argc, char **argv)
{
	(void)argv;
	if (argc)
		return usage_error("help takes no arguments");
	print_help();
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
	{ "list", cmd_list },	      { "trace", cmd_trace },	  { "latency", cmd_latency },
	{ "run", cmd_run },	      { "resolve", cmd_resolve }, { "explain", cmd_explain },
	{ "help", cmd_help },	      { "--help", cmd_help },	  { "-h", cmd_help },
	{ "--version", cmd_version },
};

/* "--help" may stand anywhere, but not in the arguments of "-- COMMAND". */
static bool asks_for_help(char **argv)
{
	for (; *argv && strcmp(*argv, "--"); argv++)
		if (!strcmp(*argv, "--help") || !strcmp(*argv, "-h"))
			return true;
	return false;
}

/* Take what stands before the command. Return how many arguments that is, or -1. */
static int take_global_options(char **argv)
{
	const char *path;
	int cnt;

	if (!*argv || strncmp(*argv, "--inline", strlen("--inline")))
		return 0;
	cnt = (*argv)[strlen("--inline")] ? 1 : 2;
	path = cnt == 1 ? *argv + strlen("--inline=") : argv[1];
	if ((cnt == 1 && path[-1] != '=') || !path || !*path)
		return -1;
	set_inline_path(path);
	return cnt;
}

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
	int skip;
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	open_files__raise();
	libbpf_set_print(NULL);
	skip = take_global_options(argv + 1);
	if (skip < 0)
		return usage_error("--inline needs a folder or a file");
	argv += skip;
	argc -= skip;
	if (argc < 2)
		return usage_error("which command?");
	if (asks_for_help(argv + 2) && print_help_of(argv[1]))
		return finish_output(0);
	if (fentry_register(&error)) {
		complain("%s", error.msg);
		return EXIT_FAILED;
	}
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].name))
			return finish_output(commands[i].func(argc - 2, argv + 2));
	return usage_error("unknown command '%s'", argv[1]);
}
