/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_POOL_H
#define BTFADDR_POOL_H

#include "util.h"

/**
 * struct pool - byte strings, each of them once, numbered as they come
 * @ends: by number, where it ends in @bytes
 */
struct pool {
	struct buf bytes;
	u32 *ends;
	u32 nr;
	size_t cap;
	struct u64map by_hash;
};

/* The number of these bytes, which must not be more than 4 GB together. */
u32 pool_add(struct pool *pool, const void *data, size_t len);
const void *pool_get(const struct pool *pool, u32 nr, size_t *len_ret);
void pool_free(struct pool *pool);

#endif
