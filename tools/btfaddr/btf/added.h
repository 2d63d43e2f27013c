/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_ADDED_H
#define BTFADDR_ADDED_H

#include "btf/btf_image.h"

/**
 * added_types_check() - which of the types that were added would be refused?
 * @img: all types; what is below @first is taken to be right
 * @first: id of the first that was added
 *
 * All ids that types refer to must exist. A type is bad if it breaks a rule of the kernel's or of
 * C's, or refers to one that does.
 *
 * Return: by id - @first, whether the type is bad; the caller frees it.
 */
bool *added_types_check(const struct btf_image *img, u32 first);

#endif
