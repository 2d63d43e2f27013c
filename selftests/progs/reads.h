/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the tests and the programs of reads.bpf.c. */
#ifndef SELFTESTS_PROGS_READS_H
#define SELFTESTS_PROGS_READS_H

#define READS_MAX_VALUES 8
#define READS_MAX_CALLS	 64		     /* power of 2; the last ones are kept */
#define READS_NONE	 (-__LONG_MAX__ - 1) /* the function has no such argument */

struct reads_call {
	unsigned int cnt; /* values that the program reads */
	long values[READS_MAX_VALUES];
	unsigned long ret; /* at exit: the register, even if the function returns nothing */
};

#endif /* SELFTESTS_PROGS_READS_H */
