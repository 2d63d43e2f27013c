/* SPDX-License-Identifier: GPL-2.0-only */
/* What the compiler made of a function's parameters. */
#ifndef FENTRY_CHANGES_H
#define FENTRY_CHANGES_H

#include "libfentry.h"

struct source_param {
	char *text; /* "const struct s *p" */
	char *name; /* "p"; "..." if it is that; "" if it has none */
};

/* An argument that the function gets, by BTF. */
struct argument {
	const char *name;
	int of;	    /* number of the parameter; -1: not known */
	bool whole; /* it is the parameter, else a part of it */
};

struct changes {
	struct source_param *params;
	int param_cnt;
	struct argument *args;
	int arg_cnt;
	char *returns; /* type in the source, "void" included */
	bool return_dropped;
};

/* What became of a parameter. */
enum fate {
	FATE_SAME,  /* the argument at the same place */
	FATE_MOVED, /* the argument at another place */
	FATE_PARTS, /* one or more arguments are parts of it */
	FATE_GONE,
	FATE_UNKNOWN, /* gone, or an argument is a part of it */
};

/*
 * Compare what the source has with what BTF has.
 * @target: a function whose declaration in the source is known
 *
 * Return: the comparison, to be released with changes__free(), or NULL if there is no memory or
 * the declaration can't be read.
 */
struct changes *changes__new(const struct fentry_target *target);

/* Release a comparison. @c: may be NULL */
void changes__free(struct changes *c);

/* What became of a parameter? */
enum fate changes__fate(const struct changes *c, int param);

/*
 * May an argument be a parameter, or a part of it?
 *
 * If btfaddr couldn't tell an argument's parameter, it may be a part of any parameter that is
 * missing at its place.
 */
bool changes__is_about(const struct changes *c, int arg, int param);

#endif /* FENTRY_CHANGES_H */
