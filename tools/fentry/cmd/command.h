/* SPDX-License-Identifier: GPL-2.0-only */
/* What the subcommands of the fentry command share. */
#ifndef FENTRY_COMMAND_H
#define FENTRY_COMMAND_H

#include <stdio.h>

#include "libfentry.h"

/* Longest specification or label of a function that is printed. */
#define LABEL_MAX FENTRY_LABEL_MAX

/* Exit statuses. */
enum {
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_NO_MATCH = 3,
	EXIT_AMBIGUOUS = 4,
};

/* The subcommands: arguments without the program's name, exit status back. */
int cmd_list(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_latency(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_resolve(int argc, char **argv);
int cmd_explain(int argc, char **argv);

/** print_help() - Print the usage of all subcommands to stdout. */
void print_help(void);

/**
 * print_help_of() - Print the usage of one to stdout.
 * @name: the subcommand
 *
 * Return: whether there is such a subcommand.
 */
bool print_help_of(const char *name);

/**
 * complain() - Print one line, "fentry: ...", to stderr.
 * @fmt: printf() format, without newline
 */
void __attribute__((format(printf, 1, 2))) complain(const char *fmt, ...);

/**
 * usage_error() - complain(), and point to the help.
 * @fmt: printf() format, without newline
 *
 * Return: EXIT_USAGE.
 */
int __attribute__((format(printf, 1, 2))) usage_error(const char *fmt, ...);

/**
 * libbpf_text() - What went wrong in libbpf, which has errors of its own beside errno's.
 * @err: what it returned
 *
 * Return: the text, until the next call.
 */
const char *libbpf_text(int err);

/* An option of a subcommand. The last one of a table has no name. */
struct opt {
	const char *name;   /* without the dashes */
	char letter;	    /* short form, as in "-o FILE"; 0: it has none */
	bool *flag;	    /* set if it's given; or NULL */
	const char **value; /* receives its argument; or NULL */
	size_t *cnt;	    /* value is an array that has so many elements */
};

/**
 * parse_options() - Take the options out of a subcommand's arguments.
 * @cmd: the subcommand, for messages
 * @argc: number of arguments; that of the others on return
 * @argv: the arguments; the others in their order on return
 * @opts: the options; "--name value" and "--name=value" are the same
 * @command: set to what follows "--", NULL if nothing does; may be NULL for a
 *	subcommand that doesn't take any
 *
 * Return: 0 or EXIT_USAGE.
 */
int parse_options(const char *cmd, int *argc, char **argv, const struct opt *opts, char ***command);

/**
 * parse_seconds() - A duration above 0 as a decimal number.
 * @cmd: the subcommand, for messages
 * @text: the argument of --duration; NULL if it wasn't given
 * @ret: seconds; 0 if there is no text
 *
 * Return: 0 or EXIT_USAGE.
 */
int parse_seconds(const char *cmd, const char *text, double *ret);

/**
 * parse_count() - A decimal number above 0.
 * @cmd: the subcommand, for messages
 * @option: the option, and @what it counts, for messages
 * @text: its argument; NULL if it wasn't given
 * @ret: the number; not written if there is no text
 *
 * Return: 0 or EXIT_USAGE.
 */
int parse_count(const char *cmd, const char *option, const char *what, const char *text,
		unsigned long long *ret);

/**
 * parse_min_duration() - A time above 0 with its unit, as "1.5ms".
 * @cmd: the subcommand, for messages
 * @text: the argument of --min-duration; NULL if it wasn't given
 * @ret: ns, rounded up; 0 if there is no text
 *
 * Return: 0 or EXIT_USAGE.
 */
int parse_min_duration(const char *cmd, const char *text, unsigned long long *ret);

/* Longest text of count_text(). */
#define COUNT_TEXT_MAX 96

/** count_text() - "2 functions and 1 inlined call", without what there are none of. */
void count_text(size_t functions, size_t inlined, char buf[COUNT_TEXT_MAX]);

/*
 * Where stdout goes: what has been opened for it, whatever stands between (output.h).
 */
extern int output_fd;

/**
 * use_colour() - May escape sequences be written?
 * @f: stdout or stderr
 */
bool use_colour(FILE *f);

/**
 * output_width() - Columns that a line of stdout may have.
 *
 * Return: $COLUMNS, or the terminal's width, or 0 if there is no limit.
 */
int output_width(void);

/**
 * output_rows() - Lines that a terminal has room for above the cursor.
 *
 * Return: those of stdout's, or those of any terminal if it is none.
 */
size_t output_rows(void);

/**
 * erase_lines() - Take back what was last written to a terminal.
 * @cnt: whole lines of stdout
 */
void erase_lines(size_t cnt);

/**
 * open_tracefs() - Open a file of tracefs, or complain.
 * @name: the file
 * @flags: of open(2)
 * @purpose: what can't be done without it, for the message; NULL not to complain
 *
 * Return: the file descriptor, or -1.
 */
int open_tracefs(const char *name, int flags, const char *purpose);

/**
 * is_locked_down() - May programs not read the kernel's memory?
 *
 * Return: true if the kernel is locked down for confidentiality: programs have no
 * bpf_probe_read_kernel() and the like, and tracefs is empty. false otherwise, or
 * if securityfs isn't mounted at /sys/kernel/security.
 */
bool is_locked_down(void);

/**
 * complain_load() - Complain that the kernel didn't take a program.
 * @error: what the library says of it; if lockdown is behind it, that is said, too
 */
void complain_load(const struct fentry_error *error);

/**
 * set_inline_path() - Say where btfaddr's files of inlined calls are.
 * @path: of struct fentry_index_opts
 */
void set_inline_path(const char *path);

/**
 * open_index() - Open the index of the running kernel, or complain.
 * @ret: the index
 *
 * Return: an exit status.
 */
int open_index(struct fentry_index **ret);

/**
 * no_match() - Complain that a specification matches nothing, with what is near.
 * @idx: the index
 * @spec: the specification
 *
 * Return: EXIT_NO_MATCH.
 */
int no_match(const struct fentry_index *idx, const struct fentry_spec *spec);

/* The functions that a command line means. */
struct selection {
	struct fentry_index *idx;
	const struct fentry_target **targets; /* in the index's order; inlined calls last */
	size_t cnt;
	/* With SELECT_INLINED, functions that have no symbol to attach to: */
	const struct fentry_target **inlined;
	size_t inlined_cnt;
	/* After selection__add_inlined(): */
	const struct fentry_inlined_call ***calls; /* of each function, to be freed */
	size_t call_cnt;
	struct inlined_site *sites;
	size_t site_cnt;
	const struct inlined_site **site_of; /* of each target: NULL, or the call that it is */
};

/** selection__site() - The inlined call that a target is, or NULL. */
static inline const struct inlined_site *selection__site(const struct selection *sel, size_t i)
{
	return sel->site_of ? sel->site_of[i] : NULL;
}

enum {
	SELECT_SEVERAL = 1, /* several functions may match an exact name */
	SELECT_INLINED = 2, /* those that are only inlined, too */
};

/**
 * selection__init() - Find what specifications mean, or complain.
 * @sel: the selection, to be released with selection__fini() in any case
 * @specs: the specifications
 * @cnt: their number; each must match something
 * @flags: SELECT_SEVERAL, SELECT_INLINED
 *
 * Return: an exit status.
 */
int selection__init(struct selection *sel, char **specs, size_t cnt, unsigned int flags);

/**
 * selection__add() - Add what one more specification means, or complain.
 * @sel: the selection; may be empty but for its index
 * @text: the specification
 *
 * Return: an exit status.
 */
int selection__add(struct selection *sel, const char *text);

/**
 * selection__complain_inlined() - Complain of inlined calls, which no program sees.
 * @sel: the functions that have programs
 */
void selection__complain_inlined(const struct selection *sel);

/**
 * selection__complain_unseen() - Complain of what globs match in the kernel, but not in BTF.
 * @sel: the selection
 * @specs: the specifications that it is of
 * @cnt: their number
 */
void selection__complain_unseen(const struct selection *sel, char **specs, size_t cnt);

/** selection__fini() - Release what it has. @sel: the selection */
void selection__fini(struct selection *sel);

#endif /* FENTRY_COMMAND_H */
