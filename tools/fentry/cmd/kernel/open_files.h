/* SPDX-License-Identifier: GPL-2.0-only */
/* How many files may be open: each function that is traced alone takes two. */
#ifndef FENTRY_OPEN_FILES_H
#define FENTRY_OPEN_FILES_H

#include <stddef.h>

/** open_files__raise() - Let this process have as many open files as it may. */
void open_files__raise(void);

/**
 * open_files__reserve() - Is there room for what it takes to trace so much?
 * @functions: as many functions
 * @inlined: and as many inlined calls
 *
 * Return: an exit status; complains.
 */
int open_files__reserve(size_t functions, size_t inlined);

/** open_files__restore() - As before open_files__raise(), for another program. */
void open_files__restore(void);

#endif /* FENTRY_OPEN_FILES_H */
