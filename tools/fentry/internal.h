/* SPDX-License-Identifier: GPL-2.0 */
/* What libfentry's files share and users don't see. */
#ifndef FENTRY_INTERNAL_H
#define FENTRY_INTERNAL_H

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

/**
 * fentry_target__cmp() - Order of an index: name, address, id.
 * @a: a target
 * @b: another one
 */
int fentry_target__cmp(const void *a, const void *b);

#endif /* FENTRY_INTERNAL_H */
