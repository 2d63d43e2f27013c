/* SPDX-License-Identifier: GPL-2.0-only */
/* Arguments and return values of calls as their types in BTF say. */
#ifndef FENTRY_TYPED_H
#define FENTRY_TYPED_H

#include "libfentry.h"
#include "trace.h"

struct typed;

/** typed__new() - A printer of values. Return: the printer, or NULL. */
struct typed *typed__new(void);

/** typed__free() - Release a printer. @t: may be NULL */
void typed__free(struct typed *t);

/**
 * typed__plan() - What must be copied so that a call can be printed.
 * @btf: BTF of the function
 * @type_id: its FUNC
 * @exit: the return value is printed, too
 * @brief: see struct typed_call
 * @plan: is filled; what doesn't fit into it isn't copied
 */
void typed__plan(const struct btf *btf, __u32 type_id, bool exit, bool brief,
		 struct trace_plan *plan);

/* One argument of a call, or what it returned. */
struct typed_value {
	const char *name;		/* NULL: return value */
	const char *text;		/* until the next one is asked for */
	bool number;			/* text is a decimal number */
};

/* All values of one call, one after another. */
struct typed_call {
	struct typed *t;
	const struct btf *btf;
	__u32 type_id;			/* of the FUNC */
	const struct trace_plan *plan;
	const struct trace_event *event;
	bool brief;			/* of what pointers point to, strings only */
	int param;			/* the next one */
	unsigned int slot;		/* its first slot */
	struct typed_value value;	/* what typed_call__next() has made */
};

/**
 * typed_call__next() - Print the next argument into @call->value.
 * @call: the call; all members up to @brief are set at first
 *
 * Return: false if there are no more.
 */
bool typed_call__next(struct typed_call *call);

/**
 * typed_call__return() - Print the return value into @call->value.
 * @call: the call
 *
 * Return: false if the function returns nothing.
 */
bool typed_call__return(struct typed_call *call);

#endif /* FENTRY_TYPED_H */
