// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Reading where inlined calls are from: one to three numbers for each, most of them differences
 * from the call before. btfaddr(1) describes them. Whoever only counts calls needs none of it, so
 * all are read when the first is asked for.
 */
#include <errno.h>
#include <stdlib.h>

#include "inlined.h"

/* In the first number of a call. */
#define ORIGIN_NESTED  0x1
#define ORIGIN_INEXACT 0x6
#define ORIGIN_SAME    0x8
#define ORIGIN_BITS    4

/* Returns where the next number begins, NULL if this one has no end. */
static const __u8 *read_long(const __u8 *pos, const __u8 *end, __u64 *ret)
{
	unsigned int shift;

	*ret = 0;
	for (shift = 0; pos < end && shift < 64; shift += 7) {
		*ret |= (__u64)(*pos & 0x7f) << shift;
		if (*pos++ < 0x80)
			return pos;
	}
	return NULL;
}

/* LEB128; most have one byte or two. */
static inline const __u8 *read_number(const __u8 *pos, const __u8 *end, __u64 *ret)
{
	if (pos < end && pos[0] < 0x80) {
		*ret = pos[0];
		return pos + 1;
	}
	if (end - pos > 1 && pos[1] < 0x80) {
		*ret = (pos[0] & 0x7f) | pos[1] << 7;
		return pos + 2;
	}
	return read_long(pos, end, ret);
}

/* What a number of that difference is, from the last one. */
static inline __u64 next(__u64 last, __u64 difference)
{
	return last + ((difference >> 1) ^ -(difference & 1));
}

struct place {
	__u64 line, file;
};

/* Read the other numbers of a call. Returns as above. */
static inline const __u8 *read_place(const __u8 *pos, const __u8 *end, struct place *at)
{
	__u64 number;

	pos = read_number(pos, end, &number);
	if (!pos)
		return NULL;
	at->line = next(at->line, number >> 1);
	if (number & 1) {
		pos = read_number(pos, end, &number);
		at->file = next(at->file, number);
	}
	return pos;
}

/* Read all. Returns whether they are such as can be. */
static bool read_origins(const struct fentry_inline *in, struct fentry_inline_origin *ret)
{
	const __u64 ends[] = { btf__type_cnt(in->btf), in->site_cnt };
	const __u8 *pos = in->numbers;
	__u64 last[2] = {}, number;
	struct place at = {};
	bool nested;
	size_t i;

	for (i = 0; i < in->site_cnt; i++) {
		pos = read_number(pos, in->end, &number);
		if (pos && !(number & ORIGIN_SAME))
			pos = read_place(pos, in->end, &at);
		nested = number & ORIGIN_NESTED;
		last[nested] = next(last[nested], number >> ORIGIN_BITS);
		if (!pos || last[nested] >= ends[nested] || at.line > UINT32_MAX ||
		    (at.line && at.file >= in->file_cnt))
			return false;
		ret[i] = (struct fentry_inline_origin){
			last[nested], at.line, at.file, nested, !!(number & ORIGIN_INEXACT),
		};
	}
	return pos == in->end;
}

/* They don't change: of several who are the first to ask, one keeps what was read for all. */
int fentry_inline__origins(const struct fentry_inline *in, const struct fentry_inline_origin **ret,
			   struct fentry_error *error)
{
	struct fentry_inline_origin **cached = (struct fentry_inline_origin **)&in->origins;
	struct fentry_inline_origin *had = __atomic_load_n(cached, __ATOMIC_ACQUIRE), *origins;

	*ret = had;
	if (had || !in->files)
		return 0;
	origins = malloc((in->site_cnt + 1) * sizeof(*origins));
	if (!origins)
		return fentry_error__set(error, -ENOMEM, "out of memory");
	if (!read_origins(in, origins)) {
		free(origins);
		return fentry_error__set(error, -EINVAL,
					 "%s is damaged: it doesn't say where each call is from",
					 in->path);
	}
	*ret = origins;
	if (!__atomic_compare_exchange_n(cached, &had, origins, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE)) {
		free(origins);
		*ret = had;
	}
	return 0;
}
