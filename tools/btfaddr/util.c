// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util.h"

int err(const char *fmt, ...)
{
	va_list ap;

	fputs("btfaddr: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return -1;
}

static void *check(void *p)
{
	if (!p) {
		err("out of memory");
		exit(1);
	}
	return p;
}

void *xmalloc(size_t size)
{
	return check(malloc(size ? size : 1));
}

void *xcalloc(size_t nr, size_t size)
{
	return check(calloc(nr ? nr : 1, size));
}

void *xrealloc(void *old, size_t size)
{
	return check(realloc(old, size ? size : 1));
}

void *xgrow(void *array, size_t nr, size_t size)
{
	return check(array_grow(array, nr, size));
}

void *xappend(void *array, size_t nr, const void *from, size_t more, size_t size)
{
	return check(array_append(array, nr, from, more, size));
}

char *xstrdup(const char *s)
{
	return check(strdup(s));
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return check(n < 0 ? NULL : s);
}

static struct u64map_slot *find_slot(const struct u64map *map, u64 key)
{
	size_t i = hash_mix(0, key) & (map->cap - 1);

	while (map->slots[i].val && map->slots[i].key != key)
		i = (i + 1) & (map->cap - 1);
	return &map->slots[i];
}

static void u64map_grow(struct u64map *map)
{
	struct u64map old = *map;
	struct u64map_slot *slot;

	map->cap = old.cap ? old.cap * 2 : 64;
	ALLOC(map->slots, map->cap);
	for_each(slot, old.slots, old.cap) {
		if (slot->val)
			*find_slot(map, slot->key) = *slot;
	}
	free(old.slots);
}

void u64map_reserve(struct u64map *map, size_t nr)
{
	map->cap = 64;
	while (map->cap < nr * 2)
		map->cap *= 2;
	ALLOC(map->slots, map->cap);
}

void u64map_set(struct u64map *map, u64 key, u32 val)
{
	struct u64map_slot *slot;

	if (map->nr * 2 >= map->cap)
		u64map_grow(map);
	slot = find_slot(map, key);
	if (!slot->val)
		map->nr++;
	*slot = (struct u64map_slot){ key, val };
}

u32 u64map_get(const struct u64map *map, u64 key)
{
	return map->cap ? find_slot(map, key)->val : 0;
}

void u64map_free(struct u64map *map)
{
	free(map->slots);
	memset(map, 0, sizeof(*map));
}

u64 hash_bytes(const void *p, size_t len)
{
	const u8 *s = p;
	u64 h = len, word;

	for (; len >= sizeof(word); len -= sizeof(word), s += sizeof(word)) {
		memcpy(&word, s, sizeof(word));
		h = hash_mix(h, word);
	}
	for (word = 0; len; len--)
		word = word << 8 | *s++;
	return hash_mix(h, word);
}

void buf_reserve(struct buf *buf, size_t len)
{
	if (buf->len + len <= buf->cap)
		return;
	buf->cap = buf->len + len;
	buf->data = xrealloc(buf->data, buf->cap);
}

void buf_add(struct buf *buf, const void *data, size_t len)
{
	if (buf->len + len > buf->cap)
		buf_reserve(buf, len + (buf->len + len) / 2 + 64);
	if (len)
		memcpy(buf->data + buf->len, data, len);
	buf->len += len;
}

void buf_free(struct buf *buf)
{
	free(buf->data);
	memset(buf, 0, sizeof(*buf));
}

static int write_all(int fd, const u8 *data, size_t len)
{
	ssize_t n;

	while (len) {
		n = write(fd, data, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		data += n;
		len -= n;
	}
	return 0;
}

/* Give the temporary file its name. */
static int commit(int fd, const char *tmp, const char *path)
{
	mode_t mask = umask(0);
	int ret;

	umask(mask);
	ret = fchmod(fd, 0666 & ~mask);
	if (close(fd) || ret || rename(tmp, path)) {
		ret = err("%s: cannot write: %s", path, strerror(errno));
		unlink(tmp);
	}
	return ret;
}

int write_file(const char *path, const void *data, size_t len)
{
	struct stat st;
	int fd, ret;
	char *tmp;

	/* rename() would replace a device or a pipe by a file */
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return err("%s: not a regular file: name another output file", path);
	tmp = xasprintf("%s.XXXXXX", path);
	fd = mkostemp(tmp, O_CLOEXEC);
	if (fd < 0) {
		ret = err("%s: cannot write: %s: name an output file in a writable folder", path,
			  strerror(errno));
	} else if (write_all(fd, data, len)) {
		ret = err("%s: cannot write: %s", path, strerror(errno));
		close(fd);
		unlink(tmp);
	} else {
		ret = commit(fd, tmp, path);
	}
	free(tmp);
	return ret;
}

struct worker {
	void (*fn)(void *ctx, u32 thread);
	void *ctx;
	u32 thread;
	pthread_t id;
	bool started;
};

static void *work(void *arg)
{
	struct worker *worker = arg;

	worker->fn(worker->ctx, worker->thread);
	return NULL;
}

void threads_run(u32 nr, void (*fn)(void *ctx, u32 thread), void *ctx)
{
	struct worker *workers = xcalloc(nr, sizeof(*workers)), *w;
	u32 i;

	for (i = 1; i < nr; i++) {
		w = &workers[i];
		*w = (struct worker){ .fn = fn, .ctx = ctx, .thread = i };
		w->started = !pthread_create(&w->id, NULL, work, w);
	}
	fn(ctx, 0);
	for (i = 1; i < nr; i++) {
		w = &workers[i];
		if (w->started)
			pthread_join(w->id, NULL);
		else
			work(w);
	}
	free(workers);
}
