/* SPDX-License-Identifier: GPL-2.0-only */
/* Sorting, and searching what is sorted, where several may be equal. */
#ifndef SELFTESTS_SORTED_H
#define SELFTESTS_SORTED_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/**
 * sorted__range() - Those that are equal to a key.
 * @key: what to look for
 * @base, @cnt, @size, @cmp: as for bsearch()
 * @found: set to their number
 *
 * Return: the first of them; NULL if there is none.
 */
const void *sorted__range(const void *key, const void *base, size_t cnt, size_t size,
			  int (*cmp)(const void *, const void *), size_t *found);

/** sorted__cmp_addrs() - For qsort() and bsearch() of __u64. */
int sorted__cmp_addrs(const void *a, const void *b);

/** sorted__has_addr() - Is this address among them? */
bool sorted__has_addr(const __u64 *addrs, size_t cnt, __u64 addr);

#endif /* SELFTESTS_SORTED_H */
