/* SPDX-License-Identifier: GPL-2.0-only */
/* The places that ftrace can patch. */
#ifndef FENTRY_SITES_H
#define FENTRY_SITES_H

#include "kernel/ksyms.h"

struct sites {
	unsigned long long *addrs; /* sorted */
	size_t cnt;
};

/**
 * sites__load() - Read which places ftrace can patch, or complain.
 * @ksyms: the kernel's functions
 * @quiet: don't complain
 * @ret: the places, to be released by free(@ret->addrs), after a failure, too
 *
 * Before Linux 6.5, ftrace says names only: then every function of such a name
 * is taken to have a place, at its start.
 *
 * Return: an exit status.
 */
int sites__load(const struct ksyms *ksyms, bool quiet, struct sites *ret);

#endif /* FENTRY_SITES_H */
