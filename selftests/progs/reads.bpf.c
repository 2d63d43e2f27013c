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

struct inode {
	unsigned long i_ino;
};

struct file {
	struct inode *f_inode;
};

struct seq_file {
	struct file *file;
};

struct task_struct {
	int pid, tgid;
	char comm[16];
};

struct sockaddr_un {
	unsigned short sun_family;
	char sun_path[108];
};
#pragma clang attribute pop

struct reads_call calls[READS_MAX_CALLS];
unsigned int call_cnt;
unsigned int only_tgid; /* calls by this process; 0: none */

static __always_inline bool is_wanted(void)
{
	return only_tgid && bpf_get_current_pid_tgid() >> 32 == only_tgid;
}

static __always_inline int see(unsigned long long *ctx, const void *text, const long *values,
			       unsigned int cnt)
{
	struct reads_call *call = &calls[call_cnt++ % READS_MAX_CALLS]; /* one thread: no race */
	unsigned long long ret = 0;
	unsigned int i;

	call->cnt = cnt;
	for (i = 0; i < cnt; i++)
		call->values[i] = values[i];
	bpf_get_func_ret(ctx, &ret); /* fails at entry */
	call->ret = ret;
	if (text)
		bpf_probe_read_kernel_str(call->text, sizeof(call->text), text);
	return 0;
}

/* Record a text, and values. */
#define SEE_TEXT(text, ...)                                                        \
	(is_wanted() ? see(ctx, text, (const long[]){ __VA_ARGS__ },               \
			   sizeof((const long[]){ __VA_ARGS__ }) / sizeof(long)) : \
		       0)
#define SEE(...) SEE_TEXT(0, __VA_ARGS__)

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

unsigned int lookup_saddr, lookup_dport;
unsigned long long lookup_flags;

/* Calls __bpf_sk_lookup(); not attached to anything. */
SEC("?tc")
int lookup(struct __sk_buff *skb)
{
	struct bpf_sock_tuple tuple = {};
	struct bpf_sock *sk;

	tuple.ipv4.saddr = lookup_saddr;
	tuple.ipv4.dport = lookup_dport;
	sk = bpf_sk_lookup_tcp(skb, &tuple, sizeof(tuple.ipv4), BPF_F_CURRENT_NETNS, lookup_flags);
	if (sk)
		bpf_sk_release(sk);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
