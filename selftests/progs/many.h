/* SPDX-License-Identifier: GPL-2.0-only */
/* What the BPF programs of the many test and the test itself share. */
#ifndef SELFTESTS_MANY_H
#define SELFTESTS_MANY_H

#define MANY_MAX_FUNCS 4096
#define MANY_MAX_ARGS  12

/* Of one function, which the program knows by its cookie. */
struct many_seen {
	unsigned long long calls; /* by the process of the test */
	unsigned long long ip;	  /* in the last one, as all that follows */
	unsigned long long args[MANY_MAX_ARGS];
	unsigned long long ret;
};

#endif /* SELFTESTS_MANY_H */
