// SPDX-License-Identifier: GPL-2.0-only
/* Programs that are attached to many functions and tell them apart. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "many.h"

struct many_seen seen[MANY_MAX_FUNCS];
unsigned int only_tgid;

static __always_inline struct many_seen *record(unsigned long long *ctx)
{
	unsigned long long i, nr = bpf_get_attach_cookie(ctx);
	struct many_seen *s;

	if (bpf_get_current_pid_tgid() >> 32 != only_tgid || nr >= MANY_MAX_FUNCS)
		return 0;
	s = &seen[nr];
	s->calls++; /* one thread: no race */
	s->ip = bpf_get_func_ip(ctx);
	for (i = 0; i < MANY_MAX_ARGS; i++) {
		s->args[i] = 0;
		bpf_get_func_arg(ctx, i, &s->args[i]);
	}
	return s;
}

SEC("?fentry")
int at_entry(unsigned long long *ctx)
{
	record(ctx);
	return 0;
}

SEC("?fexit")
int at_exit(unsigned long long *ctx)
{
	struct many_seen *s = record(ctx);

	if (s)
		bpf_get_func_ret(ctx, &s->ret);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
