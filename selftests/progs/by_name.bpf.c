// SPDX-License-Identifier: GPL-2.0-only
/* Programs that read arguments by name. One is loaded at a time. */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <fentry.bpf.h>

#include "by_name.h"

/* Declared in the module "kinds". */
struct kinds_pair {
	long first, second;
} __attribute__((preserve_access_index));

struct kinds_wide {
	long first;
	short fourth;
} __attribute__((preserve_access_index));

struct by_name_seen seen;
struct by_name_seen many[BY_NAME_MAX_FUNCS];
unsigned int only_tgid;

static __always_inline bool is_first(void)
{
	return bpf_get_current_pid_tgid() >> 32 == only_tgid && !seen.calls++;
}

static __always_inline void record(int i, long value)
{
	seen.of[i].there = 1;
	seen.of[i].value = value;
}

/* Compilers leave out the parameter "unused". */
SEC("?fentry")
int FENTRY_PROG(without_first, const struct kinds_pair *unused, int n, long m)
{
	if (!is_first())
		return 0;
	record(1, n);
	record(2, m);
	return 0;
}

/* The compiler joins these two reads, if it can. */
SEC("?fentry")
int FENTRY_PROG(either, bool first, long unused, int n, bool second)
{
	if (!is_first())
		return 0;
	if (first)
		record(2, n);
	else
		record(2, second);
	return 0;
}

/* Compilers pass parts of a parameter, which moves those behind it. */
SEC("?fexit")
int FEXIT_PROG(moved, int n, const struct kinds_pair *pair, long m, long ret)
{
	if (!is_first())
		return 0;
	record(0, n);
	if (fentry_arg_exists(moved, pair))
		record(1, pair->second);
	record(2, m);
	record(3, ret);
	return 0;
}

/* Some arguments are on the stack. */
SEC("?fexit")
int FEXIT_PROG(on_stack, int a, long b, unsigned char c, long d, int e, long f, unsigned short g,
	       long h, long ret)
{
	if (!is_first())
		return 0;
	record(0, a);
	record(1, b);
	record(2, c);
	record(3, d);
	record(4, e);
	record(5, f);
	record(6, g);
	record(7, h);
	record(8, ret);
	return 0;
}

/* No caller uses the return value. */
SEC("?fexit")
int FEXIT_PROG(dropped_return, long unused, const struct kinds_pair *pair, int n, long ret)
{
	if (!is_first())
		return 0;
	record(2, n);
	if (fentry_arg_exists(dropped_return, ret))
		record(3, ret);
	return 0;
}

/* Reads what without_first reads, by position, if the function lacks its first parameter. */
SEC("?fentry")
int BPF_PROG(without_first_by_hand, int n, long m)
{
	if (!is_first())
		return 0;
	record(1, n);
	record(2, m);
	return 0;
}

/*
 * Reads what on_stack reads, by position. The verifier refuses loads of the context that a compiler
 * has joined. FENTRY_PROG() keeps them apart, and so must a program that reads by position.
 */
#define AT(nr)                                   \
	({                                       \
		unsigned long long at = ctx[nr]; \
		asm("" : "+r"(at));              \
		at;                              \
	})

SEC("?fexit")
int on_stack_by_hand(unsigned long long *ctx)
{
	return ____on_stack(ctx, AT(0), AT(1), AT(2), AT(3), AT(4), AT(5), AT(6), AT(7), AT(8));
}

/* For any function that has the argument. */
SEC("?fentry")
int FENTRY_PROG(any_n, int n)
{
	unsigned long long nr = bpf_get_attach_cookie(ctx);
	struct by_name_seen *s = &many[nr % BY_NAME_MAX_FUNCS];

	if (bpf_get_current_pid_tgid() >> 32 != only_tgid || s->calls++)
		return 0;
	s->of[0].value = n;
	return 0;
}

/* Two functions have this name; the program gets the one with these parameters. */
SEC("?fentry/kinds:differs")
int FENTRY_PROG(chosen, const struct kinds_wide *wide, unsigned long long n)
{
	if (is_first())
		record(1, n);
	return 0;
}

SEC("?fentry/kinds:differs")
int FENTRY_PROG(chosen_unused, long n, unsigned char m)
{
	is_first();
	return 0;
}

/* A program for libbpf's own loader and a function of vmlinux. */
struct file;

SEC("?fentry/vfs_read")
int FENTRY_PROG(plain, struct file *file, char *buf, unsigned long count)
{
	record(2, count);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
