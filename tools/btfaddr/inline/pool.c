// SPDX-License-Identifier: GPL-2.0-only
#include "inline/pool.h"

const void *pool_get(const struct pool *pool, u32 nr, size_t *len_ret)
{
	u32 start = nr ? pool->ends[nr - 1] : 0;

	*len_ret = pool->ends[nr] - start;
	return pool->bytes.data + start;
}

u32 pool_add(struct pool *pool, const void *data, size_t len)
{
	u64 hash = hash_bytes(data, len);
	const void *had;
	size_t had_len;
	u32 nr;

	for (; (nr = u64map_get(&pool->by_hash, hash)); hash++) {
		had = pool_get(pool, nr - 1, &had_len);
		if (had_len == len && (!len || !memcmp(had, data, len)))
			return nr - 1;
	}
	buf_add(&pool->bytes, data, len);
	GROW(pool->ends, pool->nr, pool->cap);
	pool->ends[pool->nr++] = pool->bytes.len;
	u64map_set(&pool->by_hash, hash, pool->nr);
	return pool->nr - 1;
}

void pool_free(struct pool *pool)
{
	buf_free(&pool->bytes);
	free(pool->ends);
	u64map_free(&pool->by_hash);
	memset(pool, 0, sizeof(*pool));
}
