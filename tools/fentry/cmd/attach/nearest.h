/* SPDX-License-Identifier: GPL-2.0-only */
/* What the user may have meant. */
#ifndef FENTRY_NEAREST_H
#define FENTRY_NEAREST_H

#include "libfentry.h"

/**
 * nearest() - What the user may have meant by a specification.
 * @idx: the index
 * @spec: a specification that matches nothing
 * @max: size of @ret
 * @ret: filled with the nearest functions, best first; those of the same name
 *	in other compilation units come alone
 *
 * Return: the number of functions in @ret, or -ENOMEM.
 */
int nearest(const struct fentry_index *idx, const struct fentry_spec *spec, size_t max,
	    const struct fentry_target **ret);

#endif /* FENTRY_NEAREST_H */
