/* SPDX-License-Identifier: GPL-2.0-only */
/* Some of the inlined calls of functions, as they are written on a command line. */
#ifndef FENTRY_SITE_SPEC_H
#define FENTRY_SITE_SPEC_H

#include <stdbool.h>

#include "libfentry.h"

/*
 * [module:]name@caller, [module:]name@file:line; @caller and file:line are for all functions. A
 * file is the tail of its path, as a unit is.
 */
struct site_spec {
	struct fentry_spec func; /* what is called */
	const char *caller;	 /* NULL: any; what has the call in its source */
	char *file;		 /* NULL: any */
	unsigned long line;
};

/**
 * site_specs__split() - Move specifications of inlined calls behind those of functions.
 * @specs: the specifications; those of each kind stay in their order
 * @cnt: their number
 *
 * Return: how many are of functions.
 */
size_t site_specs__split(char **specs, size_t cnt);

/**
 * site_spec__parse() - Read one that site_specs__split() has told apart, or complain.
 * @text: the specification, which must outlive @ret
 * @ret: to be released with site_spec__clear(); not written on failure
 *
 * Return: an exit status.
 */
int site_spec__parse(const char *text, struct site_spec *ret);

void site_spec__clear(struct site_spec *spec);

/** site_spec__match() - Is a call of spec->func one of them? */
bool site_spec__match(const struct site_spec *spec, const struct fentry_inlined_call *call);

#endif /* FENTRY_SITE_SPEC_H */
