// SPDX-License-Identifier: GPL-2.0
/* fentry: list and trace kernel functions by identity. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

#define NEAREST_MAX 5
#define SPEC_MAX 768

static const char usage[] =
"usage: fentry list [PATTERN]\n"
"       fentry trace SPEC [--count] [--duration SECS] [-- COMMAND [ARG]...]\n"
"       fentry help\n"
"\n"
"list shows the kernel functions that a program can be attached to: address, BTF\n"
"id, name, compilation unit (of ambiguous names), C prototype.\n"
"trace attaches a BPF program to the entry of each function that SPEC means, and\n"
"prints its calls with their raw arguments until ^C.\n"
"  --count          count the calls instead, print the counts at the end\n"
"  --duration SECS  end after this time (a decimal fraction is fine)\n"
"  -- COMMAND       run a command, end with it\n"
"\n"
"SPEC and PATTERN are [module:]name[@path] or '#id'. The name may be a glob; path\n"
"is the tail of a compilation unit's path: bpf_iter_detach_map@map_iter.c\n"
"\n"
"Exit status: 0 success, 1 failed, 2 wrong usage, 3 nothing matches,\n"
"4 several functions match a name that is no glob.\n";

void complain(const char *fmt, ...)
{
	va_list args;

	fputs("fentry: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

int usage_error(const char *fmt, ...)
{
	va_list args;

	fputs("fentry: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputs(" (try 'fentry help')\n", stderr);
	return EXIT_USAGE;
}

/* A specification as a shell takes it: '#' would begin a comment. */
static void print_spec(const struct fentry_index *idx,
		       const struct fentry_target *target)
{
	const char *quote;
	char spec[SPEC_MAX];

	fentry_target__spec(idx, target, spec, sizeof(spec));
	quote = spec[0] == '#' ? "'" : "";
	fprintf(stderr, "  %s%s%s\n", quote, spec, quote);
}

static void print_nearest(const struct fentry_index *idx,
			  const struct fentry_spec *spec)
{
	const struct fentry_target *nearest[NEAREST_MAX];
	int i, cnt;

	cnt = fentry_index__nearest(idx, spec, NEAREST_MAX, nearest);
	if (cnt > 0)
		fputs("nearest:\n", stderr);
	for (i = 0; i < cnt; i++)
		print_spec(idx, nearest[i]);
}

/* Complain about a specification that can't be used, with a way out. */
static int explain(const struct fentry_index *idx,
		   const struct fentry_spec *spec,
		   const struct fentry_target **found, size_t cnt,
		   const struct fentry_error *error)
{
	size_t i;

	complain("%s", error->msg);
	switch (error->err) {
	case -ENOENT:
		print_nearest(idx, spec);
		return EXIT_NO_MATCH;
	case -ENOTUNIQ:
		for (i = 0; i < cnt; i++)
			print_spec(idx, found[i]);
		return EXIT_AMBIGUOUS;
	default:
		return EXIT_FAILED;
	}
}

int find_targets(const char *text, bool several, struct fentry_index **idx_ret,
		 const struct fentry_target ***ret, size_t *cnt)
{
	const struct fentry_target **found = NULL;
	struct fentry_index *idx = NULL;
	struct fentry_spec spec;
	struct fentry_error error;
	int status = 0, err;

	err = fentry_spec__parse(text, &spec, &error);
	if (err == -EINVAL)
		return usage_error("%s", error.msg);
	if (err) {
		complain("%s", error.msg);
		return EXIT_FAILED;
	}
	err = fentry_index__open(NULL, &idx, &error);
	if (err) {
		complain("%s", error.msg);
		status = EXIT_FAILED;
		goto out;
	}
	err = several ? fentry_index__find(idx, &spec, &found, cnt, &error) :
			fentry_index__resolve(idx, &spec, &found, cnt, &error);
	if (err) {
		status = explain(idx, &spec, found, *cnt, &error);
		goto out;
	}
	*idx_ret = idx;
	*ret = found;
	idx = NULL;
	found = NULL;
out:
	free(found);
	fentry_index__free(idx);
	fentry_spec__clear(&spec);
	return status;
}

static int cmd_help(int argc, char **argv)
{
	(void)argv;
	if (argc)
		return usage_error("help takes no arguments");
	fputs(usage, stdout);
	return 0;
}

static const struct {
	const char *name;
	int (*func)(int argc, char **argv);
} commands[] = {
	{ "list", cmd_list },
	{ "trace", cmd_trace },
	{ "help", cmd_help },
	{ "--help", cmd_help },
	{ "-h", cmd_help },
};

/* What has been written to a full disk or a closed pipe wasn't said. */
static int finish_output(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	complain("can't write the output: %s", strerror(errno));
	return status ?: EXIT_FAILED;
}

int main(int argc, char **argv)
{
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	libbpf_set_print(NULL);
	if (argc < 2)
		return usage_error("what to do?");
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].name))
			return finish_output(commands[i].func(argc - 2, argv + 2));
	return usage_error("unknown command '%s'", argv[1]);
}
