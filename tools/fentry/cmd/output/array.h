/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays that grow, and that are searched. */
#ifndef FENTRY_ARRAY_H
#define FENTRY_ARRAY_H

#include <stdlib.h>

/* Room for more: it doubles when the number of elements is a power of two. NULL without memory. */
static inline void *array_grow(void *array, size_t cnt, size_t size)
{
	if (cnt & (cnt - 1))
		return array;
	return reallocarray(array, cnt ? 2 * cnt : 1, size);
}

/* Make room for one more element than @cnt. False without memory: then nothing changes. */
#define ARRAY_GROW(array, cnt)                                          \
	({                                                              \
		void *grown = array_grow(array, cnt, sizeof(*(array))); \
		if (grown)                                              \
			(array) = grown;                                \
		grown != NULL;                                          \
	})

/* Position of the first element of a sorted array that isn't before @key, as @cmp says. */
static inline size_t lower_bound(const void *key, const void *array, size_t cnt, size_t size,
				 int (*cmp)(const void *a, const void *b))
{
	size_t from = 0, to = cnt;

	while (from < to) {
		size_t mid = (from + to) / 2;

		if (cmp((const char *)array + mid * size, key) < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

#endif /* FENTRY_ARRAY_H */
