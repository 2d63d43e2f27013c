/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_BTF_IMAGE_H
#define BTFADDR_BTF_IMAGE_H

#include <bpf/btf.h>

#include "util.h"

/* No address: FUNC without kind_flag. No section has this number. */
#define NO_ADDR UINT64_MAX

/**
 * struct btf_image - BTF as bytes, with the addresses kept apart
 *
 * @types/@strs are those of ordinary BTF. The extended form has 8 more bytes after each FUNC that
 * has an address, and kind_flag set there; type ids are the same in both.
 *
 * A module's BTF continues that of its base: its type ids and string offsets begin where those of
 * the base end.
 *
 * @base: NULL if there is none; owned
 * @types: the type section without addresses
 * @strs: the string section
 * @offsets: by id - @first_id, where each type begins in @types
 * @addrs: by id - @first_id, the address as elf_file_place() returns it, or NO_ADDR
 * @nr_types: number of ids, those of the base and id 0 (void) included
 * @nr_addrs: how many have an address
 * @first_id: id of the first type that is not the base's
 * @first_str: offset of the first string that is not the base's
 * @indexes: of a base, made before it is known what is based on it: see base_index(); NULL if none
 * @separate: the BTF is from a file of its own, so it may be from another build than the DWARF
 * @layout: the BTF has a table of the sizes of each kind's types, as it may since Linux 7.3
 */
struct btf_image {
	struct btf_image *base;
	struct buf types;
	struct buf strs;
	u32 *offsets;
	u64 *addrs;
	u32 nr_types;
	u32 nr_addrs;
	u32 first_id, first_str;
	struct base_indexes *indexes;
	bool separate, layout;
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

/* Let an image that was parsed as split BTF continue @base, which it owns from here on. */
void btf_image_set_base(struct btf_image *img, struct btf_image *base);

/* Append split BTF that continues the image. */
void btf_image_append(struct btf_image *img, const struct btf_image *add);

/* Append a type with @len bytes behind it; returns its id. */
u32 btf_image_add_type(struct btf_image *img, const struct btf_type *t, const void *data,
		       size_t len);

/* Remove what was appended to @img since @to was copied from it. */
void btf_image_cut(struct btf_image *img, const struct btf_image *to);

/* Size of the header. Newer headers are longer (Linux 7.3: 32 bytes), and begin with this one. */
#define BTF_HEADER_SIZE	   24
#define LAYOUT_HEADER_SIZE 32

/* Append a header; the layout follows the types. */
void btf_header_add(struct buf *out, size_t type_len, size_t layout_len, size_t str_len);

/* Kinds of the functions file: see inline/format.h. Only that file has them. */
#define KIND_LOC_PARAM 20
#define KIND_LOC_PROTO 21
#define KIND_LOCSEC    22
#define NR_KINDS       23

/* How many bytes follow struct btf_type: once, and for each of its vlen elements. */
extern const struct kind_layout {
	u8 once, each, flags[2];
} kind_layouts[NR_KINDS];

/* The form to write: without addresses, or with them. */
enum btf_form { BTF_ORDINARY, BTF_EXTENDED };

/* Append the bytes of a BTF file to @out, without those of the base. */
void btf_image_write(const struct btf_image *img, enum btf_form form, struct buf *out);

/* Give image and base to libbpf, as one BTF. Returns NULL if libbpf refuses it, with errno set. */
struct btf *btf_image_open(const struct btf_image *img);

/* Where the strings end. */
static inline u32 btf_image_strs_end(const struct btf_image *img)
{
	return img->first_str + img->strs.len;
}

/* The string at offset @off, "" if there is none. */
static inline const char *btf_image_str(const struct btf_image *img, u32 off)
{
	if (off < img->first_str)
		img = img->base;
	off -= img->first_str;
	return off < img->strs.len ? (const char *)img->strs.data + off : "";
}

/* Type @id. For void, and if there is no such type: a type of kind 0, which no type has. */
static inline const struct btf_type *type_by_id(const struct btf_image *img, u32 id)
{
	static const struct btf_type none;

	if (!id || id >= img->nr_types)
		return &none;
	if (id < img->first_id)
		img = img->base;
	return (const struct btf_type *)(img->types.data + img->offsets[id - img->first_id]);
}

/* The types of the image itself, and their ids. */
#define for_each_type(id, t, img) \
	for ((id) = (img)->first_id; (t) = type_by_id(img, id), (id) < (img)->nr_types; (id)++)

/* A type of the image itself, not of its base; the caller may change the type. */
static inline struct btf_type *own_type(struct btf_image *img, u32 id)
{
	return (struct btf_type *)(img->types.data + img->offsets[id - img->first_id]);
}

/* Where the address of a type of the image itself is stored. */
static inline u64 *btf_image_addr(const struct btf_image *img, u32 id)
{
	return &img->addrs[id - img->first_id];
}

static inline const char *type_name(const struct btf_image *img, const struct btf_type *t)
{
	return btf_image_str(img, t->name_off);
}

/* Get the id of reference number @i of type @t. False if @t has no more than @i references. */
bool btf_type_ref(const struct btf_type *t, u32 i, u32 *id_ret);

static inline u32 type_info(u32 kind, u32 vlen)
{
	return kind << 24 | vlen;
}

static inline u32 type_kind(const struct btf_type *t)
{
	return BTF_INFO_KIND(t->info);
}

static inline u32 type_vlen(const struct btf_type *t)
{
	return BTF_INFO_VLEN(t->info);
}

#endif
