/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What went wrong, in words; options of users; numbers in files. */
#ifndef FENTRY_UTIL_H
#define FENTRY_UTIL_H

#include "libfentry.h"

/**
 * fentry_error__set() - Record a failure.
 * @error: where to; may be NULL
 * @err: negative errno
 * @fmt: printf() format of the message
 *
 * Return: @err, so that callers can return it.
 */
int __attribute__((format(printf, 3, 4)))
fentry_error__set(struct fentry_error *error, int err, const char *fmt, ...);

/** fentry_error__no_memory() - Record that there is no memory. Return: -ENOMEM. */
int fentry_error__no_memory(struct fentry_error *error);

/**
 * fentry_opts__copy() - Take over options of a program that may have been compiled for
 *	another version of the library.
 * @to: receives them; members that @from lacks are zero
 * @size: size of @to
 * @from: begins with its own size; NULL: all are zero
 * @error: see libfentry.h
 *
 * Return: 0, or -EINVAL if a member is set that @to lacks.
 */
int fentry_opts__copy(void *to, size_t size, const void *from, struct fentry_error *error);

/** fentry_number_in() - Return the number that a file of sysfs has; 0 if it can't be read. */
__u64 fentry_number_in(const char *path);

#endif /* FENTRY_UTIL_H */
