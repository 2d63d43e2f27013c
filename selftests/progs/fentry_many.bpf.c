// SPDX-License-Identifier: GPL-2.0-only
/* Programs for several functions: "any" is loaded once for all of them, "typed" once for each. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

/* Reads arguments by helpers, so one load serves all functions. */
SEC("?fentry")
int any(void *ctx)
{
	__u64 first = 0;

	bpf_get_func_arg(ctx, 0, &first);
	bpf_printk("any %d %llx", (int)bpf_get_attach_cookie(ctx), first);
	return 0;
}

/* Reads the context itself, so the program has to be verified for each function. */
SEC("?fexit")
int typed(__u64 *ctx)
{
	bpf_printk("typed %d %llx", (int)bpf_get_attach_cookie(ctx), ctx[0]);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
