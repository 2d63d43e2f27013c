// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "sorted.h"

/* The index of the first that isn't less than the key; @cnt if there is none. */
static size_t find_first(const void *key, const void *base, size_t cnt, size_t size,
			 int (*cmp)(const void *, const void *))
{
	size_t low = 0, high = cnt;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (cmp((const char *)base + mid * size, key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const void *sorted__range(const void *key, const void *base, size_t cnt, size_t size,
			  int (*cmp)(const void *, const void *), size_t *found)
{
	size_t low = find_first(key, base, cnt, size, cmp);
	const char *first = (const char *)base + low * size;
	size_t n = 0;

	while (low + n < cnt && !cmp(first + n * size, key))
		n++;
	*found = n;
	return n ? first : NULL;
}

int sorted__cmp_addrs(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return (x > y) - (x < y);
}

bool sorted__has_addr(const __u64 *addrs, size_t cnt, __u64 addr)
{
	return cnt && bsearch(&addr, addrs, cnt, sizeof(addr), sorted__cmp_addrs);
}
