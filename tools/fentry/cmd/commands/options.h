/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The subcommands, and the tables of their options, for the command line and the help.
 *
 * Adding a subcommand:
 * - commands/NAME.c defines NAME_command; resolve.c is the shortest one.
 * - It is declared below, behind "struct command", and is in commands[] of main.c.
 * - fentry.1 has a line in SYNOPSIS and a section .SS NAME, README.md a line, NEWS.md a sentence,
 *   and fentry.bash-completion the name, twice.
 * - tests/check.sh has its name in test_help(), and wrong usage in wrong_usage();
 *   selftests/fentry_NAME.sh shows what it does on a kernel.
 *
 * Adding an option:
 * - It is a row of the subcommand's table, which is in commands/NAME.c. The help and the completion
 *   read the table.
 * - fentry.1 has it with its argument in the section of the subcommand: tests/check.sh compares.
 * - fentry.bash-completion knows what its argument may be, if that isn't a number or free text.
 * - wrong_usage() in tests/check.sh has a line for a wrong argument; NEWS.md a sentence.
 */
#ifndef FENTRY_OPTIONS_H
#define FENTRY_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum opt_kind {
	OPT_FLAG,    /* bool */
	OPT_TEXT,    /* const char *: the argument; NULL if it isn't given */
	OPT_TEXTS,   /* struct opt_texts: the arguments of all that are given */
	OPT_SECONDS, /* double, above 0 */
	OPT_COUNT,   /* unsigned long long, above 0 */
	OPT_TIME,    /* unsigned long long: ns; the argument has a unit, as "1.5ms" */
	OPT_SIZE,    /* unsigned int: bytes, a power of 2; the argument may have K, M, G */
	OPT_COMMAND, /* char **: what follows "--"; NULL if nothing does */
};

struct opt_texts {
	const char **texts; /* has room for as many as there are arguments */
	size_t cnt;
};

/* A row of a subcommand's table. The last one has no name. */
struct opt {
	const char *name; /* without the dashes */
	const char *arg;  /* what its argument is called; NULL: it takes none */
	enum opt_kind kind;
	size_t offset;	  /* where the value is in the structure of the subcommand's options */
	const char *help; /* lines */
	char letter;	  /* short form, as in "-o FILE"; 0: it has none */
	bool shared;	  /* other subcommands have it, too */
};

/*
 * A row whose value is a member of OPTIONS, which the includer defines as the structure of the
 * subcommand's options; other fields of the row may follow.
 */
#define OPT(_kind, _member, _name, _arg, _help, ...)                              \
	{                                                                         \
		.name = (_name), .arg = (_arg), .kind = (_kind), .help = (_help), \
		.offset = offsetof(OPTIONS, _member), ##__VA_ARGS__               \
	}
#define FLAG(member, help, ...) OPT(OPT_FLAG, member, #member, NULL, help, ##__VA_ARGS__)

/* Options that several subcommands have. */
#define OPT_JSON \
	FLAG(json, "print JSON: an array, or with trace an object for each call", .shared = true)
#define OPT_TASK(key, arg, help, ...) \
	OPT(OPT_TEXT, tasks.key, #key, arg, "only calls by " help, .shared = true, ##__VA_ARGS__)
#define OPT_TASKS                                                                                 \
	OPT_TASK(pid, "PID", "this process", .letter = 'p'),                                      \
		OPT_TASK(comm, "NAME", "tasks of this name"), OPT_TASK(uid, "USER", "this user"), \
		OPT_TASK(cgroup, "PATH", "the tasks in this cgroup"),                             \
		OPT(OPT_FLAG, tasks.follow, "follow", NULL,                                       \
		    "only calls by COMMAND and by all that it starts", .shared = true)
#define OPT_WAIT FLAG(wait, "SPEC may name modules that aren't loaded yet", .shared = true)
#define OPT_OUTPUT                                                                                \
	OPT(OPT_TEXT, output, "output", "FILE", "write what is printed to a file", .letter = 'o', \
	    .shared = true)
#define OPT_MIN_DURATION(more)                              \
	OPT(OPT_TIME, min_duration, "min-duration", "TIME", \
	    "only calls that take this time at least, as 1.5ms" more)
#define OPT_END                                                                  \
	OPT(OPT_SECONDS, seconds, "duration", "SECS",                            \
	    "end after this time (a decimal fraction is fine)", .shared = true), \
		OPT(OPT_COMMAND, command, "", "COMMAND [ARG]...",                \
		    "run a command, and end when it ends", .shared = true)

struct command {
	const char *name;
	const char *args;     /* as the help shows them */
	const char *text;     /* what it does; lines */
	const char *examples; /* two lines */
	const struct opt *options;
	/* gets the arguments behind the subcommand's name, returns an exit status */
	int (*run)(int argc, char **argv);
};

extern const struct command list_command, trace_command, latency_command, run_command,
	resolve_command, explain_command;

/*
 * Take the options out of a subcommand's arguments, or complain.
 * @cmd: the subcommand
 * @argc: number of arguments; on return, of those that are left
 * @argv: the arguments; on return, those that are left, in their order
 * @ret: the structure of its options, with the defaults
 *
 * "--name value" and "--name=value" are the same.
 *
 * Return: 0 or EXIT_USAGE.
 */
int parse_options(const struct command *cmd, int *argc, char **argv, void *ret);

#endif /* FENTRY_OPTIONS_H */
