/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of each kind that compilers make, in several compilation units. User space calls them
 * with values of its choice: see kinds_main.c.
 */
#ifndef TEST_MODULES_KINDS_H
#define TEST_MODULES_KINDS_H

#include <linux/btf.h>
#include <linux/compiler.h>
#include <linux/types.h>

#define KINDS_MAX_VALUES 8

struct kinds_pair {
	long first, second;
};

struct kinds_wide {
	long first, second, third;
	short fourth;
};

/**
 * struct kinds_case - a function that user space can call
 * @name: function@unit
 * @call: calls it with the KINDS_MAX_VALUES values that user space wrote behind its name
 * @addr: its address; NULL if taking the address would keep the compiler from changing it
 */
struct kinds_case {
	const char *name;
	long (*call)(const long *v);
	const void *addr;
};

/* call_FUNCTION(), which calls a function with arguments made of the values v[]. */
#define KINDS_CALL(function, args...)              \
	static long call_##function(const long *v) \
	{                                          \
		return function(args);             \
	}

/* clang-format off */
/* The case of a function of this file; @addr as above. */
#define KINDS_CASE(function, addr) { #function "@" KBUILD_BASENAME ".c", call_##function, addr }
/* clang-format on */

/* The last case of each has no name. */
extern const struct kinds_case kinds_a_cases[], kinds_b_cases[];
extern const struct kinds_case kinds_regs_cases[], kinds_args_cases[], kinds_o3_cases[];

/* Every function writes to it, so that the compiler can't remove any. */
extern long kinds_sink;

/* Returns @n, but the compiler doesn't know that. */
static inline long hidden(long n)
{
	OPTIMIZER_HIDE_VAR(n);
	return n;
}

/* Units a and b have a copy each. */
static noinline __maybe_unused u32 in_header(u32 n)
{
	WRITE_ONCE(kinds_sink, n);
	return n + 1;
}

/* A small function of unit b, from which ThinLTO may take a copy into unit a. */
long kinds_imported(int n, long m);

/* These are global: gcc splits only functions that other units may call. */
int kinds_parted(const long *v, long times);
int kinds_parted_kept(const long *v, long times);

__bpf_kfunc long kinds_kfunc(u32 n, u64 m);
long kinds_call_kfunc(const long *v);

#endif /* TEST_MODULES_KINDS_H */
