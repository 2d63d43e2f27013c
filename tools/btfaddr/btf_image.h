/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BTFADDR_BTF_IMAGE_H
#define BTFADDR_BTF_IMAGE_H

#include <linux/btf.h>

#include "util.h"

/* No address: FUNC without kind_flag. Offsets from _text are below 2^32. */
#define NO_ADDR UINT64_MAX

/**
 * struct btf_image - BTF as bytes, addresses apart
 *
 * @types/@strs are those of ordinary BTF. The extended form has 8 more bytes
 * after each FUNC that has an address, and kind_flag set there; type ids are
 * the same in both.
 *
 * @types: the type section without addresses
 * @strs: the string section
 * @addrs: by type id, offset from _text, or NO_ADDR
 * @nr_types: number of ids, id 0 (void) included
 * @nr_addrs: how many have an address
 */
struct btf_image {
	struct buf types;
	struct buf strs;
	u64 *addrs;
	u32 nr_types;
	u32 nr_addrs;
};

/**
 * btf_image_parse() - take BTF apart, ordinary or extended
 * @name: of the file, for messages
 * @split: its strings continue those of a base
 *
 * Return: 0, or -1 after an error message; free with btf_image_free() either way.
 */
int btf_image_parse(struct btf_image *img, const char *name, const void *data, size_t len,
		    bool split);
void btf_image_free(struct btf_image *img);

/* Append the bytes of a BTF file to @out: extended, or ordinary if @legacy. */
void btf_image_write(const struct btf_image *img, bool legacy, struct buf *out);

/* Bytes that follow struct btf_type in ordinary BTF; -1 for an unknown kind. */
int btf_type_extra(const struct btf_type *t);

static inline u32 type_kind(const struct btf_type *t)
{
	return BTF_INFO_KIND(t->info);
}

static inline u32 type_vlen(const struct btf_type *t)
{
	return BTF_INFO_VLEN(t->info);
}

#endif
