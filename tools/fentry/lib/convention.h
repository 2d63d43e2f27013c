/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The calling convention. */
#ifndef FENTRY_CONVENTION_H
#define FENTRY_CONVENTION_H

#include "libfentry.h"

/* Find where argument @nr is when a function is entered, by BTF's prototype. */
void fentry_target__at_entry(const struct fentry_target *func, __u32 nr,
			     struct fentry_location *ret);

#endif /* FENTRY_CONVENTION_H */
