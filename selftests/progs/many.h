/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the test many and its BPF programs. */
#ifndef SELFTESTS_MANY_H
#define SELFTESTS_MANY_H

#define MANY_MAX_FUNCS 4096
#define MANY_MAX_ARGS  12

/* The record of one function. The attach cookie is its index. */
struct many_seen {
	unsigned long long calls; /* by the process of the test */
	unsigned long long ip;	  /* of the last call, like the members below */
	unsigned long long args[MANY_MAX_ARGS];
	unsigned long long ret;
};

#endif /* SELFTESTS_MANY_H */
