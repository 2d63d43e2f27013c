/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls of tasks, each inside the one that it was made by. */
#ifndef FENTRY_TREE_H
#define FENTRY_TREE_H

#include <stdbool.h>
#include <stddef.h>

struct text;
struct trees;

struct trees_opts {
	bool json;    /* print an object for each call */
	bool some;    /* print only trees in which some call is wanted */
	bool colour;  /* of labels */
	size_t width; /* of lines; 0: no limit */
	size_t max;   /* calls of a tree that are kept; 0: as many as usual */
	void (*print)(void *ctx, const struct text *lines);
	void *ctx;
};

/* A call's beginning or its end. */
struct tree_event {
	unsigned long long task;  /* identifies it */
	unsigned long long start; /* ns; when the call began, which identifies it in its task */
	unsigned long long lost;  /* events of this task that were lost, so far */
	unsigned int target;	  /* its function */
	bool wanted;
	/*
	 * What is printed of it. As JSON: members of an object. Else a prefix of the line, and,
	 * when the call begins, the label and the arguments without their closing bracket; when it
	 * ends, what comes behind that.
	 */
	const char *text;
	size_t len, prefix, label; /* bytes; label: of the function's name behind the prefix */
};

/* No calls yet. @opts: is copied. Return: NULL without memory. */
struct trees *trees__new(const struct trees_opts *opts);

/* Release all. @t: may be NULL */
void trees__free(struct trees *t);

/*
 * A call begins: it is made by the innermost of its task that hasn't returned.
 *
 * Return: false without memory.
 */
bool trees__begin(struct trees *t, const struct tree_event *e);

/*
 * A call returns. When the outermost one does, its tree is printed.
 *
 * Events may be lost, on either side. What follows such a gap isn't shown inside a call unless that
 * is known to have returned later. Return: false without memory.
 */
bool trees__end(struct trees *t, const struct tree_event *e);

/* Print the trees of unreturned calls. Return: false without memory. */
bool trees__finish(struct trees *t);

/* How many calls weren't kept, as too many were. */
unsigned long long trees__dropped(const struct trees *t);

#endif /* FENTRY_TREE_H */
