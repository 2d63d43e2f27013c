/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What FENTRY_INLINED_PROG() of fentry.bpf.h has in its map. */
#ifndef FENTRY_ARGS_H
#define FENTRY_ARGS_H

struct fentry_arg {
	unsigned long long offset;
	unsigned char place; /* enum fentry_place */
	unsigned char size;
	unsigned char reg; /* offset in struct pt_regs */
	unsigned char pad[5];
};

struct fentry_args {
	struct fentry_arg arg[12];
};

#endif /* FENTRY_ARGS_H */
