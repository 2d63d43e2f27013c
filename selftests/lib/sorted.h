/* SPDX-License-Identifier: GPL-2.0-only */
/* Searching what qsort() has sorted, where several may be equal. */
#ifndef SELFTESTS_SORTED_H
#define SELFTESTS_SORTED_H

#include <stddef.h>

/**
 * sorted__first() - The first that isn't less than a key.
 * @base, @cnt, @size, @cmp: as for bsearch(); @cmp gets an element, then the key
 * @key: what to look for
 *
 * Return: its index; @cnt if there is none.
 */
size_t sorted__first(const void *key, const void *base, size_t cnt, size_t size,
		     int (*cmp)(const void *, const void *));

#endif /* SELFTESTS_SORTED_H */
