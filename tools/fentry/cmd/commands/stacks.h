/* SPDX-License-Identifier: GPL-2.0-only */
/* Where calls came from. */
#ifndef FENTRY_STACKS_H
#define FENTRY_STACKS_H

#include "attach/selection.h"
#include "bpf/shared.h"

struct stacks;

/*
 * Read the symbols that frames are shown with, or complain.
 * @sel: the functions, to outlive it
 * @ret: to be released with stacks__free()
 *
 * To be called when all is attached: symbols of trampolines and modules may be new.
 */
int stacks__load(const struct selection *sel, struct stacks **ret);

/* @s: may be NULL */
void stacks__free(struct stacks *s);

/* How a frame is written. A function that shares its name has its unit. */
enum frame_form {
	FRAME_NAME,   /* "function", "function_[i]" if it is inlined */
	FRAME_OFFSET, /* "function+0x1f" */
	FRAME_SIZES,  /* "function+0x1f/0x40 [module]" */
};

/* Frames as text, the innermost first. */
struct frames {
	char **text;
	size_t cnt;
};

/*
 * The frames of a call, without those of the tracing, with the functions that the functions files
 * know to be inlined there.
 * @target: position of the function in the selection
 * @stack: @cnt frames, as a program saw them
 * @ret: to be released with frames__free(); some are missing without memory
 */
void stack__frames(const struct stacks *s, size_t target, const unsigned long long *stack, int cnt,
		   enum frame_form form, struct frames *ret);
void frames__free(struct frames *frames);

/*
 * The callers of a function or inlined call, as "caller+0x1f < its caller+0x2a"; or @folded, as
 * "its caller;caller".
 * @stack: padded with 0
 *
 * Return: to be released with free(); NULL without memory.
 */
char *stack__text(const struct stacks *s, size_t target,
		  const unsigned long long stack[TRACE_STACK_MAX], bool folded);

#endif /* FENTRY_STACKS_H */
