/* SPDX-License-Identifier: GPL-2.0-only */
/* What BPF programs print by bpf_printk(). */
#ifndef FENTRY_PRINTED_H
#define FENTRY_PRINTED_H

#include <stdbool.h>
#include <stddef.h>

#define PRINTED_SIZE (64 * 1024)

struct printed {
	int fd;	     /* trace_pipe; -1: not open */
	bool wanted; /* the last line was, and so is what continues it */
	size_t len;  /* of text: a line that isn't complete */
	char text[PRINTED_SIZE];
};

/**
 * printed__open() - Begin to read, without the lines that are there already, or complain.
 * @p: the reader, to be released with printed__close()
 */
int printed__open(struct printed *p);

/** printed__close() - Release it. @p: the reader; its fd may be -1 */
void printed__close(struct printed *p);

/**
 * printed__copy() - Write a portion of the lines that have come to stdout.
 *
 * Lines of other tracing are left out, and so are those that this process caused: a
 * program on a function that reading or writing calls would otherwise print forever.
 *
 * Return: false if there was nothing to be read.
 */
bool printed__copy(struct printed *p);

/** printed__finish() - Copy what is left, as far as time allows. @p: the reader */
void printed__finish(struct printed *p);

/**
 * printed__is_wanted() - Was a line of trace_pipe printed by a program that ran for another
 * process?
 * @line: the line
 * @own: thread id of this process
 * @before: what was said of the line before it, which this one may continue
 */
bool printed__is_wanted(const char *line, int own, bool before);

#endif /* FENTRY_PRINTED_H */
