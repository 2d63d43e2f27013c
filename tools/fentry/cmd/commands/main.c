// SPDX-License-Identifier: GPL-2.0-only
/* fentry: list and trace kernel functions by identity. The subcommands, and the help. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "array.h"
#include "attach/selection.h"
#include "commands/options.h"
#include "kernel/access.h"
#include "output/messages.h"

#define USAGE_WIDTH 85
#define LABEL_WIDTH 17

static const struct command *const commands[] = {
	&list_command, &trace_command,	 &latency_command,
	&run_command,  &resolve_command, &explain_command,
};

#define COMMAND_CNT ARRAY_SIZE(commands)

static void print_usage(const struct command *cmd)
{
	const struct opt *o;
	char label[64];
	size_t len;

	len = printf("fentry %s %s", cmd->name, cmd->args);
	for (o = cmd->options; o->name; o++) {
		if (o->letter)
			snprintf(label, sizeof(label), "[-%c", o->letter);
		else
			snprintf(label, sizeof(label), "[--%s", o->name);
		snprintf(label + strlen(label), sizeof(label) - strlen(label), "%s%s]%s",
			 o->arg ? " " : "", o->arg ?: "", o->kind == OPT_TEXTS ? "..." : "");
		if (len + strlen(label) > USAGE_WIDTH)
			len = printf("\n%19s", "");
		len += printf(" %s", label);
	}
	putchar('\n');
}

/* Further lines of the help are indented like the first one's text. */
static void print_option(const struct opt *o)
{
	const char *line = o->help, *end;
	char label[64];

	snprintf(label, sizeof(label), "%s%.1s%s--%s%s%s", o->letter ? "-" : "", &o->letter,
		 o->letter ? ", " : "", o->name, o->arg ? " " : "", o->arg ?: "");
	printf("  %-*s%s", LABEL_WIDTH - 1, label, strlen(label) < LABEL_WIDTH ? "" : " ");
	for (; (end = strchr(line, '\n')); line = end + 1)
		printf(" %.*s\n%*s", (int)(end - line), line, LABEL_WIDTH + 1, "");
	printf(" %s\n", line);
}

static void print_options(const struct command *cmd, bool own, bool shared)
{
	const struct opt *o;

	for (o = cmd->options; o->name; o++)
		if (o->shared ? shared : own)
			print_option(o);
}

static void print_rest(void)
{
	fputs("\n"
	      "SPEC and PATTERN are [module:]name[@path] or '[module:]#id'. The name may be a glob,\n"
	      "path is the tail of a compilation unit's path: bpf_iter_detach_map@map_iter.c\n"
	      "\n"
	      "Calls that the compiler inlined are known from files that btfaddr --functions writes,\n"
	      "vmlinux.functions and MODULE.functions in /lib/modules/RELEASE/btf or the folder of\n"
	      "--functions PATH; PATH may also be one of these files.\n"
	      "\n"
	      "Exit status: 0 success, 1 failure, 2 wrong usage, 3 nothing matches,\n"
	      "4 several functions match a name that is no glob.\n",
	      stdout);
}

static void print_help(void)
{
	size_t i;

	for (i = 0; i < COMMAND_CNT; i++) {
		fputs(i ? "       " : "usage: ", stdout);
		print_usage(commands[i]);
	}
	fputs("       fentry help [COMMAND] | COMMAND --help | --version\n"
	      "       fentry --functions PATH COMMAND ...\n\n",
	      stdout);
	for (i = 0; i < COMMAND_CNT; i++) {
		fputs(commands[i]->text, stdout);
		print_options(commands[i], true, false);
	}
	fputs("Options of several commands:\n", stdout);
	print_options(&trace_command, false, true);
	print_rest();
}

static void print_help_of(const struct command *cmd)
{
	fputs("usage: ", stdout);
	print_usage(cmd);
	printf("\n%s", cmd->text);
	print_options(cmd, true, true);
	print_rest();
	printf("\nExamples:\n%s", cmd->examples);
}

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

	if (!*argv || strncmp(*argv, "--functions", strlen("--functions")))
		return 0;
	cnt = (*argv)[strlen("--functions")] ? 1 : 2;
	path = cnt == 1 ? *argv + strlen("--functions=") : argv[1];
	if ((cnt == 1 && path[-1] != '=') || !path || !*path)
		return -1;
	set_functions_path(path);
	return cnt;
}

/* Output that went to a full disk or a closed pipe is lost, so the command has failed. */
static int finish_output(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	complain("can't write the output: %s", strerror(errno));
	return status ?: EXIT_FAILED;
}

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < COMMAND_CNT; i++)
		if (!strcmp(name, commands[i]->name))
			return commands[i];
	return NULL;
}

/* Run "help" or "--version". Return an exit status, or -1 if it is neither. */
static int run_other(const char *name, int argc, char **argv)
{
	bool version = !strcmp(name, "--version") || !strcmp(name, "-V");
	const struct command *cmd;

	if (!version && strcmp(name, "help") && strcmp(name, "--help") && strcmp(name, "-h"))
		return -1;
	if (version && argc)
		return usage_error("%s takes no arguments", name);
	if (argc > 1)
		return usage_error("%s takes one command", name);
	if (version) {
		printf("fentry " FENTRY_VERSION ", libbpf %s\n", libbpf_version_string());
	} else if (!argc) {
		print_help();
	} else {
		cmd = find_command(argv[0]);
		if (!cmd)
			return usage_error("unknown command '%s'", argv[0]);
		print_help_of(cmd);
	}
	return 0;
}

static int run_command_of(const char *name, int argc, char **argv)
{
	const struct command *cmd = find_command(name);
	struct fentry_error error;
	int status = run_other(name, argc, argv);

	if (status >= 0)
		return status;
	if (!cmd)
		return usage_error("unknown command '%s'", name);
	set_help(name);
	if (asks_for_help(argv)) {
		print_help_of(cmd);
		return 0;
	}
	if (!fentry_register(&error))
		return cmd->run(argc, argv);
	return complain_error(&error);
}

int main(int argc, char **argv)
{
	int skip;

	setvbuf(stdout, NULL, _IOLBF, 0);
	open_files__raise();
	libbpf_set_print(NULL);
	skip = take_global_options(argv + 1);
	if (skip < 0)
		return usage_error("--functions needs a folder or a file");
	if (argc - skip < 2)
		return usage_error("which command?");
	argv += skip + 1;
	return finish_output(run_command_of(argv[0], argc - skip - 2, argv + 1));
}
