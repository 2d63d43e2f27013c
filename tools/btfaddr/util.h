/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_UTIL_H
#define BTFADDR_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../fentry/lib/array.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

/* Print "btfaddr: <message>" as one line on stderr. Returns -1, which the caller can return. */
int err(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* If there is no memory, these end the program with a message. Output is renamed into place as
 * the last step, so nothing half written is left behind.
 */
void *xmalloc(size_t size);
void *xcalloc(size_t nr, size_t size);
void *xrealloc(void *old, size_t size);
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Let @p point to @nr elements, all zeros. */
#define ALLOC(p, nr) ((p) = xcalloc(nr, sizeof(*(p))))

/* Make room for one more element than @nr in the array @p, which only this makes larger. */
#define GROW(p, nr) ((p) = xgrow(p, nr, sizeof(*(p))))
void *xgrow(void *array, size_t nr, size_t size);

/* Append an element: a number, or a structure with these members. */
#define PUSH(p, nr, ...) (GROW(p, nr), (p)[(nr)++] = (typeof(*(p))){ __VA_ARGS__ })

/* Append @more elements to the array @p of @nr, which only this makes larger. */
#define APPEND(p, nr, from, more) ((p) = xappend(p, nr, from, more, sizeof(*(p))), (nr) += (more))
void *xappend(void *array, size_t nr, const void *from, size_t more, size_t size);

/* What a function that compares for qsort() returns. */
static inline int compare(u64 x, u64 y)
{
	return (x > y) - (x < y);
}

/* How many elements of a sorted array, each of which begins with a u64, are up to @key? */
static inline size_t nr_up_to(u64 key, const void *array, size_t nr, size_t size)
{
	key++;
	return lower_bound(&key, array, nr, size, cmp_u64);
}

/**
 * struct u64map - hash map from u64 to u32
 *
 * Values are stored as given; a key that is not there reads as 0.
 */
struct u64map {
	struct u64map_slot {
		u64 key;
		u32 val; /* 0: free slot */
	} * slots;
	size_t nr, cap;
};

/* Make room for @nr keys. The map must be empty. */
void u64map_reserve(struct u64map *map, size_t nr);
/* Set @key to @val, which must not be 0. */
void u64map_set(struct u64map *map, u64 key, u32 val);
/* Value of @key, 0 if it has none. */
u32 u64map_get(const struct u64map *map, u64 key);
void u64map_free(struct u64map *map);

static inline bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static inline u64 hash_mix(u64 h, u64 v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ull;
	return h ^ (h >> 29);
}

u64 hash_bytes(const void *p, size_t len);

static inline u64 hash_str(const char *s)
{
	return hash_bytes(s, strlen(s));
}

/**
 * struct buf - growing byte string
 */
struct buf {
	u8 *data;
	size_t len, cap;
};

void buf_add(struct buf *buf, const void *data, size_t len);
/* Make room for @len bytes more. */
void buf_reserve(struct buf *buf, size_t len);
void buf_free(struct buf *buf);

/*
 * Write a file, as a whole or not at all. Returns 0, or -1 after an error message that names @path.
 */
int write_file(const char *path, const void *data, size_t len);

/**
 * threads_run() - call a function once for each of several threads, and wait for all
 * @nr: number of threads, including the caller's
 * @fn: gets the thread's number; the caller's thread has number 0
 *
 * If a thread can't be started, the caller's thread does its share.
 */
void threads_run(u32 nr, void (*fn)(void *ctx, u32 thread), void *ctx);

#endif
