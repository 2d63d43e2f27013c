/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program that is attached to one function. It records the function's arguments, or what it
 * returns, in calls by this process.
 */
#ifndef SELFTESTS_RECORDER_H
#define SELFTESTS_RECORDER_H

#include <stdbool.h>

#include "args.h"
#include "args.skel.h"
#include "btf_expr.h"
#include "libfentry.h"

struct recorder {
	struct args_bpf *skel;
	struct bpf_link *link;
	const char *texts[ARGS_MAX_WATCHES];
	struct btf_expr exprs[ARGS_MAX_WATCHES];
	bool skipped[ARGS_MAX_WATCHES];
	unsigned int expr_cnt;
	char why[1024]; /* what went wrong, for the log */
};

/* The value that an expression should have: a text, or a number if there is none. */
struct want {
	const char *text;
	__u64 number;
};

enum recorder_prog {
	RECORD_ENTRY,
	RECORD_EXIT,
	RECORD_TYPED, /* see "typed" in args.bpf.c */
};

/**
 * recorder__open() - Prepare one; fentry_register() comes first.
 * @r: to be released with recorder__close() in any case
 *
 * Return: 0 or a negative errno.
 */
int recorder__open(struct recorder *r);

/** recorder__close() - Detach, and release everything; @r may be zeroed. */
void recorder__close(struct recorder *r);

/**
 * recorder__watch() - Set what is to be recorded.
 * @r: the recorder
 * @btf: the BTF that has the function
 * @func_id: its FUNC
 * @exprs: up to ARGS_MAX_WATCHES expressions (see btf_expr.h), NULL after the last one;
 *	"return" is skipped at entry, and "?param" if there is no such parameter; "a|b" is
 *	the first of them that BTF has
 * @prog: at entry or at exit
 *
 * Return: 0 or a negative errno, with @r->why set.
 */
int recorder__watch(struct recorder *r, const struct btf *btf, __u32 func_id,
		    const char *const *exprs, enum recorder_prog prog);

/** recorder__attach() - Load and attach. Returns 0, or <0 with @r->why set. */
int recorder__attach(struct recorder *r, struct fentry_index *idx,
		     const struct fentry_target *target, enum recorder_prog prog);

/** recorder__detach() - Cease to record; what was recorded stays. */
void recorder__detach(struct recorder *r);

/** recorder__begin() - Record calls by this process from now on. */
void recorder__begin(struct recorder *r);

/** recorder__end() - Ignore calls from now on. */
void recorder__end(struct recorder *r);

/** recorder__values() - How many values of each call are recorded. */
unsigned int recorder__values(const struct recorder *r);

/** recorder__calls() - How many calls there were. */
unsigned int recorder__calls(const struct recorder *r);

/**
 * recorder__right() - In how many of the calls are all values as wanted?
 * @r: the recorder; @r->why is set to what is not
 * @want: for each expression
 */
unsigned int recorder__right(struct recorder *r, const struct want *want);

/**
 * share_variables() - Make a skeleton's variables those of the loaded programs.
 * @map: one of the skeleton's maps
 * @vars: its variables in the skeleton
 *
 * libfentry loads an object; this is the rest of what loading a skeleton does. Return: 0 or a
 * negative errno.
 */
int share_variables(const struct bpf_map *map, void *vars);

#endif /* SELFTESTS_RECORDER_H */
