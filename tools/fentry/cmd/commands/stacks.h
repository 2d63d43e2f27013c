/* SPDX-License-Identifier: GPL-2.0-only */
/* Where calls came from. */
#ifndef FENTRY_STACKS_H
#define FENTRY_STACKS_H

#include "attach/selection.h"
#include "bpf/shared.h"
#include "kernel/ksyms.h"

/**
 * stack__clean() - The frames of a call, innermost first, without those of the tracing.
 * @target: position of the function in @sel
 * @stack: @cnt frames, as a program saw them
 *
 * Return: the number of frames.
 */
int stack__clean(const struct selection *sel, size_t target, const unsigned long long *stack,
		 int cnt, unsigned long long frames[TRACE_STACK_MAX + 1]);

/** stack__frame() - A frame as "function+0x1f"; with @sizes, as "function+0x1f/0x40 [module]". */
void stack__frame(const struct ksyms *ksyms, unsigned long long addr, bool sizes, char *buf,
		  size_t size);

/**
 * stack__text() - The callers of a function or inlined call, as "caller+0x1f < its caller+0x2a".
 * @stack: padded with 0
 *
 * Return: to be released with free(); NULL without memory.
 */
char *stack__text(const struct selection *sel, const struct ksyms *ksyms, size_t target,
		  const unsigned long long stack[TRACE_STACK_MAX]);

#endif /* FENTRY_STACKS_H */
