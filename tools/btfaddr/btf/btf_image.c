// SPDX-License-Identifier: GPL-2.0-only
/*
 * BTF as bytes: taken apart into ordinary BTF and addresses, and put together again.
 */
#include <errno.h>

#include "btf/btf_image.h"

#define KFLAG (1u << 31)

const struct kind_layout kind_layouts[NR_KINDS] = {
	[BTF_KIND_INT] = { sizeof(u32), 0 },
	[BTF_KIND_ARRAY] = { sizeof(struct btf_array), 0 },
	[BTF_KIND_STRUCT] = { 0, sizeof(struct btf_member) },
	[BTF_KIND_UNION] = { 0, sizeof(struct btf_member) },
	[BTF_KIND_ENUM] = { 0, sizeof(struct btf_enum) },
	[BTF_KIND_FUNC_PROTO] = { 0, sizeof(struct btf_param) },
	[BTF_KIND_VAR] = { sizeof(struct btf_var), 0 },
	[BTF_KIND_DATASEC] = { 0, sizeof(struct btf_var_secinfo) },
	[BTF_KIND_DECL_TAG] = { sizeof(struct btf_decl_tag), 0 },
	[BTF_KIND_ENUM64] = { 0, sizeof(struct btf_enum64) },
	[KIND_LOC_PARAM] = { sizeof(u32), sizeof(u32) },
	[KIND_LOC_PROTO] = { 0, sizeof(u32) },
	[KIND_LOCSEC] = { 0, 3 * sizeof(u32) },
};

bool btf_type_ref(const struct btf_type *t, u32 i, u32 *id_ret)
{
	u32 nr = btf_vlen(t);

	switch (type_kind(t)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		*id_ret = i < nr ? btf_members(t)[i].type : 0;
		return i < nr;
	case BTF_KIND_DATASEC:
		*id_ret = i < nr ? btf_var_secinfos(t)[i].type : 0;
		return i < nr;
	case BTF_KIND_ARRAY:
		*id_ret = i ? btf_array(t)->index_type : btf_array(t)->type;
		return i < 2;
	case BTF_KIND_FUNC_PROTO:
		*id_ret = !i ? t->type : i <= nr ? btf_params(t)[i - 1].type : 0;
		return i <= nr;
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_FWD:
		return false;
	default:
		*id_ret = t->type;
		return !i;
	}
}

static int read_header(const char *name, const void *data, size_t len, struct btf_header *hdr)
{
	if (len < BTF_HEADER_SIZE)
		return err("%s: .BTF is truncated (%zu bytes)", name, len);
	memcpy(hdr, data, BTF_HEADER_SIZE); /* data may be unaligned */
	if (hdr->magic != BTF_MAGIC)
		return err("%s: not BTF of this byte order (magic %#x)", name, hdr->magic);
	if (hdr->version != BTF_VERSION || hdr->flags || hdr->hdr_len < BTF_HEADER_SIZE ||
	    hdr->hdr_len > len)
		return err("%s: unknown BTF header (version %u, flags %#x, length %u)", name,
			   hdr->version, hdr->flags, hdr->hdr_len);
	len -= hdr->hdr_len;
	if (hdr->type_off % 4 || hdr->type_off > len || hdr->type_len > len - hdr->type_off ||
	    hdr->str_off > len || hdr->str_len > len - hdr->str_off)
		return err("%s: .BTF is truncated: its types or strings end beyond its end", name);
	return 0;
}

/* Newer headers go on with layout_off and layout_len. */
static bool has_layout(const void *data, const struct btf_header *hdr)
{
	u32 len = 0;

	if (hdr->hdr_len >= LAYOUT_HEADER_SIZE)
		memcpy(&len, (const u8 *)data + LAYOUT_HEADER_SIZE - sizeof(len), sizeof(len));
	return len;
}

static bool has_addr(const struct btf_type *t)
{
	return type_kind(t) == BTF_KIND_FUNC && BTF_INFO_KFLAG(t->info);
}

/* Read one record. Returns the bytes consumed, 0 if bad. */
static size_t read_type(const u8 *p, size_t left, struct btf_type *t, u64 *addr_ret)
{
	size_t len = sizeof(*t);

	if (left < len)
		return 0;
	memcpy(t, p, len);
	if (!type_kind(t) || type_kind(t) > BTF_KIND_ENUM64)
		return 0;
	len += kind_layouts[type_kind(t)].once + type_vlen(t) * kind_layouts[type_kind(t)].each;
	if (left < len)
		return 0;
	*addr_ret = NO_ADDR;
	if (!has_addr(t))
		return len;
	if (left < len + sizeof(*addr_ret))
		return 0;
	memcpy(addr_ret, p + len, sizeof(*addr_ret));
	if (*addr_ret == NO_ADDR)
		return 0;
	return len + sizeof(*addr_ret);
}

/* The next type begins at @off in the type section. */
static void add_id(struct btf_image *img, size_t off, u64 addr)
{
	u32 nr = img->nr_types++ - img->first_id;

	GROW(img->offsets, nr);
	GROW(img->addrs, nr);
	img->offsets[nr] = off;
	img->addrs[nr] = addr;
	img->nr_addrs += addr != NO_ADDR;
}

/* Read all types. The types between two FUNCs with an address are copied in one piece. */
static int parse_types(struct btf_image *img, const char *name, const u8 *p, size_t left)
{
	const u8 *start = p;
	struct btf_type t;
	size_t n;
	u64 addr;

	for (; left; left -= n, p += n) {
		n = read_type(p, left, &t, &addr);
		if (!n)
			return err("%s: .BTF is damaged at type %u", name, img->nr_types);
		add_id(img, img->types.len + (p - start), addr);
		if (!has_addr(&t))
			continue;
		buf_add(&img->types, start, p - start);
		t.info &= ~KFLAG;
		buf_add(&img->types, &t, sizeof(t));
		start = p + n;
	}
	buf_add(&img->types, start, p - start);
	return 0;
}

int btf_image_parse(struct btf_image *img, const char *name, const void *data, size_t len,
		    bool split)
{
	struct btf_header hdr;
	const u8 *body;

	memset(img, 0, sizeof(*img));
	img->nr_types = img->first_id = 1;
	if (read_header(name, data, len, &hdr))
		return -1;
	img->layout = has_layout(data, &hdr);
	body = (const u8 *)data + hdr.hdr_len;
	if (parse_types(img, name, body + hdr.type_off, hdr.type_len))
		return -1;
	buf_add(&img->strs, body + hdr.str_off, hdr.str_len);
	if (!split && (!img->strs.len || img->strs.data[0] || img->strs.data[img->strs.len - 1]))
		return err(
			"%s: .BTF is damaged, or that of a module: its strings do not begin and end with a 0",
			name);
	return 0;
}

void btf_image_free(struct btf_image *img)
{
	if (img->base)
		btf_image_free(img->base);
	free(img->base);
	buf_free(&img->types);
	buf_free(&img->strs);
	free(img->offsets);
	free(img->addrs);
	memset(img, 0, sizeof(*img));
}

void btf_image_set_base(struct btf_image *img, struct btf_image *base)
{
	img->base = base;
	img->first_id = base->nr_types;
	img->nr_types += base->nr_types - 1;
	img->first_str = base->strs.len;
}

void btf_image_append(struct btf_image *img, const struct btf_image *add)
{
	size_t before = img->types.len;
	u32 i;

	buf_add(&img->types, add->types.data, add->types.len);
	buf_add(&img->strs, add->strs.data, add->strs.len);
	for (i = 0; i < add->nr_types - 1; i++)
		add_id(img, before + add->offsets[i], add->addrs[i]);
	img->layout |= add->layout;
}

u32 btf_image_add_type(struct btf_image *img, const struct btf_type *t, const void *data,
		       size_t len)
{
	add_id(img, img->types.len, NO_ADDR);
	buf_add(&img->types, t, sizeof(*t));
	buf_add(&img->types, data, len);
	return img->nr_types - 1;
}

void btf_image_cut(struct btf_image *img, const struct btf_image *to)
{
	img->types.len = to->types.len;
	img->strs.len = to->strs.len;
	img->nr_types = to->nr_types;
	img->nr_addrs = to->nr_addrs;
}

static void write_types(const struct btf_image *img, enum btf_form form, struct buf *out)
{
	size_t start = 0, off;
	struct btf_type t;
	u32 i;

	/* types without an address are copied in large pieces */
	for (i = 0; form == BTF_EXTENDED && i < img->nr_types - img->first_id; i++) {
		if (img->addrs[i] == NO_ADDR)
			continue;
		off = img->offsets[i];
		buf_add(out, img->types.data + start, off - start);
		memcpy(&t, img->types.data + off, sizeof(t));
		t.info |= KFLAG;
		buf_add(out, &t, sizeof(t));
		buf_add(out, &img->addrs[i], sizeof(img->addrs[i]));
		start = off + sizeof(t);
	}
	buf_add(out, img->types.data + start, img->types.len - start);
}

void btf_header_add(struct buf *out, size_t type_len, size_t layout_len, size_t str_len)
{
	u32 hdr[LAYOUT_HEADER_SIZE / sizeof(u32)] = {
		BTF_MAGIC | BTF_VERSION << 16,
		layout_len ? LAYOUT_HEADER_SIZE : BTF_HEADER_SIZE,
		0,
		type_len,
		type_len + layout_len,
		str_len,
		type_len,
		layout_len,
	};

	buf_add(out, hdr, hdr[1]);
}

void btf_image_write(const struct btf_image *img, enum btf_form form, struct buf *out)
{
	size_t addrs = form == BTF_EXTENDED ? img->nr_addrs * sizeof(*img->addrs) : 0;

	buf_reserve(out, BTF_HEADER_SIZE + img->types.len + addrs + img->strs.len);
	btf_header_add(out, img->types.len + addrs, 0, img->strs.len);
	write_types(img, form, out);
	buf_add(out, img->strs.data, img->strs.len);
}

struct btf *btf_image_open(const struct btf_image *img)
{
	static const struct btf_image none;
	const struct btf_image *base = img->base ?: &none;
	struct buf out = {};
	struct btf *btf;
	int error;

	buf_reserve(&out, BTF_HEADER_SIZE + base->types.len + img->types.len + base->strs.len +
				  img->strs.len);
	btf_header_add(&out, base->types.len + img->types.len, 0, base->strs.len + img->strs.len);
	buf_add(&out, base->types.data, base->types.len);
	buf_add(&out, img->types.data, img->types.len);
	buf_add(&out, base->strs.data, base->strs.len);
	buf_add(&out, img->strs.data, img->strs.len);
	btf = btf__new(out.data, out.len);
	error = errno;
	buf_free(&out);
	errno = error;
	return btf;
}
