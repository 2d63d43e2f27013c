// SPDX-License-Identifier: GPL-2.0-only
/*
 * BTF as bytes: taken apart into ordinary BTF and addresses, and put together again.
 */
#include <bpf/btf.h>

#include "btf/btf_image.h"

#define KFLAG (1u << 31)

int btf_type_extra(const struct btf_type *t)
{
	u32 vlen = type_vlen(t);

	switch (type_kind(t)) {
	case BTF_KIND_FWD:
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_PTR:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	case BTF_KIND_INT:
		return sizeof(u32);
	case BTF_KIND_ENUM:
		return vlen * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return vlen * sizeof(struct btf_enum64);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return vlen * sizeof(struct btf_member);
	case BTF_KIND_FUNC_PROTO:
		return vlen * sizeof(struct btf_param);
	case BTF_KIND_VAR:
		return sizeof(struct btf_var);
	case BTF_KIND_DATASEC:
		return vlen * sizeof(struct btf_var_secinfo);
	case BTF_KIND_DECL_TAG:
		return sizeof(struct btf_decl_tag);
	default:
		return -1;
	}
}

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
	memcpy(hdr, data, BTF_HEADER_SIZE);	/* data may be unaligned */
	if (hdr->magic != BTF_MAGIC)
		return err("%s: not BTF of this byte order (magic %#x)", name, hdr->magic);
	if (hdr->version != BTF_VERSION || hdr->flags || hdr->hdr_len < BTF_HEADER_SIZE ||
	    hdr->hdr_len > len)
		return err("%s: unknown BTF header (version %u, flags %#x, length %u)", name,
			   hdr->version, hdr->flags, hdr->hdr_len);
	len -= hdr->hdr_len;
	if (hdr->type_off % 4 || hdr->type_off > len || hdr->type_len > len - hdr->type_off ||
	    hdr->str_off > len || hdr->str_len > len - hdr->str_off)
		return err("%s: .BTF is truncated: its types or strings end after its end", name);
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
	int extra;

	if (left < len)
		return 0;
	memcpy(t, p, len);
	extra = btf_type_extra(t);
	if (extra < 0 || left < len + extra)
		return 0;
	*addr_ret = NO_ADDR;
	if (!has_addr(t))
		return len + extra;
	if (left < len + sizeof(*addr_ret))
		return 0;
	memcpy(addr_ret, p + len, sizeof(*addr_ret));
	if (*addr_ret == NO_ADDR)
		return 0;
	return len + sizeof(*addr_ret);
}

int btf_image_parse(struct btf_image *img, const char *name, const void *data, size_t len,
		    bool split)
{
	struct btf_header hdr;
	size_t n, left, cap = 1;
	const u8 *p, *start;
	struct btf_type t;
	u64 addr;

	memset(img, 0, sizeof(*img));
	img->addrs = xmalloc(sizeof(*img->addrs));
	img->addrs[0] = NO_ADDR;
	img->nr_types = img->first_id = 1;
	if (read_header(name, data, len, &hdr))
		return -1;
	img->layout = has_layout(data, &hdr);
	start = p = (const u8 *)data + hdr.hdr_len + hdr.type_off;
	for (left = hdr.type_len; left; left -= n, p += n) {
		n = read_type(p, left, &t, &addr);
		if (!n)
			return err("%s: .BTF is damaged at type %u", name, img->nr_types);
		GROW(img->addrs, img->nr_types, cap);
		img->addrs[img->nr_types++] = addr;
		if (!has_addr(&t))
			continue;
		buf_add(&img->types, start, p - start);
		t.info &= ~KFLAG;
		buf_add(&img->types, &t, sizeof(t));
		img->nr_addrs++;
		start = p + n;
	}
	buf_add(&img->types, start, p - start);
	buf_add(&img->strs, (const u8 *)data + hdr.hdr_len + hdr.str_off, hdr.str_len);
	if (!split && (!img->strs.len || img->strs.data[0] || img->strs.data[img->strs.len - 1]))
		return err("%s: .BTF is damaged, or that of a module: its strings do not begin and end with a 0",
			   name);
	return 0;
}

void btf_image_free(struct btf_image *img)
{
	buf_free(&img->types);
	buf_free(&img->strs);
	free(img->addrs);
	memset(img, 0, sizeof(*img));
}

void btf_image_make_base(struct btf_image *img)
{
	u32 id;

	for (id = 0; id < img->nr_types; id++)
		img->addrs[id] = NO_ADDR;
	img->nr_addrs = 0;
	img->base_types = img->types.len;
	img->base_strs = img->strs.len;
	img->first_id = img->nr_types;
}

void btf_image_append(struct btf_image *img, const struct btf_image *add)
{
	u32 nr = add->nr_types - 1;

	buf_add(&img->types, add->types.data, add->types.len);
	buf_add(&img->strs, add->strs.data, add->strs.len);
	img->addrs = xrealloc(img->addrs, (img->nr_types + nr) * sizeof(*img->addrs));
	memcpy(img->addrs + img->nr_types, add->addrs + 1, nr * sizeof(*add->addrs));
	img->nr_types += nr;
	img->nr_addrs += add->nr_addrs;
	img->layout |= add->layout;
}

u32 *btf_image_offsets(const struct btf_image *img)
{
	u32 *offsets = xcalloc(img->nr_types, sizeof(*offsets)), id, off = 0;
	struct btf_type t;

	for (id = 1; id < img->nr_types; id++) {
		offsets[id] = off;
		memcpy(&t, img->types.data + off, sizeof(t));
		off += sizeof(t) + btf_type_extra(&t);
	}
	return offsets;
}

void btf_image_cut(struct btf_image *img, const struct btf_image *to)
{
	img->types.len = to->types.len;
	img->strs.len = to->strs.len;
	img->nr_types = to->nr_types;
	img->nr_addrs = to->nr_addrs;
}

static void write_types(const struct btf_image *img, enum btf_part part, enum btf_form form,
			struct buf *out)
{
	size_t off = part == BTF_OWN ? img->base_types : 0, len;
	u32 id = part == BTF_OWN ? img->first_id : 1;
	u32 end = part == BTF_BASE ? img->first_id : img->nr_types;
	struct btf_type t;

	if (form == BTF_ORDINARY) {
		len = part == BTF_BASE ? img->base_types : img->types.len;
		buf_add(out, img->types.data + off, len - off);
		return;
	}
	for (; id < end; id++, off += len) {
		memcpy(&t, img->types.data + off, sizeof(t));
		len = sizeof(t) + btf_type_extra(&t);
		if (img->addrs[id] == NO_ADDR) {
			buf_add(out, img->types.data + off, len);
			continue;
		}
		t.info |= KFLAG;
		buf_add(out, &t, sizeof(t));
		buf_add(out, &img->addrs[id], sizeof(img->addrs[id]));
	}
}

void btf_image_write(const struct btf_image *img, enum btf_part part, enum btf_form form,
		     struct buf *out)
{
	size_t first_str = part == BTF_OWN ? img->base_strs : 0;
	size_t end_str = part == BTF_BASE ? img->base_strs : img->strs.len;
	size_t start = out->len;
	struct btf_header hdr = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = BTF_HEADER_SIZE,
	};

	buf_add(out, &hdr, BTF_HEADER_SIZE);
	write_types(img, part, form, out);
	hdr.type_len = out->len - start - BTF_HEADER_SIZE;
	hdr.str_off = hdr.type_len;
	hdr.str_len = end_str - first_str;
	buf_add(out, img->strs.data + first_str, hdr.str_len);
	memcpy(out->data + start, &hdr, BTF_HEADER_SIZE);
}
