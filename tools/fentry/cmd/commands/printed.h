/* SPDX-License-Identifier: GPL-2.0-only */
/* What BPF programs print by bpf_printk(). */
#ifndef FENTRY_PRINTED_H
#define FENTRY_PRINTED_H

#include <stdbool.h>

/**
 * printed__is_wanted() - Was a line of trace_pipe printed by a program that ran for another process?
 * @own: thread id of this process
 * @before: what was said of the line before it, which this one may continue
 */
bool printed__is_wanted(const char *line, int own, bool before);

#endif /* FENTRY_PRINTED_H */
