// SPDX-License-Identifier: GPL-2.0-only
#include "sorted.h"

size_t sorted__first(const void *key, const void *base, size_t cnt, size_t size,
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
