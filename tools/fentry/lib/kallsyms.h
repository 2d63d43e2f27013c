/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Reading the kernel's lists of symbols and the like, which have many thousands of lines. */
#ifndef FENTRY_KALLSYMS_H
#define FENTRY_KALLSYMS_H

#include "libfentry.h"

/* A line. Its texts are valid until the next one is read. */
struct fentry_symbol {
	unsigned long nr; /* from 1 */
	__u64 addr;
	char *name;
	char *module; /* without brackets; NULL for vmlinux */
	char *ids;    /* of /proc/kallsyms_btf; NULL in /proc/kallsyms */
};

/*
 * Call @take for each symbol of code in /proc/kallsyms or /proc/kallsyms_btf, until it doesn't
 * return 0. Returns what it returned, or a negative errno: then @error says what is wrong with the
 * file.
 */
int fentry_kallsyms__read(const char *path,
			  int (*take)(void *ctx, const struct fentry_symbol *symbol), void *ctx,
			  struct fentry_error *error);

/*
 * Call @take for each line of an open file, until it doesn't return 0. It may change the line,
 * which has a '\0' at @end. Returns what it returned, or a negative errno: then @error says what is
 * wrong with the file, whose name is @path.
 */
int fentry_lines__read(int fd, const char *path, int (*take)(void *ctx, char *line, char *end),
		       void *ctx, struct fentry_error *error);

/* Read hexadecimal digits: strtoull() takes several times as long. Returns where they end. */
char *fentry_hex__read(char *at, __u64 *ret);

#endif /* FENTRY_KALLSYMS_H */
