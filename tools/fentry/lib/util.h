/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Error messages; structures of options; numbers in files. */
#ifndef FENTRY_UTIL_H
#define FENTRY_UTIL_H

#include "libfentry.h"

/* Record a failure in @error, which may be NULL. Returns @err, a negative errno. */
int __attribute__((format(printf, 3, 4)))
fentry_error__set(struct fentry_error *error, int err, const char *fmt, ...);

/* Record that there is no memory. Returns -ENOMEM. */
int fentry_error__no_memory(struct fentry_error *error);

/*
 * Take over options of a program that may have been compiled for another version of the library:
 * @from begins with its own size. Members that @from lacks are zero in @to; if @from is NULL, all
 * are. Returns 0, or -EINVAL if @from sets a member beyond the @size bytes of @to.
 */
int fentry_opts__copy(void *to, size_t size, const void *from, struct fentry_error *error);

/* Returns the number in a file of sysfs; 0 if the file can't be read. */
__u64 fentry_number_in(const char *path);

#endif /* FENTRY_UTIL_H */
