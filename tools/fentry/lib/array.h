/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Arrays that grow, are sorted, and are searched. */
#ifndef FENTRY_ARRAY_H
#define FENTRY_ARRAY_H

#include <stdlib.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Let @p point to each element of an array of @cnt. */
#define for_each(p, array, cnt) for ((p) = (array); (p) < (array) + (cnt); (p)++)

/* For comparisons as qsort() and lower_bound() need them; negative, 0 or positive. */
#define cmp_int(x, y) (((x) > (y)) - ((x) < (y)))

/* For numbers of 64 bits, and for structures that begin with one. */
static inline int cmp_u64(const void *a, const void *b)
{
	const unsigned long long x = *(const unsigned long long *)a;
	const unsigned long long y = *(const unsigned long long *)b;

	return cmp_int(x, y);
}

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

/* Room for @more, and their copies in it. */
static inline void *array_append(void *array, size_t cnt, const void *from, size_t more,
				 size_t size)
{
	char *grown = reallocarray(array, cnt + more + 1, size);

	if (grown && more)
		memcpy(grown + cnt * size, from, more * size);
	return grown;
}

/* Append to an array, which can't grow by ARRAY_GROW() then. False without memory, as above. */
#define ARRAY_APPEND(array, cnt, from, more)                                          \
	({                                                                            \
		void *grown = array_append(array, cnt, from, more, sizeof(*(array))); \
		if (grown) {                                                          \
			(array) = grown;                                              \
			(cnt) += (more);                                              \
		}                                                                     \
		grown != NULL;                                                        \
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

/* Sort an array, which may be sorted already, as most of the kernel's lists are. */
static inline void array_sort(void *array, size_t cnt, size_t size,
			      int (*cmp)(const void *a, const void *b))
{
	const char *at = array, *end = at + cnt * size;

	if (!cnt) /* there may be no array at all */
		return;
	while ((at += size) < end && cmp(at - size, at) <= 0)
		;
	if (at < end)
		qsort(array, cnt, size, cmp);
}

/* Sort an array, and keep one of equal elements. Return how many are left. */
static inline size_t array_settle(void *array, size_t cnt, size_t size,
				  int (*cmp)(const void *a, const void *b))
{
	char *at = array, *end = at + cnt * size, *to = at;

	array_sort(array, cnt, size, cmp);
	for (; at < end; at += size)
		if (to == array || cmp(to - size, at))
			to = (char *)memmove(to, at, size) + size;
	return (to - (char *)array) / size;
}

/* For an array of pointers into one array: they compare as positions in it. */
static inline int cmp_position(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;

	return cmp_int(x, y);
}

#endif /* FENTRY_ARRAY_H */
