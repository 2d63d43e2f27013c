/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel lets this process do: read tracefs and the kernel's memory, open many files. */
#ifndef FENTRY_ACCESS_H
#define FENTRY_ACCESS_H

#include "libfentry.h"

/*
 * Is the kernel locked down for confidentiality?
 *
 * Then programs have no bpf_probe_read_kernel() and the like, and tracefs is empty. If securityfs
 * isn't mounted at /sys/kernel/security, this returns false.
 */
bool is_locked_down(void);

/* Does the kernel call no program at functions, by the administrator's order? */
bool ftrace_is_off(void);

/* Complain if it is. Return: 0 or EXIT_FAILED. */
int check_ftrace(void);

/* Complain at the end of a trace if it is, but wasn't at the beginning. */
void complain_ftrace(void);

/* Complain of an error of loading, and say if lockdown is its cause. */
void complain_load(const struct fentry_error *error);

/*
 * Open a file of tracefs, wherever it is mounted, or complain.
 * @flags: of open(2)
 * @purpose: what can't be done without it, for the message; NULL not to complain
 *
 * Return: the file descriptor, or -1.
 */
int open_tracefs(const char *name, int flags, const char *purpose);

/*
 * Find the newline that ends a line of trace_pipe.
 * @line: its beginning, and what follows it
 *
 * Return: the newline; a task's name may have others. NULL if it isn't there.
 */
char *printed__end(char *line);

/* This thread's id in the kernel's first PID namespace, as in trace_pipe. */
int printed__own(void);

/*
 * Did a program that ran for another process print a line of trace_pipe?
 * @own: of printed__own(), of the reader
 * @before: the result for the line before, which this one may continue
 */
bool printed__is_wanted(const char *line, int own, bool before);

/* Let this process have as many open files as it may. */
void open_files__raise(void);

/* A function with a program and a link of its own. */
#define FILES_OF_TRAMPOLINE 2

/*
 * Allow so many open files for programs and links, or complain.
 * @functions, @inlined: what needs them
 */
int open_files__reserve(size_t files, size_t functions, size_t inlined);

/* Undo open_files__raise(), for another program. */
void open_files__restore(void);

#endif /* FENTRY_ACCESS_H */
