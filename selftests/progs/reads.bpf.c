// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs that record the arguments of calls by one process. They read arguments by name, so that
 * the same program fits every compiler. Each exists twice: for entry, and, with "_exit" behind its
 * name, for exit. The latter also records the return value.
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <fentry.bpf.h>

#include "reads.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
/* Declared in the module "kinds". */
struct kinds_pair {
	long first, second;
};

struct kinds_wide {
	long first, second;
	short fourth;
};

/* Declared in vmlinux. */
struct kretprobe {
	int maxactive, nmissed;
};
#pragma clang attribute pop

struct reads_call calls[READS_MAX_CALLS];
unsigned int call_cnt;
unsigned int only_tgid; /* calls by this process; 0: none */

static __always_inline bool is_wanted(void)
{
	return only_tgid && bpf_get_current_pid_tgid() >> 32 == only_tgid;
}

static __always_inline int see(unsigned long long *ctx, const long *values, unsigned int cnt)
{
	struct reads_call *call = &calls[call_cnt++ % READS_MAX_CALLS]; /* one thread: no race */
	unsigned long long ret = 0;
	unsigned int i;

	call->cnt = cnt;
	for (i = 0; i < cnt; i++)
		call->values[i] = values[i];
	bpf_get_func_ret(ctx, &ret); /* fails at entry */
	call->ret = ret;
	return 0;
}

/* Record values. */
#define SEE(...)                                                                   \
	(is_wanted() ? see(ctx, (const long[]){ __VA_ARGS__ },                     \
			   sizeof((const long[]){ __VA_ARGS__ }) / sizeof(long)) : \
		       0)

/* Read the number behind a pointer. */
static __always_inline long pointed_to(const void *p)
{
	long long n = 0;

	bpf_probe_read_kernel(&n, sizeof(n), p);
	return n;
}

#define READS(name, args...)  SEC("?fentry") int FENTRY_PROG(name, ##args)
#define READS2(name, args...) SEC("?fentry") int FENTRY_PROG2(name, ##args)
#define EXISTS(name, arg)     fentry_arg_exists(name, arg)
#include "reads_progs.h"
#undef READS
#undef READS2
#undef EXISTS

#define READS(name, args...)  SEC("?fexit") int FENTRY_PROG(name##_exit, ##args)
#define READS2(name, args...) SEC("?fexit") int FENTRY_PROG2(name##_exit, ##args)
#define EXISTS(name, arg)     fentry_arg_exists(name##_exit, arg)
#include "reads_progs.h"

char LICENSE[] SEC("license") = "GPL";
