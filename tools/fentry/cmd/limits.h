/* SPDX-License-Identifier: GPL-2.0-only */
/* How many files may be open: each function that is traced alone takes two. */
#ifndef FENTRY_LIMITS_H
#define FENTRY_LIMITS_H

#include <stddef.h>

/** limits__raise() - Let this process have as many open files as it may. */
void limits__raise(void);

/**
 * limits__reserve() - Is there room for programs and links of so many functions?
 * @cnt: functions that are attached to one by one
 *
 * Return: an exit status; complains.
 */
int limits__reserve(size_t cnt);

/** limits__restore() - As before limits__raise(), for another program. */
void limits__restore(void);

#endif /* FENTRY_LIMITS_H */
