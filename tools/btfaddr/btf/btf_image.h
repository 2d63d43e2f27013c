/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_BTF_IMAGE_H
#define BTFADDR_BTF_IMAGE_H

#include <linux/btf.h>

#include "util.h"

/* No address: FUNC without kind_flag. No section has this number. */
#define NO_ADDR UINT64_MAX

/**
 * struct btf_image - BTF as bytes, addresses apart
 *
 * @types/@strs are those of ordinary BTF. The extended form has 8 more bytes
 * after each FUNC that has an address, and kind_flag set there; type ids are
 * the same in both.
 *
 * A module's BTF continues that of a base: its type ids and string offsets begin where those of
 * the base end. The image of a module's BTF begins with its base.
 *
 * @types: the type section without addresses
 * @strs: the string section
 * @addrs: by type id, what the extended form has there: see elf_file_place(); or NO_ADDR
 * @nr_types: number of ids, id 0 (void) included
 * @nr_addrs: how many have an address
 * @base_types/@base_strs: how many bytes are the base's; 0 without a base
 * @first_id: id of the first type that is not the base's
 * @layout: it says how large types of each kind are, as that of Linux 7.3 may
 */
struct btf_image {
	struct buf types;
	struct buf strs;
	u64 *addrs;
	u32 nr_types;
	u32 nr_addrs;
	size_t base_types, base_strs;
	u32 first_id;
	bool layout;
};

/**
 * btf_image_parse() - take BTF apart, ordinary or extended
 * @name: of the file, for messages
 * @split: the BTF continues that of a base
 *
 * Return: 0, or -1 after an error message; free with btf_image_free() either way.
 */
int btf_image_parse(struct btf_image *img, const char *name, const void *data, size_t len,
		    bool split);
void btf_image_free(struct btf_image *img);

/* Make all that is in the image the base of what is appended from here on. */
void btf_image_make_base(struct btf_image *img);

/* Append split BTF that continues the image. */
void btf_image_append(struct btf_image *img, const struct btf_image *add);

/* Take away again what was appended since @img was as @to. */
void btf_image_cut(struct btf_image *img, const struct btf_image *to);

/* By type id, where each type begins in img->types; the caller frees it. */
u32 *btf_image_offsets(const struct btf_image *img);

/*
 * Size of the header. Newer versions of it are longer (Linux 7.3: 32 bytes), and begin with
 * this.
 */
#define BTF_HEADER_SIZE 24
#define LAYOUT_HEADER_SIZE 32

/* What to write: all, only the base, or only what is not the base's. */
enum btf_part { BTF_WHOLE, BTF_BASE, BTF_OWN };

/* How to write it: without addresses, or with them. */
enum btf_form { BTF_ORDINARY, BTF_EXTENDED };

/* Append the bytes of a BTF file to @out. */
void btf_image_write(const struct btf_image *img, enum btf_part part, enum btf_form form,
		     struct buf *out);

/* The string at offset @off, "" if there is none. */
static inline const char *btf_image_str(const struct btf_image *img, u32 off)
{
	return off < img->strs.len ? (const char *)img->strs.data + off : "";
}

/* Bytes that follow struct btf_type in ordinary BTF; -1 for an unknown kind. */
int btf_type_extra(const struct btf_type *t);

/* Which type, as number @i, does @t refer to? False if it refers to no more than @i. */
bool btf_type_ref(const struct btf_type *t, u32 i, u32 *id_ret);

static inline u32 type_kind(const struct btf_type *t)
{
	return BTF_INFO_KIND(t->info);
}

static inline u32 type_vlen(const struct btf_type *t)
{
	return BTF_INFO_VLEN(t->info);
}

#endif
