/* SPDX-License-Identifier: GPL-2.0-only */
/* What the BPF programs of the args test and the test itself share. */
#ifndef SELFTESTS_ARGS_H
#define SELFTESTS_ARGS_H

#define ARGS_MAX_WATCHES 8
#define ARGS_MAX_REFS	 4
#define ARGS_MAX_CALLS	 64 /* power of 2: the last ones are kept */
#define ARGS_MAX_SIZE	 32 /* bytes of one value */

/*
 * A value to be recorded at each call: that of an argument register, or what is
 * in memory at the end of a chain of pointers that begins there.
 */
struct args_watch {
	unsigned int slot;		  /* which 8 bytes of the arguments */
	unsigned int is_return;		  /* or the return value */
	unsigned int ref_cnt;		  /* number of pointers to follow */
	unsigned int offs[ARGS_MAX_REFS]; /* to add to each of them */
	unsigned int size;		  /* bytes to read behind the last one */
};

struct args_value {
	unsigned char bytes[ARGS_MAX_SIZE];
};

struct args_call {
	struct args_value values[ARGS_MAX_WATCHES];
};

#endif /* SELFTESTS_ARGS_H */
